"""What a person sees first: the terminal's answer at 80 columns."""

import contextlib
import csv
import os
import tempfile
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

from steelyard.cli.app import app
from tests.judgement.first_screens.cases import Case


def screen(case: Case, command: str) -> str:
    """The terminal's answer to evaluate or compare."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        patch.dict(os.environ, COLUMNS="80"),
    ):
        path = Path("predictions.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["truth", *case.models])
            writer.writerows(zip(case.truth, *case.models.values(), strict=True))
        arguments = [command, str(path), "--truth", "truth"]
        arguments += [
            part
            for model in list(case.models)[: 1 if command == "evaluate" else 2]
            for part in ("--pred", model)
        ]
        arguments += ["--positive", case.positive] if case.positive is not None else []
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout
