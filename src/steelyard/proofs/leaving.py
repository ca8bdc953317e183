"""Where does a function leave what can be proved? The place, in words that a reader finds on the line."""

from __future__ import annotations

import ast

NESTED = "an expression that is nested too deeply"


class LeavesSubsetError(Exception):
    """The function leaves what can be proved, and where."""

    def __init__(self, node: ast.AST | int, what: str) -> None:
        self.line = node if isinstance(node, int) else getattr(node, "lineno", 0)
        self.what = what
        super().__init__(f"line {self.line}, {what}" if self.line else what)


def shown(node: ast.AST) -> str:
    """A piece of source: one line, printable, not endless."""
    text = ast.unparse(node).splitlines()[0]
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 50 else text[:47] + "..."
