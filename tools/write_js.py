"""Write packages/js (index.js, index.d.ts, package.json): the metrics' graphs as JavaScript, beside core.js.

python -m tools.write_js
"""

from __future__ import annotations

import json
from pathlib import Path

import steelyard as sy
from steelyard.measures.catalogue import names_of
from steelyard.measures.javascript import is_writable, library_text

PACKAGE = Path(__file__).resolve().parents[1] / "packages" / "js"
HEAD = "// @steelyard/core: written by tools/write_js.py from the graphs of the metrics. Do not edit.\n"


def written() -> list[sy.Measure]:
    """The metrics of a confusion matrix, by id, with their usual parameters."""
    return [m for m in sy.catalogue("all", wide=True) if m.kind != "scores" and is_writable(m)]


def script() -> str:
    """The text of index.js."""
    measures = written()
    facts = {
        m.id: {"name": m.name, "title": m.title, "kind": m.kind, "better": m.better, "formula": m.reads}
        for m in measures
    }
    aliases = {
        alias: m.id for m in reversed(measures) for alias in (*names_of(m), m.name) if alias not in facts
    }
    core = (PACKAGE / "core.js").read_text(encoding="utf-8").split("\n", 1)[1]
    return "\n".join(
        [
            HEAD,
            f"const weigh = {library_text(measures)};",
            "/** The metrics by id: name with parameters, title, kind, which end is better, formula. */",
            f"export const METRICS = {json.dumps(facts, indent=1, sort_keys=True)};",
            f"const ALIASES = {json.dumps(aliases, indent=1, sort_keys=True)};",
            core.strip(),
            "",
        ]
    )


def types() -> str:
    """The text of index.d.ts."""
    ids = " | ".join(json.dumps(m.id) for m in sorted(written(), key=lambda m: m.id))
    return f"""{HEAD}
export type MetricId = {ids};
export type Label = string | number | boolean;
export interface Metric {{
  name: string;
  title: string;
  kind: "two-class" | "multi-class";
  better: "higher" | "lower" | "neither";
  formula: string;
}}
export interface Confusion {{
  labels?: Label[];
  /** Counts; rows are truth. */
  rows: number[][];
}}
export interface Value {{
  value: number;
  /** Why there is no value (NaN); null where there is one. */
  why: string | null;
}}
export interface Point {{
  threshold: number;
  /** [[tp, fn], [fp, tn]] */
  rows: number[][];
}}
export const METRICS: Record<MetricId, Metric>;
export function confusion(truth: Label[], predicted: Label[], labels?: Label[]): Required<Confusion>;
export function metric(
  name: MetricId | (string & {{}}), matrix: Confusion | number[][], options?: {{ positive?: Label }}
): Value;
export function metrics(
  matrix: Confusion | number[][], options?: {{ positive?: Label }}
): Partial<Record<MetricId, number>>;
export function sweep(truth: Label[], scores: number[], positive: Label): Point[];
export function bestThreshold(
  truth: Label[], scores: number[], options: {{ positive: Label; maximise?: MetricId | (string & {{}}) }}
): Point & {{ value: number }};
"""


def manifest() -> str:
    """The text of package.json."""
    fields = {
        "name": "@steelyard/core",
        "version": sy.__version__,
        "description": "Classification metrics for imbalanced data: Steelyard's catalogue, and thresholds",
        "license": "BSD-3-Clause",
        "type": "module",
        "main": "index.js",
        "types": "index.d.ts",
        "exports": {".": {"types": "./index.d.ts", "default": "./index.js"}},
        "files": ["index.js", "index.d.ts", "README.md"],
        "sideEffects": False,
        "keywords": ["classification", "metrics", "imbalanced data", "confusion matrix"],
        "engines": {"node": ">=18"},
    }
    return json.dumps(fields, indent=2) + "\n"


WRITTEN = {"index.js": script, "index.d.ts": types, "package.json": manifest}


def main() -> None:
    for name, text in WRITTEN.items():
        (PACKAGE / name).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
