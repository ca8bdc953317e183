"""Names that try to become something else: markup, code, a broken line, a wall of text."""

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x=\'',
    "a & b < c > d",
    "]]></style><style>*{display:none}</style>",
    "\u202egnitsetni\u202c \u2066right to left",
    "line\u2028separator\u2029here",
    "tab\tnewline\nbell\x07escape\x1b[31mred",
    "| pipe | `tick` *star* _under_ [link](javascript:alert(1)) # head",
    "{{ 7 * 7 }}{% raw %}",
    "x" * 10_000,
    "",
)
