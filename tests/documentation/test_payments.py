"""The bundled payments are what the script that came with them makes."""

from __future__ import annotations

import importlib.util

import pytest

from tests.documentation.conftest import ROOT

_spec = importlib.util.spec_from_file_location("make_payments", ROOT / "examples" / "make_payments.py")
assert _spec is not None
assert _spec.loader is not None
made = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made)


@pytest.mark.parametrize("name", made.FILES)
def test_the_script_makes_the_bundled_files(name: str) -> None:
    assert made.payments(*made.FILES[name]) == (ROOT / "examples" / "data" / name).read_text(encoding="utf-8")
