"""Every kind of page that a command writes, with the names that a test asks for."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.cli import main
from tests.few_samples import OF_SCORES, drawing_few_samples

ROOT = Path(__file__).resolve().parents[2]
SMALL_CLAIMS = ("mullick-t4p", "mullick-t1c", "mortaz-t2")
"""Claims that are decided at once: proved, refuted."""


@dataclass(frozen=True)
class Names:
    """What a user called things."""

    rare: str = "fraud"
    usual: str = "ok"
    more: tuple[str, ...] = ("building float", "building not float", "vehicle", "containers", "headlamps")
    models: tuple[str, str] = ("lightgbm", "logistic_regression")
    file: str = "predictions"
    slices: tuple[str, str] = ("shop", "online")


PLAIN = Names()


def scored(path: Path, names: Names, rows: int = 4000, seed: int = 3) -> Path:
    """Rows of two classes of which one is rare, with a score and two models' calls."""
    random = np.random.default_rng(seed)
    rare = random.random(rows) < 0.04
    score = 1 / (1 + np.exp(-(random.normal(size=rows) * 1.3 + 2.6 * rare - 3)))
    other = 1 / (1 + np.exp(-(random.normal(size=rows) * 1.3 + 1.6 * rare - 3)))
    said = (names.usual, names.rare)
    return table(
        path,
        ("truth", "p", *names.models, "where"),
        (
            (
                said[int(t)],
                f"{s:.4f}",
                said[int(s >= 0.3)],
                said[int(o >= 0.3)],
                names.slices[int(random.random() < 0.3)],
            )
            for t, s, o in zip(rare, score, other, strict=True)
        ),
    )


def many(path: Path, names: Names, rows: int = 600) -> Path:
    """Rows of several classes, unequally frequent."""
    random = np.random.default_rng(5)
    classes = (names.usual, *names.more, names.rare)
    shares = 0.5 ** np.arange(1, len(classes) + 1)
    truth = random.choice(len(classes), size=rows, p=shares / shares.sum())
    calls = [
        np.where(random.random(rows) < p, truth, random.integers(len(classes), size=rows)) for p in (0.8, 0.6)
    ]
    return table(
        path,
        ("truth", *names.models),
        ([classes[k] for k in row] for row in zip(truth.tolist(), *(c.tolist() for c in calls), strict=True)),
    )


def stream(path: Path, names: Names) -> Path:
    """Blocks of which the last ones find less and hold more of the rare class."""
    random = np.random.default_rng(9)
    rows: list[tuple[str, str]] = []
    for block in range(8):
        rare = random.random(1000) < (0.03 if block < 5 else 0.06)
        found = np.where(rare, random.random(1000) < (0.8 if block < 6 else 0.45), random.random(1000) < 0.02)
        rows += [
            ((names.usual, names.rare)[int(t)], (names.usual, names.rare)[int(c)])
            for t, c in zip(rare, found, strict=True)
        ]
    return table(path, ("truth", "pred"), rows)


def table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def every_page(folder: Path, names: Names = PLAIN) -> dict[str, list[str]]:
    """The command that writes each kind of page, without its last word."""
    two = str(scored(folder / f"{names.file} of two.csv", names))
    several = str(many(folder / f"{names.file} of many.csv", names))
    blocks = str(stream(folder / f"{names.file} of days.csv", names))
    one, other = names.models
    rare = ["--positive", names.rare]
    calls = ["--truth", "truth", "--pred"]
    quick = ["--draws", "500"]
    return {
        "evaluate": ["evaluate", two, *calls, one, *rare, "--slice", "where", *quick],
        "evaluate-scores": ["evaluate", two, "--truth", "truth", "--score", "p", "--threshold", "0.3", *rare, *quick, "--priors", "0.001"],
        "evaluate-many": ["evaluate", several, *calls, one, *quick],
        "compare": ["compare", two, *calls, one, "--pred", other, *rare, *quick],
        "compare-many": ["compare", several, *calls, one, "--pred", other, *quick],
        "threshold": ["threshold", two, "--truth", "truth", "--score", "p", *rare, "--replicates", "20"],
        "watch": ["watch", blocks, "--truth", "truth", "--pred", "pred", "--every", "1000", *rare],
        "priors": ["priors", two, "--unlabelled", two, "--truth", "truth", "--pred", one, *rare, *quick],
        "recommend": ["recommend", "--no-ask", "--data", two, *calls, one, "--priors-change", "--full"],
        "gate": ["gate", two, *calls, one, *rare, "--min", f"recall[{names.rare}]=0.5", "--min", "gmean=0.7", "--max", "error_rate=0.2"],
        "plan": ["plan", "--measure", "gmean", "--width", "0.05"],
        "audit": ["audit", "accuracy=0.9567, recall=0.8545, specificity=0.9734", "--sizes", f"{plainly(names.rare)}=100,{plainly(names.usual)}=200"],
        "metrics": ["metrics", "[[90, 10], [30, 870]]", "--labels", f"{plainly(names.rare)},{plainly(names.usual)}", "--positive", plainly(names.rare)],
        "claims": ["claims", *(f"--only={name}" for name in SMALL_CLAIMS)],
        "properties": ["properties"],
        "examine": ["examine", "precision", "--property", "prior-invariance"],
        "examine-own": ["examine", "tp / (tp + fp)"],
        "measures": ["measures"],
        "explain": ["explain", "CBA"],
        "study": ["study", "show", "mortaz2020-selection"],
        "studies": ["study", "list"],
        "studio": ["studio"],
    }  # fmt: skip


def plainly(name: str) -> str:
    """Without the marks that separate names on a command line."""
    return name.replace(",", "").replace("=", "").strip()


def write(kind: str, command: list[str], folder: Path, run: Callable[[list[str]], int] = main) -> Path:
    """The page of this kind."""
    target = folder / f"{kind}.html"
    written = ["--out", str(target), "--no-open"] if kind == "studio" else ["--html", str(target)]
    with drawing_few_samples(OF_SCORES):
        code = run([*command, *written])
    assert code in (0, 1), (kind, code)
    return target
