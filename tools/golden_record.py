"""Golden record: ask a tree of Steelyard for everything that `tools/golden.py` compares.

Only the command line and public names are used, so that trees whose insides differ can be asked alike.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import types
import warnings
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.cli import main

HERE = Path(__file__).resolve().parent
POLICIES = ("nan", "skip", 0.0, 1.0)
OPERATORS: dict[str, list[list[Any]]] = {
    "balanced": [[]],
    "normalised": [[]],
    "at_priors": [[0.1], [[0.2, 0.3, 0.5]]],
    "iba": [[0.05], [1.0]],
    "weighted_by": [[[1, 0.5]], [[1, 0.5, 0.25]]],
    "one_versus_all": [["macro"], ["micro"], ["prevalence"]],
    "one_versus_one": [["macro"], ["prevalence"]],
}
NODE = """const ask = JSON.parse(require("fs").readFileSync(0)), answers = {};
const value = (f, rows) => { try { return f(rows); } catch (error) { return String(error); } };  // NaN is null
for (const [key, text] of Object.entries(ask.scripts))
  answers[key] = text[0] === "(" ? ask.matrices[key.at(-1)].map((rows) => value(eval(text), rows)) : text;
console.log(JSON.stringify(answers));"""


def write_files() -> None:
    """The bundled data and small files for the commands, into the working folder."""
    draw, classes = random.Random(7), ("ham", "spam", "phishing")
    mail, scenes = ["id,y,yhat,other,w,p_ham,p_spam,p_phishing"], ["y_sea,y_sky,y_tree,q_sea,q_sky,q_tree"]
    for i in range(400):
        truth = draw.choices(classes, (80, 15, 5))[0]
        points = [draw.randint(1, 20) + 40 * (name == truth) * (draw.random() < 0.8) for name in classes]
        p = [round(of / sum(points), 3) for of in points[:2]]
        guess, other = classes[points.index(max(points))], draw.choices((truth, "ham"), (9, 2))[0]
        mail.append(f"{i},{truth},{guess},{other},{i % 4 + 1},{p[0]},{p[1]},{1 - sum(p):.3f}")
        present = [int(draw.random() < share) for share in (0.5, 0.2, 0.02)]
        scenes.append(
            ",".join(str(int(v)) for v in [*present, *(v ^ (draw.random() < 0.15) for v in present)])
        )
    rows = [line.split(",") for line in mail]
    files = {
        file.name: file.read_text().splitlines() for file in (HERE.parent / "examples/data").glob("*.csv")
    }
    files |= {
        "mail.csv": mail,
        "scenes.csv": scenes,
        "gaps.csv": ["y,yhat", *("a,b" if i % 5 else "a,a" for i in range(30)), "b,b", "b,", ",a", "b,b"],
        "one.csv": [",".join(row[:3]) for row in rows],
        "two.csv": ["id,y,yhat", *(",".join((*row[:2], row[3])) for row in reversed(rows[1:]))],
        "rules.toml": ["[gate.min]", "gmean = 0.5", '"recall[spam]" = 0.6', "[gate.max]", "error_rate = 0.3"],
        "table.csv": ["name,accuracy,recall", "first,0.9,0.8", "second,0.95,0.33"],
        "metric.py": [
            "def recall(m):",
            "    return sum(m[i][i] / sum(m[i]) for i in range(len(m))) / len(m)",
        ],
    }
    for name, lines in files.items():
        Path(name).write_text("\n".join(lines) + "\n")


def run(line: str, *more: str) -> tuple[int, str]:
    """Exit code and output of one command, in this process: its entry point ends the process that calls it."""
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main([*shlex.split(line), *more])
    return code, raw.getvalue().decode()


def command_options() -> dict[str, list[str]]:
    """The options that the help of each command names."""
    names = re.findall(r"^  ([a-z]+)  ", run("--help")[1].split("Commands:")[1], re.M)
    commands = [*names, "study list", "study run", "study show"]
    return {name: sorted(set(re.findall(r"--[a-z][a-z-]+", run(name, "--help")[1]))) for name in commands}


def command_outputs(options: dict[str, list[str]]) -> dict[str, Any]:
    """Exit code, terminal text, JSON and Markdown of every command in golden_commands.txt."""
    outputs: dict[str, dict[str, Any]] = {}
    for line in (HERE / "golden_commands.txt").read_text().splitlines():
        command = " ".join(line.split()[: 2 if line.startswith("study") else 1])
        forms = [form for form in ("json", "markdown") if f"--{form}" in options.get(command, ())]
        for form in forms:
            Path(form).unlink(missing_ok=True)
        code, text = run(line, *(f"--{form}={form}" for form in forms))
        outputs[line] = {"exit code": code, "terminal": text}
        outputs[line] |= {form: Path(form).read_text() for form in forms if Path(form).exists()}
        if document := outputs[line].get("json"):  # watch writes an object a line
            lines = document.splitlines() if command == "watch" else [document]
            outputs[line]["json"] = [json.loads(one) for one in lines]
    return outputs


def public_api() -> dict[str, dict[str, str]]:
    """Public names, with those of public modules and members of classes: parameters and their defaults."""
    described: dict[str, dict[str, str]] = {}
    modules = [sy, *(v for name in sy.__all__ if isinstance(v := getattr(sy, name), types.ModuleType))]
    named = {
        f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in module.__all__
    }
    for place, value in list(named.items()):
        members = [name for name in dir(value) if name[0] != "_"] if inspect.isclass(value) else []
        named |= {f"{place}.{name}": getattr(value, name) for name in members}
    for place, value in named.items():
        described[place] = {}
        with contextlib.suppress(TypeError, ValueError):  # not callable, or a class of exceptions
            for parameter in inspect.signature(value).parameters.values():
                described[place][parameter.name] = re.sub(r" at 0x\w+", "", repr(parameter.default))
    return described


def verdicts() -> dict[str, str]:
    """The grade of every filed verdict, for all C together and for each C, and of every claim."""
    grades: dict[str, str] = {}
    for row in json.loads(run("properties --wide --json")[1]):
        for verdict in row["verdicts"]:
            key = f"{verdict['measure']} {verdict['property']}"
            grades |= {f"{key} C={at['n_classes']}": at["grade"] for at in verdict["at"]}
            certified = "certified" if verdict["certified"] else "no certificate"
            grades |= {key: verdict["grade"], f"{key} certificate": certified}
    return grades | {claim["id"]: claim["verdict"] for claim in json.loads(run("claims --json")[1])}


def recipes() -> list[Any]:
    """Every catalogue measure, and 300 random compositions of operators, one to three deep."""
    draw, ids = random.Random(30), sorted(m.id for m in sy.catalogue("all", wide=True))
    composed: dict[str, Any] = {}
    while len(composed) < 300:
        recipe: Any = draw.choice(ids)
        for _ in range(draw.randint(1, 3)):
            operator = draw.choice(list(OPERATORS))
            recipe = [operator, recipe, *draw.choice(OPERATORS[operator])]
        if not isinstance(attempt(build, recipe), str):
            composed[json.dumps(recipe)] = recipe
    return [*ids, *composed.values()]


def build(recipe: Any) -> Any:
    """The measure of a recipe: a catalogue id, or [operator, recipe, argument ...]."""
    return (
        sy.measure(recipe)
        if isinstance(recipe, str)
        else getattr(sy, recipe[0])(build(recipe[1]), *recipe[2:])
    )


def attempt(function: Any, *arguments: Any, **named: Any) -> Any:
    """The answer in a form that JSON holds, or what the refusal says."""
    try:
        answer = function(*arguments, **named)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(answer, Fraction):
        numerator, denominator = Decimal(answer.numerator), Decimal(answer.denominator)
        return {"fraction": str(Context(prec=40).divide(numerator, denominator))}
    return answer.tolist() if isinstance(answer, np.ndarray | np.generic) else answer


def matrices() -> dict[str, Any]:
    """Fixed batches of matrices of 2 to 6 classes: zeros, weights, huge counts."""
    draw, batches = np.random.default_rng(29), {}
    for c in range(2, 7):
        batch = batches[str(c)] = draw.integers(0, 60, (9, c, c)).astype(float)
        batch[1] = np.diag(np.arange(c) + 1.0)
        batch[2, 0] = 0  # a class without examples
        batch[3, :, -1] = 0  # a class never predicted
        batch[4] = 0
        batch[5] *= 1e12
        batch[6] *= draw.random((c, c))  # weights
        batch[7, :, 1:] = 0  # one class predicted always
        batch[8] *= draw.random((c, c)) < 0.5
    return batches


def score_sets() -> dict[str, Any]:
    """Scores with ties and weights, all alike, perfect, of one class, and probabilities of three classes."""
    draw = np.random.default_rng(31)
    truth, three = (draw.random(200) < 0.1).astype(int), draw.dirichlet([1, 1, 1], 90)
    score = np.round(0.3 * truth + draw.random(200) * 0.7, 2)
    classes = [int(draw.choice(3, p=p)) for p in three]
    count = sy.ScoreCounts.from_scores
    return {
        "ties": count(truth, score, 1),
        "weights": count(truth, score, 1, sample_weight=draw.random(200)),
        "constant": count(truth, np.full(200, 0.5), 1),
        "perfect": count(truth, 0.2 + 0.5 * truth, 1),
        "one class": count([1, 1, 1], [0.1, 0.2, 0.3], 1, [0, 1]),
        "three classes": count(classes, three, labels=[0, 1, 2]),
    }


def values(asked: list[Any]) -> dict[str, Any]:
    """Values of every recipe under each undefined policy, exact values, reasons, and what node computes."""
    answers: dict[str, Any] = {}
    scripts, batches, scores = {}, matrices(), score_sets()
    for recipe in asked:
        name = recipe if isinstance(recipe, str) else json.dumps(recipe)
        m = attempt(build, recipe)
        answers[name] = of = {"measure": m if isinstance(m, str) else [m.kind, m.better, m.name]}
        if of["measure"] == m:
            continue
        if m.kind == "scores":
            pairs = [(key, policy) for key in scores for policy in (*POLICIES, "raise")]
            of |= {f"{key} {policy}": attempt(m, scores[key], undefined=policy) for key, policy in pairs}
            continue
        for c, batch in batches.items():
            for policy in POLICIES:
                of[f"{c} {policy}"] = attempt(m, batch, undefined=policy, positive="c1")
            of[f"{c} raise"] = [attempt(m, one, undefined="raise", positive="c1") for one in batch]
            of[f"{c} why"] = attempt(m.why_undefined, batch, positive="c1")
            of[f"{c} exact"] = [attempt(m.exact, one, positive="c1") for one in batch]
            labels = [f"c{i + 1}" for i in range(int(c))]
            scripts[f"{name}\n{c}"] = attempt(m.to_javascript, labels=labels, positive="c1")
    ask = json.dumps({"scripts": scripts, "matrices": {c: batch.tolist() for c, batch in batches.items()}})
    node = subprocess.run(["node", "-e", NODE], input=ask, capture_output=True, text=True, check=True)
    for key, computed in json.loads(node.stdout).items():
        name, c = key.split("\n")
        answers[name][f"{c} javascript"] = computed
    return answers


def record(asked: list[Any] | None = None) -> dict[str, Any]:
    """Everything that is compared; `asked` are the recipes of an older record, so that both answer the same."""
    print(f"asking {Path(sy.__file__).parent}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ |= {"STEELYARD_CACHE": f"{folder}/cache", "COLUMNS": "100"}
        os.environ["PYTHONPATH"] = str(Path(sy.__file__).resolve().parents[1])  # for processes it starts
        write_files()
        options, asked = command_options(), asked or recipes()
        answers: dict[str, Any] = {
            "options": options,
            "outputs": command_outputs(options),
            "verdicts": verdicts(),
        }
        answers |= {"api": public_api(), "recipes": asked, "values": values(asked)}
    plain: dict[str, Any] = json.loads(json.dumps(answers))
    return plain
