"""The page every report is written on: one file, no network, light and dark, phone and print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

STYLE = """
:root{--ink:#1b1f24;--soft:#57606a;--paper:#fff;--panel:#f6f8fa;--rule:#d0d7de;--heat:#0b5394;--bad:#9a4a00;--good:#17692f;
--c0:#0072b2;--c1:#d55e00;--c2:#007a5a;--c3:#a6427f;--c4:#7a5c00;--c5:#2a6f97;--c6:#5c5c5c;--c7:#8f3b00}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--paper:#0d1117;--panel:#161b22;--rule:#30363d;--heat:#58a6ff;--bad:#f0a45d;--good:#7ddc9a;
--c0:#56b4e9;--c1:#ff9a52;--c2:#3ecf9f;--c3:#e69bcb;--c4:#e3c34b;--c5:#8ecae6;--c6:#b0b0b0;--c7:#ffb38a}}
.steelyard{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:var(--ink);background:var(--paper)}
body.steelyard{margin:0 auto;padding:1.2rem;max-width:68rem}
.steelyard h1{font-size:1.6rem;margin:.2rem 0}.steelyard h2{font-size:1.2rem;margin:2.2rem 0 .4rem;border-bottom:1px solid var(--rule);padding-bottom:.2rem}
.steelyard h1,.steelyard h2,.steelyard p,.steelyard figcaption{overflow-wrap:anywhere}
.steelyard h3{font-size:1rem;margin:1.2rem 0 .3rem}.steelyard p{margin:.4rem 0;max-width:46rem}
.steelyard .soft{color:var(--soft)}.steelyard .bad{color:var(--bad)}.steelyard .good{color:var(--good)}.steelyard .open{color:var(--c4)}
.steelyard .cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(12.5rem,1fr));gap:.7rem;margin:.8rem 0}
.steelyard .card{background:var(--panel);border:1px solid var(--rule);border-radius:.4rem;padding:.6rem .8rem;overflow-wrap:anywhere}
.steelyard .card b{display:block;font-size:1.7rem;line-height:1.2;font-variant-numeric:tabular-nums}
.steelyard .card span{color:var(--soft);font-size:.85rem;display:block}
.steelyard .scroll{overflow-x:auto}
.steelyard table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;margin:.4rem 0}
.steelyard th,.steelyard td{padding:.22rem .6rem;text-align:right;border-bottom:1px solid var(--rule);vertical-align:top}
.steelyard th:first-child,.steelyard td:first-child,.steelyard .words{text-align:left}
.steelyard th{font-weight:600;color:var(--soft)}.steelyard td{unicode-bidi:isolate;max-width:26rem;overflow-wrap:break-word}
.steelyard td:first-child{min-width:7rem}.steelyard td:not(.words):not(:first-child){white-space:nowrap}.steelyard td.words:not(:empty){min-width:15rem}
.steelyard table.matrix{display:inline-table;margin:.3rem 1.2rem .3rem 0;border-left:2px solid var(--soft);border-right:2px solid var(--soft)}
.steelyard table.matrix td{min-width:0;padding:.05rem .5rem;border:0;text-align:right}.steelyard table.matrix caption{caption-side:bottom;color:var(--soft);white-space:nowrap;padding-top:.15rem}
.steelyard .stacked{width:100%}.steelyard .stacked>tbody>tr>td.words:not(:empty){min-width:9rem}.steelyard .stacked>*>tr>*{text-align:left}@media (min-width:44.01rem){.steelyard .stacked>tbody>tr>td:last-child{max-width:none;width:50%}}
@media screen and (max-width:44rem){.stacked>thead{display:none}.stacked,.stacked>tbody,.stacked>tbody>tr,.stacked>tbody>tr>td{display:block}
.stacked>tbody>tr{padding:.5rem 0;border-bottom:1px solid var(--rule)}.steelyard .stacked>tbody>tr>td{border:0;padding:.1rem 0;min-width:0;max-width:none;overflow-wrap:anywhere;white-space:normal}}
.steelyard .choice{border:0;margin:.8rem 0;padding:0;min-width:0}.steelyard .choice>legend{padding:0;margin-bottom:.4rem}
.steelyard .choice>input{position:absolute;opacity:0}.steelyard .choice>label{display:inline-block;border:1px solid var(--rule);border-radius:1rem;padding:.15rem .8rem;margin:0 .3rem .4rem 0;cursor:pointer;font-variant-numeric:tabular-nums}
.steelyard .choice>input:checked+label{background:var(--heat);border-color:var(--heat);color:var(--paper)}.steelyard .choice>input:focus-visible+label{outline:2px solid var(--ink);outline-offset:2px}
@media screen{.steelyard .choice>div{display:none}CHOSEN{display:block}}
.steelyard figure{margin:.8rem 0;break-inside:avoid;overflow-x:auto}.steelyard .wide{min-width:34rem}.steelyard figcaption{color:var(--soft);font-size:.9rem;max-width:46rem}
.steelyard .pair{display:flex;flex-wrap:wrap;gap:1rem}.steelyard .pair figure{flex:1 1 20rem;min-width:0}
.picture{max-width:100%;height:auto;display:block}.picture text{fill:var(--ink);unicode-bidi:isolate}.picture .axis{fill:var(--soft)}
.picture .grid{stroke:var(--rule);stroke-width:1}.picture .between{stroke:var(--soft);stroke-width:1.5}.picture .here{stroke:var(--soft);stroke-dasharray:3 3}
.picture .cell{fill:var(--heat);stroke:var(--rule);stroke-width:.5}.picture .diagonal{stroke:var(--ink);stroke-width:1.2}
.picture .on-dark{fill:var(--paper)}.picture .on-light{fill:var(--ink)}
.picture .mark{stroke:var(--paper);stroke-width:1}.picture .first{fill:var(--c0)}.picture .second{fill:var(--c1)}.picture .third{fill:var(--c2)}.picture .fourth{fill:var(--c3)}.picture .fifth{fill:var(--c4)}.picture .sixth{fill:var(--c6)}.picture .zero{stroke:var(--ink)}
.picture .band{fill-opacity:.17;stroke:none}.picture .hover{fill:transparent}.picture .point{stroke:var(--ink);stroke-width:1.8}
.picture .line{fill:none;stroke-width:2}.picture .strong{stroke-width:3.5}.picture .lead{stroke-width:1}
.picture .c0{stroke:var(--c0)}.picture .c1{stroke:var(--c1)}.picture .c2{stroke:var(--c2)}.picture .c3{stroke:var(--c3)}
.picture .c4{stroke:var(--c4)}.picture .c5{stroke:var(--c5)}.picture .c6{stroke:var(--c6)}.picture .c7{stroke:var(--c7)}
.picture .t0{fill:var(--c0)}.picture .t1{fill:var(--c1)}.picture .t2{fill:var(--c2)}.picture .t3{fill:var(--c3)}
.picture .t4{fill:var(--c4)}.picture .t5{fill:var(--c5)}.picture .t6{fill:var(--c6)}.picture .t7{fill:var(--c7)}
.picture .arrow{fill:none;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}.picture .level{fill:none;stroke:var(--ink);stroke-width:1.3}.picture .reach{fill:none;stroke:transparent;stroke-width:10}
.picture .shade{fill:var(--heat);print-color-adjust:exact;-webkit-print-color-adjust:exact}.picture .frame{fill:none;stroke:var(--rule)}.picture .halo{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}
.picture .ring{fill:var(--paper);stroke:var(--c1);stroke-width:1.5}.picture .full{fill:var(--c1);stroke:var(--c1);stroke-width:1.5}
.steelyard details summary{cursor:pointer;color:var(--soft)}
@media print{.steelyard .choice>label,.steelyard .choice>legend{display:none}:root{--ink:#000;--soft:#444;--paper:#fff;--panel:#fff;--rule:#bbb;--heat:#0b5394;--bad:#7a3b00;--good:#0f5223}body.steelyard{max-width:none;padding:0;font-size:12px}
.steelyard h2{break-after:avoid}.steelyard tr{break-inside:avoid}.steelyard .scroll{overflow:visible}.picture .cell{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""

MOST_CHOICES = 8
STYLE = STYLE.replace(
    "CHOSEN",
    ",".join(
        f".steelyard .choice>input:nth-of-type({k}):checked~div:nth-of-type({k})"
        for k in range(1, MOST_CHOICES + 1)
    ),
)


class Markup(str):
    """Text that is markup already: a cell of a table takes it as it is."""


def page(title: str, body: Sequence[str]) -> str:
    """A whole page. A content policy forbids scripts and any request, whatever a class name tries."""
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
        '<link rel="icon" href="data:,">'
        f'<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body class="steelyard">\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def fragment(body: Sequence[str]) -> str:
    """The same look inside somebody else's page, such as a notebook."""
    return f'<style>{STYLE}</style><div class="steelyard">' + "\n".join(body) + "</div>"


def paragraph(words: object, css: str = "") -> str:
    return f'<p class="{css}">{escape(str(words))}</p>' if css else f"<p>{escape(str(words))}</p>"


def heading(words: str, level: int = 2) -> str:
    return f"<h{level}>{escape(words)}</h{level}>"


def figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def cards(items: Sequence[tuple[str, str, str]]) -> str:
    """Big numbers: (name, value, what it means)."""
    return (
        '<div class="cards">'
        + "".join(
            f'<div class="card">{escape(name)}<b>{escape(value)}</b><span>{escape(words)}</span></div>'
            for name, value, words in items
        )
        + "</div>"
    )


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    words: Sequence[int] = (),
    identity: str = "",
    stacked: bool = False,
) -> str:
    """A table; the columns in `words` hold text. Cells are escaped unless they are `Markup`; a cell (text, tooltip) has a tooltip.

    One that is `stacked` has the cells of a row below each other on a phone.
    """
    worded = set(words)

    def cell(tag: str, j: int, value: Any) -> str:
        css = ' class="words"' if j in worded else ""
        tip = ""
        if isinstance(value, tuple):
            value, tip = value[0], f' title="{escape(str(value[1]))}"'
        return f"<{tag}{css}{tip}>{value if isinstance(value, Markup) else escape(str(value))}</{tag}>"

    head = "".join(cell("th", j, name) for j, name in enumerate(header))
    lines = "".join(
        "<tr>" + "".join(cell("td", j, value) for j, value in enumerate(row)) + "</tr>" for row in rows
    )
    facts = (f' id="{identity}"' if identity else "") + (' class="stacked"' if stacked else "")
    return f'<div class="scroll"><table{facts}><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def folded(summary: str, body: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def coloured(words: str, css: str) -> Markup:
    """Words in a colour that says nothing the words do not say."""
    return Markup(f'<span class="{css}">{escape(words)}</span>')


def small_matrix(rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """A matrix of a few numbers, as it would be written by hand."""
    below = f"<caption>{escape(caption)}</caption>" if caption else ""
    cells = "".join("<tr>" + "".join(f"<td>{escape(str(v))}</td>" for v in row) + "</tr>" for row in rows)
    return f'<table class="matrix">{below}<tbody>{cells}</tbody></table>'


def choice(name: str, question: str, options: Sequence[tuple[str, str]]) -> str:
    """A row of buttons (label, body) of which one body is shown, without a script; in print all of them are, so each says what it is."""
    if len(options) > MOST_CHOICES:
        raise ValueError(f"{len(options)} options, at most {MOST_CHOICES}")
    buttons = "".join(
        f'<input type="radio" name="{escape(name)}" id="{escape(name)}-{k}"{"" if k else " checked"}><label for="{escape(name)}-{k}">{escape(label)}</label>'
        for k, (label, _) in enumerate(options)
    )
    return f'<fieldset class="choice"><legend>{escape(question)}</legend>{buttons}{"".join(f"<div>{body}</div>" for _, body in options)}</fieldset>'
