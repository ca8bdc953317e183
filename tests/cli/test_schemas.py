"""Does every command that writes JSON say what is in it, and keep to that?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import jsonschema
import jsonschema_rs
import pytest

from steelyard.cli import main
from steelyard.cli.app import app
from steelyard_papers import schemas as papers
from tests.schemas import BY_COMMAND

pytestmark = pytest.mark.usefixtures("few_samples")

ROWS = "y,yhat,p,other\n" + "".join(
    f"{'fraud' if k % 5 == 0 else 'ok'},{'fraud' if k % 7 < 2 else 'ok'},{(k % 7) / 7},{'fraud' if k % 5 < 2 else 'ok'}\n"
    for k in range(140)
)
LABELS = "y_a,y_b,p_a,p_b\n" + "".join(
    f"{k % 2},{k % 3 == 0:d},{k % 5 == 0:d},{k % 3 == 1:d}\n" for k in range(60)
)
ALIKE = ("--truth", "y", "--positive", "fraud")
DATASETS = str(Path(__file__).parents[2] / "examples" / "data" / "demsar2006.csv")
MATRIX = "[[8, 2], [3, 87]]"
CALLS = {
    "audit": ("audit", "accuracy=0.95, recall=0.8", "--sizes", "ill=10, well=90"),
    "audit, of a table": ("audit", "printed.csv", "--sizes", "ill=10, well=90"),
    "claims": ("claims", "--only", "mullick-t1d"),
    "compare": ("compare", "rows.csv", "--pred", "yhat", "--pred", "other", *ALIKE, "--draws", "200"),
    "compare, over costs and priors": (
        *("compare", "rows.csv", "--pred", "yhat", "--pred", "other", *ALIKE, "--draws", "200"),
        *("--cost", "fraud>ok=9, ok>fraud=1", "--priors-range", "fraud=0.01..0.2"),
    ),
    "compare, over data sets": ("compare", DATASETS, "--dataset", "dataset"),
    "evaluate": ("evaluate", "rows.csv", "--pred", "yhat", *ALIKE, "--cost", "fraud>ok=9, ok>fraud=1"),
    "evaluate, of scores": ("evaluate", "rows.csv", "--score", "p", *ALIKE, "--threshold", "0.5"),
    "multilabel": ("multilabel", "labels.csv", "--truth", "y_*", "--pred", "p_*"),
    "examine": ("examine", "accuracy", "--property", "prior-invariance"),
    "examine, a list": ("examine", "--list"),
    "examine, against another": ("examine", "accuracy", "--against", "error_rate"),
    "explain": ("explain", "gmean"),
    "explain,term": ("explain", "Rec^PREV"),
    "gate": (
        "gate",
        "rows.csv",
        "--truth",
        "y",
        "--pred",
        "yhat",
        "--min",
        "recall=0.1",
        "--positive",
        "fraud",
    ),
    "measures": ("measures",),
    "paper": ("paper", "mortaz2020"),
    "paper, all": ("paper",),
    "plan": ("plan", "--measure", "recall", "--width", "0.2", "--matrix", MATRIX),
    "plan, power": ("plan", "--measure", "recall", "--difference", "0.1", "--matrix", MATRIX),
    "priors": ("priors", "rows.csv", "--unlabelled", "rows.csv", "--pred", "yhat", *ALIKE),
    "sample": (
        "sample",
        "rows.csv",
        "--score",
        "p",
        "--pred",
        "yhat",
        "--positive",
        "fraud",
        "--labels",
        "30",
    ),
    "properties": ("properties", "--property", "distance"),
    "recommend": ("recommend", "--classes", "two"),
    "study list": ("study", "list"),
    "study show": ("study", "show", "skrabanek2017-gradients"),
    "threshold": (
        "threshold",
        "rows.csv",
        "--score",
        "p",
        *ALIKE,
        "--maximise",
        "gmean",
        "--replicates",
        "20",
    ),
    "watch": ("watch", "rows.csv", "--truth", "y", "--pred", "yhat", "--every", "70"),
    "watch, without labels": (
        *("watch", "rows.csv", "--unlabelled", "--reference", "rows.csv", "--truth", "y", "--pred", "yhat"),
        *("--every", "70"),
    ),
    "metrics": (
        "metrics",
        MATRIX,
        "--labels",
        "ill,well",
        "--priors",
        "0.1",
        "--relevance",
        "ill=1, well=0.5",
    ),
}
NOT_RUN = {"study run": "as `study show` shows; running one takes a minute"}


PAPERS = ("claims", "paper", "study list", "study run", "study show")


def schema_of(command):
    return papers.schema_of(command)() if command in PAPERS else BY_COMMAND[command]


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "labels.csv").write_text(LABELS)
    (tmp_path / "printed.csv").write_text("accuracy,recall\n0.95,0.8\n0.95,0.85\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("case", CALLS)
def test_what_is_written_is_what_the_schema_says(case, capsys):
    command = case.partition(",")[0]
    main([*CALLS[case], "--json"])
    written, refused = capsys.readouterr()
    assert written, refused
    check = jsonschema_rs.Draft202012Validator(schema_of(command))
    lines = written.splitlines() if command == "watch" else [written]
    for line in lines:
        check.validate(json.loads(line))


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        found = group.get_command(click.Context(group), name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from commands(found, f"{name} ")
        else:
            yield before + name, found


def test_every_command_that_writes_json_has_a_schema(capsys):
    with_json = {
        name for name, found in commands(app) if any("--json" in option.opts for option in found.params)
    }
    assert with_json == {*BY_COMMAND, *PAPERS}
    assert {case.partition(",")[0] for case in CALLS} | set(NOT_RUN) == with_json
    for name in with_json:
        assert main([*name.split(), "--json-schema"]) == 0
        schema = json.loads(capsys.readouterr().out)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema == schema_of(name)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("case", ["compare", "compare, over data sets", "plan", "plan, power"])
def test_one_form_of_a_schema_fits(case, capsys):
    """A command with two kinds of result: the field `schema` names the form."""
    main([*CALLS[case], "--json"])
    written = json.loads(capsys.readouterr().out)
    forms = BY_COMMAND[case.partition(",")[0]]["oneOf"]
    fitting = [form for form in forms if jsonschema.Draft202012Validator(form).is_valid(written)]
    assert [form["properties"]["schema"]["const"] for form in fitting] == [written["schema"]]


def test_a_schema_notices_what_is_not_said():
    described = dict.fromkeys(("measure", "assumed"), "x") | {
        "schema": "steelyard/plan/1",
        "assurance": 0.8,
        "width": 1,
        "level": 0.9,
    }
    check = jsonschema.Draft202012Validator(BY_COMMAND["plan"])
    assert check.is_valid({**described, "designs": []})
    assert not check.is_valid({**described, "designs": [], "more": 1})
