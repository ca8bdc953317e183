"""Write src/steelyard/__init__.pyi: what an editor offers after `sy.`, the public names and a function for every measure."""

from __future__ import annotations

from pathlib import Path

import steelyard
from steelyard.measures.catalogue.functions import function_names

TARGET = Path(__file__).resolve().parents[1] / "src" / "steelyard" / "__init__.pyi"
HEAD = '''"""Written by tools/write_stub.py."""

from collections.abc import Iterable
from typing import Any, Final, Protocol

'''
PROTOCOL = """class _MeasureFunction(Protocol):
    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        undefined: Undefined = "nan",
        positive: Label | None = None,
        **parameters: Any,
    ) -> float: ...

"""


def stub() -> str:
    """The text of the stub."""
    homes = steelyard._HOME
    imports = [
        f"from steelyard.{home} import {name} as {name}"
        if home
        else f"from steelyard import {name} as {name}"
        for name, home in homes.items()
    ]
    imports += [
        "from steelyard.counts.labels import Label",
        "from steelyard.measures.undefined import Undefined",
    ]
    functions = [f"{name}: _MeasureFunction\n" for name in sorted(function_names()) if name not in homes]
    listed = "".join(f'    "{name}",\n' for name in steelyard.__all__)
    imported = "\n".join(sorted(imports, key=lambda line: (line.split()[1], line.split()[3].lower())))
    return (
        HEAD
        + imported
        + f"\n\n__all__ = [\n{listed}]\n__version__: Final[str]\n\n"
        + PROTOCOL
        + "".join(functions)
    )


if __name__ == "__main__":
    TARGET.write_text(stub(), encoding="utf-8")
