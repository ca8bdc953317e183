"""The static pictures are written, all or none."""

import pytest

from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.proofs import figures
from steelyard.proofs.portrait import portrait_of
from steelyard.proofs.prover.subject import Subject


@pytest.mark.parametrize("name", ["precision", "gmean"])
def test_all_pictures_are_written(tmp_path, name):
    figures.draw_measure(portrait_of(Subject(measure(name))), name, str(tmp_path / "p.svg"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p-behaviour.svg", "p-gradient.svg", "p.svg"]
    assert all(p.stat().st_size > 1000 for p in tmp_path.iterdir())


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match="no known format"):
        figures.draw_measure(portrait_of(Subject(measure("gmean"))), "gmean", str(tmp_path / "p.bmp"))
    assert list(tmp_path.iterdir()) == []
