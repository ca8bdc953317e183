"""Does a user's script end without a word on standard error?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = {
    "count": "sy.count('p.csv', truth='y', pred='a', by='s', weight='w')",
    "evaluate a file": "sy.evaluate('p.csv', truth='y', pred='a', positive='x')",
    "evaluate scores of a file": "sy.evaluate('p.csv', truth='y', score='w', positive='x', threshold=2)",
    "count a relation": "import duckdb; sy.count(duckdb.read_csv('p.csv'), truth='y', pred='a', weight='w')",
    "evaluate a relation": "import duckdb; sy.evaluate(duckdb.read_csv('p.csv'), truth='y', pred='a', positive='x')",
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=list(SCRIPTS))
def test_a_script_ends_silently(script: str, tmp_path: Path) -> None:
    """DuckDB 2.0 reports every object of its own that is still held when the interpreter ends."""
    (tmp_path / "p.csv").write_text("y,a,s,w\nx,x,1,1\nx,o,2,2\no,o,1,1\no,x,1,3\no,o,2,1\n")
    done = subprocess.run(
        [sys.executable, "-c", f"import steelyard as sy; {script}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
