"""Write packages/js (index.js, index.d.ts, package.json): the metrics' graphs as JavaScript, beside core.js.

python -m tools.write_js
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import steelyard as sy
from steelyard.measures.catalogue import names_of
from steelyard.measures.javascript import is_writable, library_text
from steelyard.report.page.render import read_script
from steelyard.uncertainty.resampling import weighs_confusions

PACKAGE = Path(__file__).resolve().parents[1] / "packages" / "js"
# As in intervals.js.
MOST_CLASSES = 40
HEAD = "// @steelyard/core: written by tools/write_js.py from the graphs of the metrics. Do not edit.\n"


def written() -> list[sy.Measure]:
    """The metrics of a confusion matrix, by id, with their usual parameters."""
    return [m for m in sy.catalogue("all", wide=True) if m.kind != "scores" and is_writable(m)]


def script() -> str:
    """The text of index.js."""
    measures = written()
    facts = {
        m.id: {
            "name": m.name,
            "title": m.title,
            "kind": m.kind,
            "better": m.better,
            "formula": m.reads,
            "weighs": weighs_confusions(m),
            "range": range_by_classes(m),
        }
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
            read_script("intervals.js").strip(),
            core.strip(),
            "",
        ]
    )


def range_by_classes(measure: sy.Measure) -> list[float | list[float] | None]:
    """The least and the greatest value: a number, null for infinity, or one for each number of classes."""
    ends: list[float | list[float] | None] = []
    for k in range(2):
        values = [measure.range.at(classes)[k] for classes in range(2, MOST_CLASSES + 1)]
        alike = len(set(values)) == 1
        ends.append(values if not alike else values[0] if math.isfinite(values[0]) else None)
    return ends


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
  /** Do some confusions count more than others (ordered classes)? */
  weighs: boolean;
  /** Least and greatest value: null is infinite, a list has one for each number of classes from 2 on. */
  range: [number | null | number[], number | null | number[]];
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
export interface Interval {{
  estimate: number;
  low: number;
  high: number;
  level: number;
  draws: number;
  /** Draws in which the metric is undefined; they are left out. */
  undefined: number;
  /** Why there is no interval (low and high are NaN); null where there is one. */
  why: string | null;
}}
export interface Drawing {{
  level?: number;
  draws?: number;
  seed?: number;
  design?: "sample" | "fixed";
}}
export type IntervalOptions = Drawing & {{
  metrics?: (MetricId | (string & {{}}))[];
  positive?: Label;
  /** Class prevalences to compute the metrics at, in the order of the classes. */
  priors?: number[];
}};
export function intervals(matrix: Confusion | number[][], options?: IntervalOptions): Record<string, Interval>;
export function interval(
  name: MetricId | (string & {{}}), matrix: Confusion | number[][], options?: Omit<IntervalOptions, "metrics">
): Interval;
export interface Difference {{
  value: number;
  low: number;
  high: number;
  /** The probability that the first model is the better one. */
  better: number;
  p: number;
  level: number;
  draws: number;
  undefined: number;
  why: string | null;
}}
export function differences(
  truth: Label[], first: Label[], second: Label[],
  options?: Drawing & {{ metrics?: (MetricId | (string & {{}}))[]; positive?: Label; labels?: Label[] }}
): Record<string, Difference>;
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
        "description": "Classification metrics for imbalanced data: Steelyard's catalogue, confidence intervals, thresholds",
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
