"""Import cycles between modules of the packages in src, and folders with too many modules.

    python -m tools.cycles

Lazy and type-only imports count: a reader meets both modules wherever the import stands. Exit code 1 if any.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
MOST_MODULES = 25


def modules() -> dict[str, Path]:
    """Every module of src by its dotted name."""
    paths = sorted(SOURCE.rglob("*.py"))
    dotted = (".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in paths)
    return {name.removesuffix(".__init__"): path for name, path in zip(dotted, paths, strict=True)}


def imported(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of src that a module imports, wherever the statement stands."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            base = ".".join(part for part in (start, node.module) if part)
            # `from package import module` imports the module; what else it names lies in the package itself.
            names = [inner if (inner := f"{base}.{alias.name}") in known else base for alias in node.names]
        else:
            continue
        yield from (other for other in names if other in known and other != name)


def components(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of two or more modules: those that reach each other."""

    def reached(start: str) -> set[str]:
        seen, waiting = set[str](), [start]
        while waiting:
            for other in graph[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        return seen

    reach = {name: reached(name) for name in graph}
    groups = {frozenset(other for other in reach[name] if name in reach[other]) for name in graph}
    return sorted(sorted(group) for group in groups if group)


def example(graph: dict[str, set[str]], group: list[str]) -> list[str]:
    """One cycle within a component, in the order of its imports."""
    try:
        TopologicalSorter({name: graph[name] & set(group) for name in group}).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    raise AssertionError("a component holds a cycle")


def main() -> int:
    known = modules()
    graph = {name: set(imported(name, path, known)) for name, path in known.items()}
    cycles = components(graph)
    for group in cycles:
        print(f"{len(group)} modules import each other: {', '.join(group)}")
        print(f"    for example {' > '.join(example(graph, group))}")
    folders = [path.parent for path in known.values() if path.name != "__init__.py"]
    crowded = [folder for folder in sorted(set(folders)) if folders.count(folder) > MOST_MODULES]
    for folder in crowded:
        print(f"{folder.relative_to(SOURCE)} has {folders.count(folder)} modules; allowed: {MOST_MODULES}")
    print(
        f"{len(known)} modules, {len(cycles)} groups in cycles, {len(crowded)} folders above {MOST_MODULES}"
    )
    return 1 if cycles or crowded else 0


if __name__ == "__main__":
    sys.exit(main())
