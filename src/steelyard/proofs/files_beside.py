"""Which plain files beside a measure does it import from, so that they can be read with it?

Only `from name import ...` of a file in the same folder is followed, and only where nothing else in Python
goes by that name: what is read is then what is run. Everything else that a file imports stays a black box.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

MOST_FILES = 20
LARGEST = 1_000_000
"""Bytes of a file."""


def texts_beside(path: Path, text: bytes) -> dict[str, bytes]:
    """The texts of the files beside it that a file imports from, and of those that they import from."""
    found: dict[str, bytes] = {}
    waiting = [text]
    while waiting and len(found) < MOST_FILES:
        for module in _imported(waiting.pop()):
            if (
                module not in found
                and module != path.stem
                and (file := _plain_file(path, module)) is not None
            ):
                found[module] = file.read_bytes()
                waiting.append(found[module])
    return found


def _imported(text: bytes) -> list[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        statement.module
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom)
        and not statement.level
        and statement.module is not None
        and statement.module.isidentifier()
    ]


def _plain_file(path: Path, module: str) -> Path | None:
    """The file beside it, if nothing else can be meant by the name."""
    folder = path.resolve().parent
    file = folder / f"{module}.py"
    others = [entry for entry in folder.glob(f"{module}.*") if entry.suffix in (".so", ".pyd")]
    if not file.is_file() or file.is_symlink() or (folder / module).exists() or others:
        return None
    if module in sys.stdlib_module_names or module in sys.builtin_module_names:
        return None
    try:
        known = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    elsewhere = known is not None and (known.origin is None or Path(known.origin).resolve() != file)
    return None if elsewhere or file.stat().st_size > LARGEST else file


class FromText:
    """Loads the files beside a measure from the very text that was read: no compiled copy of them, and no
    other file of the name, is run in their place."""

    def __init__(self, texts: Mapping[str, bytes], folder: Path) -> None:
        self.texts, self.folder = texts, folder

    def find_spec(
        self, name: str, path: object = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.texts:
            return None
        spec = ModuleSpec(name, self, origin=str(self.folder / f"{name}.py"))  # type: ignore[arg-type]
        spec.has_location = True  # the module knows its file, as one that is imported does
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        code = compile(self.texts[name], str(self.folder / f"{name}.py"), "exec", dont_inherit=True)
        exec(code, module.__dict__)
