"""Write the logs of this folder with the tools themselves, in an environment that has them.

python record.py inspect|deepeval|harness|promptfoo

Written with inspect_ai 0.3.285, deepeval 4.3.1, lm_eval 0.4.13 and promptfoo 0.121.20 (Node 20.20.2). The mails and the
answers follow from their number: every fourth mail is spam, and every fifth answer is wrong. The model of
lm-evaluation-harness is its own `dummy`, whose answers are random.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WORK = HERE / "work"
MAILS = 8


def truth(number: int) -> str:
    return "spam" if number % 4 == 0 else "ham"


def answer(number: int) -> str:
    return "spam" if (number % 4 == 0) != (number % 5 == 0) else "ham"


def inspect() -> None:
    import tiktoken

    class Words:
        """Tokens are counted by a file that is fetched; words do as well."""

        def encode(self, text: str, **_: Any) -> list[str]:
            return text.split()

    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_, **__: Words()
    from inspect_ai import Task
    from inspect_ai import eval as evaluate_task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import choice, match
    from inspect_ai.solver import generate, multiple_choice

    def run(name: str, samples: list[Sample], outputs: list[str], form: Any, **how: Any) -> None:
        model = get_model(
            "mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm/model", o) for o in outputs]
        )
        task = Task(dataset=MemoryDataset(samples), name=name, **how)
        folder = WORK / f"{name}_{form}"
        (log,) = evaluate_task(
            task, model=model, log_dir=str(folder), log_format=form, display="none", max_samples=1
        )
        assert log.status == "success", log.error
        (written,) = folder.iterdir()
        shutil.copy(written, HERE / f"{name}.{form}")

    mails = [
        Sample(
            id=f"mail-{k}",
            input=f"Is mail {k} spam or ham?",
            target=truth(k),
            metadata={"document": f"doc-{k // 2}"},
        )
        for k in range(MAILS)
    ]
    replies = [answer(k) for k in range(MAILS) for _ in range(2)]  # the epochs of a sample follow each other
    replies[3] = "I cannot tell."
    how = {"solver": generate(), "scorer": match(location="exact"), "epochs": 2}
    run("inspect_mail", mails, replies * 2, "eval", **how)
    run("inspect_mail", mails[:4], replies * 2, "json", **how)
    quiz = [
        Sample(id=k, input=f"Question {k}", choices=["yes", "no", "maybe"], target="AB"[k % 2])
        for k in range(6)
    ]
    letters = [f"ANSWER: {'A' if k % 3 else 'B'}" for k in range(6)]
    run("inspect_choices", quiz, letters, "eval", solver=multiple_choice(), scorer=choice())


def deepeval() -> None:
    os.environ["DEEPEVAL_RESULTS_FOLDER"] = str(WORK / "deepeval")
    from deepeval import evaluate
    from deepeval.evaluate.configs import DisplayConfig
    from deepeval.metrics import ExactMatchMetric
    from deepeval.test_case import LLMTestCase

    cases = [
        LLMTestCase(
            name=f"mail-{k}",
            input=f"mail {k}",
            actual_output=answer(k).upper() + ".",
            expected_output=truth(k),
            additional_metadata={"topic": f"topic-{k % 2}"},
        )
        for k in range(MAILS)
    ]
    evaluate(
        cases,
        [ExactMatchMetric()],
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    (written,) = (WORK / "deepeval").glob("*.json")
    shutil.copy(written, HERE / "deepeval.json")


def harness() -> None:
    WORK.mkdir(exist_ok=True)
    rows = [{"text": f"mail {k}", "label": int(truth(k) == "spam")} for k in range(24)]
    data = WORK / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (WORK / "mail.yaml").write_text(
        f"""task: mail
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{text}}}} Spam?"
doc_to_choice: ["ham", "spam"]
doc_to_target: label
metric_list:
  - metric: acc
"""
    )
    command = ["lm_eval", "--model", "dummy", "--tasks", "mail", "--include_path", str(WORK), "--log_samples"]
    subprocess.run([*command, "--output_path", str(WORK / "harness")], check=True)
    (written,) = (WORK / "harness").rglob("samples_mail_*.jsonl")
    shutil.copy(written, HERE / "harness.jsonl")


def promptfoo() -> None:
    WORK.mkdir(exist_ok=True)
    (WORK / "rule.js").write_text(
        'module.exports = class { id() { return "rule"; } async callApi(prompt) {'
        " const k = +prompt.match(/mail (\\d+)/)[1];"
        ' return { output: (k % 4 === 0) !== (k % 5 === 0) ? "spam" : "ham" }; } };\n'
    )
    (WORK / "always.js").write_text(
        'module.exports = class { id() { return "always ham"; } async callApi() { return { output: "Ham" }; } };\n'
    )
    tests = [
        {"vars": {"mail": f"mail {k}"}, "assert": [{"type": "equals", "value": truth(k)}]}
        for k in range(MAILS)
    ]
    config = {"prompts": ["Is this spam or ham? {{mail}}"], "tests": tests}
    for name, providers, repeat in (("promptfoo", ["rule"], "2"), ("promptfoo_two", ["rule", "always"], "1")):
        config["providers"] = [f"file://{one}.js" for one in providers]
        (WORK / "config.json").write_text(json.dumps(config))
        command = [
            "promptfoo",
            "eval",
            "-c",
            "config.json",
            "--no-cache",
            "--repeat",
            repeat,
            "-o",
            f"{name}.json",
        ]
        subprocess.run(command, cwd=WORK, check=False)  # its exit code tells that some answers are wrong
        shutil.copy(WORK / f"{name}.json", HERE / f"{name}.json")


if __name__ == "__main__":
    {"inspect": inspect, "deepeval": deepeval, "harness": harness, "promptfoo": promptfoo}[sys.argv[1]]()
    shutil.rmtree(WORK, ignore_errors=True)
