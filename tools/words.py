"""Check the project's vocabulary: terms of art in text and names, none of the phrases that they replaced.

python -m tools.words            every finding, exit code 1 if there is one
python -m tools.words --count    findings for each allowed path, to see which can leave the allow list

Text is what people read: strings, docstrings and comments of Python, Markdown without code, strings and comments
of JavaScript, text of HTML. Names are those that Python code defines below src/. tools/words.toml holds the
phrases with their terms, and what is exempt.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CHECKED = (
    "*.md",
    "docs/**/*.md",
    "examples/*.md",
    "src/**/*.py",
    "src/**/*.js",
    "src/**/*.html",
    "tools/*.py",
)
GENERATED = ("docs/_build/", "docs/_generated/", "docs/measures/", "src/steelyard/report/page/vendored/")
VOCABULARY = tomllib.loads((ROOT / "tools" / "words.toml").read_text(encoding="utf-8"))
PHRASES = {re.compile(rf"\b(?:{phrase})(?!\w)", re.I): term for phrase, term in VOCABULARY["phrases"].items()}
PHRASES[re.compile(r"(?<=[\d}]) %(?![\w(])")] = "a percent sign without a space"
ANY_PHRASE = re.compile("|".join(phrase.pattern for phrase in PHRASES), re.I)
NAME_PARTS, WHOLE_NAMES = (frozenset(VOCABULARY["names"][kind]) for kind in ("parts", "whole"))


class Finding(NamedTuple):
    """A phrase or name that the glossary replaced."""

    path: str
    line: int
    text: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text!r}: write {self.instead}"


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Every piece of text in a file that a person reads, with the line on which it begins."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from _python_texts(source)
    elif path.suffix == ".js":
        for match in re.finditer(r"//.*|/\*[\s\S]*?\*/|'[^'\n]*'|\"[^\"\n]*\"|`[^`]*`", source):
            yield source.count("\n", 0, match.start()) + 1, match[0].replace("${", "{")
    else:
        code = r"```[\s\S]*?```|`[^`\n]*`" if path.suffix == ".md" else r"{[{%][\s\S]*?[%}]}|<(?!!--)[^>]*>"
        yield 1, re.sub(code, lambda match: "{}" + "\n" * match[0].count("\n"), source)


def _python_texts(source: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node.lineno, re.sub(r"`[^`\n]*`", "{}", node.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def names(source: str) -> Iterator[tuple[int, str]]:
    """Every name that a Python module defines: functions, classes, parameters and variables."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def hollow(name: str) -> bool:
    """Whether a name tells how its value came about instead of what it is."""
    plain = name.strip("_").lower()
    return plain in WHOLE_NAMES or bool(NAME_PARTS & set(plain.split("_")))


def findings(path: Path) -> Iterator[Finding]:
    """Phrases and names of one file that the glossary replaced."""
    shown = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    for line, text in texts(path):
        flat = re.sub(r"\s", " ", text)  # a phrase may stand on two lines
        for phrase, term in PHRASES.items() if ANY_PHRASE.search(flat) else ():
            for match in phrase.finditer(flat):
                yield Finding(shown, line + text.count("\n", 0, match.start()), match[0], term)
    if path.suffix == ".py" and path.is_relative_to(ROOT / "src"):
        defined = [(1, path.stem), *names(path.read_text(encoding="utf-8"))]
        yield from (Finding(shown, line, name, "what it holds") for line, name in defined if hollow(name))


def main(arguments: list[str]) -> int:
    """Print every finding that is not allowed, or how many each allowed path has; 1 if one is not allowed."""
    counts, left = Counter[str](), 0
    for path in sorted({path for pattern in CHECKED for path in ROOT.glob(pattern)}):
        for finding in () if path.relative_to(ROOT).as_posix().startswith(GENERATED) else findings(path):
            allowed = [
                prefix
                for prefix, phrases in VOCABULARY["allowed"].items()
                if f"{finding.path}/".startswith(f"{prefix}/")
                and (not phrases or finding.text.lower() in phrases)
            ]
            counts.update(allowed)
            if not allowed:
                left += 1
                print(finding)
    if "--count" in arguments:
        print(*(f"{counts[prefix]:6}  {prefix}" for prefix in VOCABULARY["allowed"]), sep="\n")
    return min(left, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
