"""Watch a stream of predictions for drift: read blocks, check each against the reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import spelling_note
from steelyard.counts.libraries import is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.judgement.evaluate.inputs import ReadRequest, read
from steelyard.judgement.watch.monitor import Watch
from steelyard.judgement.watch.options import Options
from steelyard.judgement.watch.unlabelled import UnlabelledWatch
from steelyard.parameters import public_function
from steelyard.reading.column_names import columns_of
from steelyard.reading.files import comes_row_by_row
from steelyard.reading.stream import STDIN, Block, Blocks
from steelyard.scores.score_options import AskedScores, read_scores

# Rows that could be divided into blocks.
ENOUGH_ROWS = 20


@public_function(Options)
def watch(options: Options) -> Watch | UnlabelledWatch:
    """Watch a stream of predictions for drift, in blocks of rows or of time.

    `data` is a file (CSV or JSON lines), "-" for standard input, or a frame; `reference` a file, a frame or a
    Confusion of rows that are known to be good. With labels every class rate is tested (`Watch`); with
    `unlabelled=True` prevalence is estimated in every block, and label shift is tested.

    >>> import steelyard as sy
    >>> watched = sy.watch("days.csv", truth="y", pred="yhat", positive="fraud", every="day")
    >>> len(watched.blocks), watched.exit_code
    (10, 0)
    """
    name = "standard input" if str(options.data) == STDIN else _called(options.data)
    known = _known(options)
    common = {key: getattr(options, key) for key in ("measures", "positive", "alpha", "alarm")}
    watched: Watch | UnlabelledWatch
    if options.unlabelled:
        assert isinstance(known, (Confusion, ScoreCounts))
        watched = UnlabelledWatch(known, seed=options.seed, source=name, **common)
    else:
        assert not isinstance(known, ScoreCounts)
        watched = Watch(known, independent=options.independent, source=name, **common)
        if isinstance(options.reference, (str, Path)):
            watched.reference_name = _called(options.reference)
    blocks = Blocks(
        options.data,
        options.every,
        truth=options.truth,
        pred=options.pred if options.score is None else options.score,
        time=options.time,
        missing=options.missing,
        follow=options.follow,
        unlabelled=options.unlabelled,
        known=[label for matrix in known or () for label in matrix.labels] if isinstance(known, list) else (),
    )

    def check(block: Block) -> None:
        counted: Any = block.values() if options.unlabelled else block.confusion()
        checked = watched.check(counted, block.start, block.end)
        if options.on_block is not None:
            options.on_block(watched, checked)

    try:
        for block in blocks:
            check(block)
    except KeyboardInterrupt:
        # Ctrl-C is how an endless stream ends.
        if not options.follow and str(options.data) != STDIN:
            raise
    rest = blocks.rest()
    if len(rest):
        check(rest)
    if not watched.blocks and not options.follow:
        raise InputError("there is nothing to watch", found="0 rows", allowed="at least one row")
    watched.notes = tuple(_notes(options, watched, blocks))
    return watched


def _known(options: Options) -> Confusion | ScoreCounts | list[Confusion] | None:
    """The reference, counted; with labels each block of it."""
    pattern = options.score if options.score is not None and "*" in options.score else None
    if options.measures and options.score is not None and pattern is None:
        raise InputError(
            "metrics of a stream are those of predicted labels",
            found=f"{parameter('measures')} with {parameter('score')}",
            do=f"give {parameter('pred')}, or leave it out",
            parameter="measures",
        )
    if options.reference is None:
        return None
    reference, truth, missing = options.reference, options.truth, options.missing
    with columns_of(_called(reference)):
        scores = AskedScores.of(None if pattern else options.score, pattern, None, None)
        if scores is not None and pattern is None:
            return read_scores(scores, reference, truth, options.positive, None, None, missing)
        # A file or a frame whose rows come in an order: its blocks show how much rates vary by themselves;
        # one matrix would hide that.
        in_order = is_frame(reference)
        if isinstance(reference, (str, Path)):
            in_order = Path(reference).is_file() and comes_row_by_row(reference)
        if in_order and not options.unlabelled:
            how: dict[str, Any] = {"truth": truth, "pred": options.pred, "time": options.time}
            blocks = Blocks(reference, options.every, missing=missing, **how)
            counted = [block.confusion() for block in blocks]
            rest = blocks.rest()
            return [*counted, *([rest.confusion()] if len(rest) else [])]
        request = ReadRequest(truth=truth, pred=options.pred, missing=missing, scores=scores)
        matrix = read(reference, None, request).matrix
        return matrix if options.unlabelled else [matrix]


def _notes(options: Options, watched: Watch | UnlabelledWatch, blocks: Blocks) -> list[str]:
    notes = [spelling_note(blocks.spelled)] if blocks.spelled else []
    if blocks.dropped:
        rows = "1 row was" if blocks.dropped == 1 else f"{blocks.dropped:,} rows were"
        notes.append(f"{rows} left out because a label is missing.")
    # A single block is its own reference, so nothing was tested; most often `every` was left at its default.
    alone = isinstance(watched, Watch) and len(watched.blocks) == 1 and not watched.given
    if alone and watched.rows >= ENOUGH_ROWS and isinstance(options.every, int):
        notes.append(
            f"Blocks of {options.every:,} rows are too large for {watched.rows:,} rows: choose smaller ones,"
            f" such as --every {max(1, watched.rows // 10)}."
        )
    return notes


def _called(data: Any) -> str:
    return Path(data).name if isinstance(data, (str, Path)) else "a frame"
