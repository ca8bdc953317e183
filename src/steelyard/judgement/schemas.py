"""What the JSON outputs hold, as JSON Schema; a change that readers would notice changes the version in the
name."""

from __future__ import annotations

from typing import Any

from steelyard.auditing.result import json_schema as audit_schema
from steelyard.judgement.answer_schemas import (
    EXAMINATIONS,
    EXPLANATION,
    LOOK,
    MEASURES,
    PROPERTIES,
    RECOMMENDATION,
    WEIGHING,
)
from steelyard.judgement.compare_schema import COMPARISON
from steelyard.judgement.gate.result import json_schema as gate_schema
from steelyard.judgement.plan.result import json_schema as plan_schema
from steelyard.judgement.priors.result import json_schema as priors_schema
from steelyard.judgement.schema_parts import (
    INTERVAL,
    LABEL,
    MATRIX,
    MEASURE,
    NUMBER,
    PAIR,
    RANKING,
    TEXT,
    TEXT_OR_NONE,
    VALUE,
    by_name,
    many,
    or_none,
    record,
    said,
    titled,
)
from steelyard.judgement.threshold.result import json_schema as threshold_schema

PRIORS = priors_schema()

COSTS = record(
    costs=TEXT,
    column=TEXT_OR_NONE,
    figures=many(
        record(
            id=TEXT,
            title=TEXT,
            value=VALUE,
            low=VALUE,
            high=VALUE,
            at_priors=VALUE,
            undefined_because=TEXT_OR_NONE,
        )
    ),
    confusions=many(record(truth=LABEL, prediction=LABEL, rows=NUMBER, cost=NUMBER, total=NUMBER)),
    constants=many(record(label=LABEL, cost=NUMBER)),
    best_constant=LABEL,
    level={"type": ["number", "null"]},
    note=TEXT,
)

_VALUE_WITH_INTERVAL = record(value=VALUE, low=VALUE, high=VALUE, undefined_because=TEXT_OR_NONE)

MULTILABEL = titled(
    "multilabel",
    "A classifier that gives each row any number of labels",
    record(
        schema=said("multilabel"),
        steelyard=TEXT,
        source=TEXT,
        rows=NUMBER,
        rows_left_out=NUMBER,
        level=NUMBER,
        replicates=NUMBER,
        subset_accuracy=_VALUE_WITH_INTERVAL,
        hamming_loss=_VALUE_WITH_INTERVAL,
        averages=by_name(by_name(_VALUE_WITH_INTERVAL)),
        labels=many(
            record(
                label=TEXT,
                examples=NUMBER,
                predicted=NUMBER,
                matrix=many(many(NUMBER)),
                measures=by_name(_VALUE_WITH_INTERVAL),
            )
        ),
        notes=many(TEXT),
    ),
)

EVALUATION = titled(
    "evaluate",
    "Evaluation of one classifier on one test set",
    record(
        schema=said("evaluate"),
        steelyard=TEXT,
        source=record(
            name=TEXT, rows=NUMBER, missing_left_out=NUMBER, truth=TEXT, pred=TEXT, unused_columns=many(TEXT)
        ),
        test_set=record(
            total=NUMBER,
            classes=many(record(label=LABEL, count=NUMBER, share=NUMBER)),
            rrt=VALUE,
            shape={
                "enum": [
                    "balanced",
                    "imbalanced",
                    "multi-minority",
                    "multi-majority",
                    "complete",
                    "one class",
                ]
            },
            minority=many(LABEL),
            absent=many(LABEL),
        ),
        matrix=MATRIX,
        positive=or_none(record(label=LABEL, reason=TEXT)),
        priors={"type": ["object", "array", "number", "string", "null"]},
        relevance=or_none(record(mechanism=TEXT, scores=by_name(NUMBER))),
        headline=many(TEXT),
        headline_values=many(
            record(
                id=TEXT,
                title=TEXT,
                observed=VALUE,
                at_priors=VALUE,
                balanced=VALUE,
                baseline=or_none(record(value=VALUE, how={"enum": ["exact", "simulated"]}, words=TEXT)),
                undefined_because=TEXT_OR_NONE,
            )
        ),
        decider=record(id=TEXT, because=TEXT),
        constant=record(label=LABEL, accuracy=NUMBER),
        others_report=many(TEXT),
        shifts=many(
            record(
                id=TEXT,
                title=TEXT,
                observed=VALUE,
                balanced=VALUE,
                at_priors=VALUE,
                shift=NUMBER,
                misleads={"type": "boolean"},
                words=TEXT,
                causes=many(record(label=LABEL, contribution=NUMBER)),
            )
        ),
        classes=many(
            record(
                label=LABEL,
                support=NUMBER,
                predicted=NUMBER,
                recall=VALUE,
                precision=VALUE,
                f1=VALUE,
                balanced_precision=VALUE,
                undefined_because=TEXT_OR_NONE,
                recall_interval=or_none(PAIR),
                precision_interval=or_none(PAIR),
                taken_for=many(record(label=LABEL, count=NUMBER)),
            )
        ),
        measures=many(
            {
                **MEASURE,
                "properties": {**MEASURE["properties"], "interval": or_none(INTERVAL)},
                "required": [*MEASURE["required"], "interval"],
            }
        ),
        interval_settings={"type": ["object", "null"]},
        slices=record(
            columns=many(TEXT),
            rows=many(
                record(
                    slice=many(TEXT),
                    rows=NUMBER,
                    values=by_name(VALUE),
                    undefined_because=TEXT_OR_NONE,
                    examples=many(record(label=LABEL, examples=NUMBER)),
                    low=VALUE,
                    high=VALUE,
                    simultaneous_low=VALUE,
                    simultaneous_high=VALUE,
                    p_value=VALUE,
                    holm_p_value=VALUE,
                    too_small={"type": "boolean"},
                )
            ),
        ),
        sweep=or_none(
            record(minority=many(TEXT), shares=many(NUMBER), lines=by_name(many(VALUE)), flat=many(TEXT))
        ),
        ranking=or_none(RANKING),
        costs=or_none(COSTS),
        production=or_none(
            record(
                priors={key: value for key, value in PRIORS.items() if not key.startswith("$")},
                measures=many(record(id=TEXT, title=TEXT, value=VALUE, low=VALUE, high=VALUE)),
            )
        ),
        notes=many(TEXT),
    ),
)

EVALUATION_OR_MULTILABEL = titled(
    "evaluate",
    "Evaluation of one classifier on one test set; the second form with --multilabel",
    {"anyOf": [EVALUATION, MULTILABEL]},
)

THRESHOLD = threshold_schema()
GATE = gate_schema()
PLAN = plan_schema()

BY_COMMAND: dict[str, dict[str, Any]] = {
    "audit": audit_schema(),
    "compare": COMPARISON,
    "evaluate": EVALUATION_OR_MULTILABEL,
    "examine": EXAMINATIONS,
    "explain": EXPLANATION,
    "gate": GATE,
    "measures": MEASURES,
    "plan": PLAN,
    "priors": PRIORS,
    "properties": PROPERTIES,
    "recommend": RECOMMENDATION,
    "threshold": THRESHOLD,
    "watch": LOOK,
    "weigh": WEIGHING,
}
"""What each command that takes `--json` writes; `--json-schema` prints it."""
