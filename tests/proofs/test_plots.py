"""The figures of a measure as files."""

import pytest

from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.proofs.judge import examine

ONE = ["prior-invariance"]


@pytest.mark.parametrize(("name", "fixed"), [("precision", ["prior"]), ("gmean", ["prior", "classes"])])
def test_every_figure_is_written(tmp_path, name, fixed):
    examine(measure(name), ONE).draw(str(tmp_path / "p.svg"))
    over_rates = [f"{kind}-{prior}" for kind in ("levels", "slopes") for prior in ("0_5", "0_1", "0_01")]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        f"p-{each}.svg" for each in (*over_rates, *fixed)
    )
    assert all(p.stat().st_size > 1000 for p in tmp_path.iterdir())


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match="a chart is written as SVG or PNG"):
        examine(measure("gmean"), ONE).draw(str(tmp_path / "p.bmp"))
    assert list(tmp_path.iterdir()) == []
