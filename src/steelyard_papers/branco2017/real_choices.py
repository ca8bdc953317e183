"""Model choices of the measures on the real data sets, with bootstrap confidence (branco2017, 5.1)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard_papers.branco2017.learners import LEARNERS
from steelyard_papers.branco2017.printed import BASES, EXISTING, EXPERIMENTS, MECHANISMS
from steelyard_papers.branco2017.relevance_based import WEIGHTED
from steelyard_papers.experiment import Answer, Conclusion, Results, ResultTable
from steelyard_papers.outputs import COLOURS, MARKERS, new_figure

Array = NDArray[Any]

# The sixteen sets with the orders and scores of their classes.
ORDERS: dict[str, dict[str, Any]] = EXPERIMENTS["real"]
# Share of bootstrap resamples from which a choice counts as certain.
SURE = 0.95
AS_MEANT = "TO as meant"


class Choice(NamedTuple):
    """What a relevance-based measure and its original choose on a set, over the repetitions."""

    set: str
    base: str
    mechanism: str
    original: str
    """The learners that are best by the original."""
    relevant: str
    """The learners that are best by the relevance-based measure."""
    parted: float
    """Part of the draws in which no learner is best by both."""
    sure: float
    """Part of the draws in which the chosen learner is the best by the relevance-based measure."""
    same_in_all: bool
    """Do all repetitions of the cross-validation choose the same learner by it?"""


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    agreements = {
        name: [results[f"{name.replace(' ', '-')}-{r}"] for r in range(parameters["repetitions"])]
        for name in parameters["sets"]
    }
    choices = [choice for name, runs in agreements.items() for choice in _choices(name, runs)]
    sixteen = [choice for choice in choices if choice.set in ORDERS and choice.mechanism != AS_MEANT]
    return Conclusion(
        findings=(_differ(sixteen), _assessed(sixteen), _orders(parameters["sets"])),
        tables=(
            _by_mechanism(sixteen),
            _by_set(sixteen),
            _wines(choices),
            ResultTable(
                name="choices",
                title="What each relevance-based measure and its original choose",
                columns=Choice._fields,
                rows=choices,
                shown=False,
            ),
            ResultTable(
                name="values",
                title="The measures, mean of the repetitions",
                columns=("set", "measure", *LEARNERS, *(f"{learner} best in" for learner in LEARNERS)),
                rows=[row for name, runs in agreements.items() for row in _values(name, runs)],
                shown=False,
            ),
        ),
        notes=_notes(choices, agreements),
    )


def _mean(runs: Sequence[Mapping[str, Any]], what: str, name: str) -> Array:
    return np.asarray(np.mean([run[what][name] for run in runs], axis=0))


def _chosen(values: Array) -> str:
    return " = ".join(np.array(LEARNERS)[np.isclose(values, values.max(), rtol=0, atol=1e-9)])


def _choices(name: str, runs: Sequence[Mapping[str, Any]]) -> list[Choice]:
    choices = []
    for weighted in runs[0]["parted"]:
        base, _, mechanism = weighted.partition("^")
        values = _mean(runs, "values", weighted)
        each = {_chosen(np.array(run["values"][weighted])) for run in runs}
        choices.append(
            Choice(
                set=name,
                base=base,
                mechanism=mechanism,
                original=_chosen(_mean(runs, "values", WEIGHTED[base])),
                relevant=_chosen(values),
                parted=round(float(_mean(runs, "parted", weighted)), 4),
                sure=round(float(_mean(runs, "best", weighted)[int(values.argmax())]), 4),
                same_in_all=len(each) == 1,
            )
        )
    return choices


def _other(choice: Choice) -> bool:
    """Do the two choose different learners? A shared best one is no difference."""
    return not set(choice.original.split(" = ")) & set(choice.relevant.split(" = "))


def _values(name: str, runs: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (
            name,
            metric,
            *(round(float(v), 4) for v in _mean(runs, "values", metric)),
            *(round(float(p), 3) for p in _mean(runs, "best", metric)),
        )
        for metric in runs[0]["values"]
    ]


def _differ(choices: Sequence[Choice]) -> Answer:
    other = [choice for choice in choices if _other(choice)]
    sure = [choice for choice in other if choice.parted >= SURE]
    sets = list(dict.fromkeys(choice.set for choice in sure))
    survives = sum(choice.same_in_all for choice in other)
    return Answer(
        claim_id="branco-r1",
        reproduced=bool(sure),
        paper_figure="differences in the results are observed (no figures printed)",
        our_figure=(
            f"another model chosen in {len(other)} of {len(choices)} comparisons; in {len(sure)} of them with"
            f" {SURE:.0%} of redrawn test sets or more"
        ),
        words=(
            f"Sure on: {', '.join(sets) or 'no set'}. Where another model is chosen, the second"
            f" cross-validation makes the same choice in {survives} of {len(other)} comparisons. Beforehand"
            f" it was settled that one choice that parts in {SURE:.0%} of the draws is enough: values differ"
            " wherever weights do, and what a user notices is another model."
        ),
    )


def _assessed(choices: Sequence[Choice]) -> Answer:
    """The user's own scores are the fullest statement of preferences there is: take their choice as the
    yardstick."""
    by_scores = {(c.set, c.base): c for c in choices if c.mechanism == "phi"}
    firm = {key: c for key, c in by_scores.items() if c.sure >= SURE}
    agree = _agreement(choices, firm)
    return Answer(
        claim_id="branco-r2",
        reproduced=len(firm) < len(by_scores) / 2,
        paper_figure="not possible to assess",
        our_figure=(
            f"the user's own scores choose a model surely in {len(firm)} of {len(by_scores)} cases; there the"
            " same model is chosen by " + ", ".join(f"{name} in {count}" for name, count in agree.items())
        ),
        words=(
            "What the user wants is stated in the scores phi, so the model chosen by phi is a yardstick for"
            " measures that know less: the originals, PREV, PO and TO. It is firm where the choice by phi"
            f" survives {SURE:.0%} of redrawn test sets, and beforehand it was settled that agreement counts"
            " as assessable when that is so in half of the cases. What remains open is whether phi itself is"
            " what the user wants."
        ),
    )


def _agreement(choices: Sequence[Choice], firm: Mapping[tuple[str, str], Choice]) -> dict[str, int]:
    """In how many of the firm cases does each mechanism, and the original, choose what the scores choose?"""
    agree = {"the originals": sum(not _other(choice) for choice in firm.values())}
    for mechanism in ("PREV", "PO", "TO"):
        agree[mechanism] = sum(
            c.relevant == firm[c.set, c.base].relevant
            for c in choices
            if c.mechanism == mechanism and (c.set, c.base) in firm
        )
    return agree


def _orders(sets: Sequence[str]) -> Answer:
    """Does every total order put the classes as their scores do?"""
    ordered = [name for name in sets if name in ORDERS]
    against = [name for name in ordered if not _follows(ORDERS[name]["TO"], ORDERS[name]["phi"])]
    partial = [name for name in ordered if not _follows(ORDERS[name]["PO"], ORDERS[name]["phi"])]
    return Answer(
        claim_id="branco-r3",
        reproduced=not against and not partial,
        paper_figure="orders and scores of the extra material",
        our_figure=(
            f"partial orders agree on {len(ordered) - len(partial)} of {len(ordered)} sets, total orders on"
            f" {len(ordered) - len(against)}"
        ),
        words=(
            f"Against their scores: {', '.join(against)}. There the rarest qualities have the highest scores"
            " and come last in the total order, which looks like an order written the other way round. Both"
            " orders are run, as coded and as meant."
            if against
            else "All orders agree with the scores."
        ),
    )


def _follows(order: str, phi: Mapping[str, float]) -> bool:
    chains = [clause.split(" < ") for clause in order.split(", ")]
    return all(phi[less] <= phi[more] for chain in chains for less, more in itertools.pairwise(chain))


def _by_mechanism(choices: Sequence[Choice]) -> ResultTable:
    rows = []
    for mechanism in MECHANISMS:
        for base in BASES:
            matching = [c for c in choices if c.mechanism == mechanism and c.base == base]
            other = [c for c in matching if _other(c)]
            rows.append(
                (
                    f"{base}^{mechanism}",
                    len(other),
                    sum(c.parted >= SURE for c in other),
                    round(float(np.mean([c.parted for c in matching])), 3) if matching else None,
                    sum(c.sure >= SURE for c in matching),
                )
            )
    return ResultTable(
        name="by-measure",
        title="Sets on which a relevance-based measure chooses another model than its original",
        columns=(
            "measure",
            "sets",
            "of these surely",
            "resamples with different choices",
            "sets with a sure choice",
        ),
        rows=rows,
    )


def _by_set(choices: Sequence[Choice]) -> ResultTable:
    rows = []
    for name in dict.fromkeys(c.set for c in choices):
        of_set = [c for c in choices if c.set == name]
        other = [c for c in of_set if _other(c)]
        listed = "; ".join(f"{c.base}^{c.mechanism}: {c.relevant} ({c.parted:.2f})" for c in other)
        chosen = ", ".join(dict.fromkeys(c.original for c in of_set))
        rows.append((name, chosen, len(other), sum(c.parted >= SURE for c in other), listed))
    return ResultTable(
        name="by-set",
        title=("By set: choice of the originals, and where a relevance-based measure chooses another model"),
        columns=(
            "set",
            "originals choose",
            "otherwise",
            "surely",
            "which (share of resamples with different choices)",
        ),
        rows=rows,
    )


def _wines(choices: Sequence[Choice]) -> ResultTable:
    by_key = {(c.set, c.base, c.mechanism): c for c in choices}
    rows = []
    for choice in choices:
        if choice.mechanism == AS_MEANT:
            coded = by_key[choice.set, choice.base, "TO"]
            scores = by_key[choice.set, choice.base, "phi"]
            winners = [f"{c.relevant} ({c.sure:.2f})" for c in (coded, choice, scores)]
            rows.append((choice.set, choice.base, choice.original, *winners))
    return ResultTable(
        name="wines",
        title=(
            "The wine sets: total order as coded and reversed (chosen model, share of resamples"
            " in which it is best)"
        ),
        columns=("set", "measure", "original", "TO as coded", AS_MEANT, "phi"),
        rows=rows,
    )


def _notes(
    choices: Sequence[Choice], agreements: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[str, ...]:
    notes = []
    if "glass" in agreements and "glass without Id" in agreements:
        with_id, without_id = (
            ", ".join(
                f"{learner} {value:.2f}"
                for learner, value in zip(LEARNERS, _mean(agreements[name], "values", "Rec_M"), strict=True)
            )
            for name in ("glass", "glass without Id")
        )
        notes.append(
            "glass was used with its running number, which orders the rows by class and gives the class"
            f" away: Rec_M is {with_id} with it and {without_id} without it."
        )
    repeated = [choice for choice in choices if choice.same_in_all]
    notes.append(
        "Over all comparisons the repetitions of the cross-validation choose the same model in"
        f" {len(repeated)} of {len(choices)}."
    )
    return tuple(notes)


def draw_values(tables: Mapping[str, ResultTable]) -> Any:
    """Every measure on every set, one panel a set."""
    names = [*EXISTING, *(f"{base}^{mechanism}" for mechanism in MECHANISMS for base in BASES)]
    rows = {(row[0], row[1]): row for row in tables["values"].rows}
    sets = [name for name in dict.fromkeys(row[0] for row in tables["values"].rows) if name in ORDERS]
    figure, axes = new_figure(
        20, 3.1 * -(-len(sets) // 4) + 1, -(-len(sets) // 4), min(4, len(sets)), sharey=True, sharex=True
    )
    for ax, name in zip(axes.flat, sets, strict=False):
        for k, learner in enumerate(LEARNERS):
            values = [rows[name, metric][2 + k] for metric in names]
            ax.plot(range(len(names)), values, MARKERS[k], color=COLOURS[k], markersize=3, label=learner)
        for edge in (12.5, 17.5, 22.5, 27.5):
            ax.axvline(edge, color="#cccccc", linewidth=0.8)
        ax.set_xticks(range(len(names)), names, fontsize=6, rotation=90)
        ax.set_title(name, fontsize=9)
        ax.grid(axis="y", alpha=0.3)
    axes[0][0].legend(frameon=False, fontsize=7)
    return figure


def draw_parted(tables: Mapping[str, ResultTable]) -> Any:
    """How often choices part, by set and relevance-based measure."""
    shown = [Choice(*row) for row in tables["choices"].rows]
    shown = [choice for choice in shown if choice.set in ORDERS and choice.mechanism in MECHANISMS]
    sets = list(dict.fromkeys(choice.set for choice in shown))
    names = [f"{base}^{mechanism}" for mechanism in MECHANISMS for base in BASES]
    shares = np.zeros((len(sets), len(names)))
    figure, axes = new_figure(11, 0.36 * len(sets) + 1.8)
    ax = axes[0][0]
    for choice in shown:
        place = sets.index(choice.set), names.index(f"{choice.base}^{choice.mechanism}")
        shares[place] = choice.parted
        if _other(choice):
            ax.plot(place[1], place[0], "o", color="#d55e00", markersize=4)
    image = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=8)
    ax.set_yticks(range(len(sets)), sets, fontsize=8)
    figure.colorbar(image, ax=ax, label="share of resamples with different choices")
    return figure
