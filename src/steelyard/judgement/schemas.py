"""What the JSON outputs hold, as JSON Schema; a change that readers would notice changes the version in the
name."""

from __future__ import annotations

from typing import Any

from steelyard.auditing.result import json_schema as audit_schema
from steelyard.judgement import catalogue
from steelyard.judgement.compare.result import json_schema as comparison_schema
from steelyard.judgement.evaluate.result import json_schema as evaluation_schema
from steelyard.judgement.gate.result import json_schema as gate_schema
from steelyard.judgement.metrics.result import json_schema as metrics_schema
from steelyard.judgement.multilabel.result import json_schema as multilabel_schema
from steelyard.judgement.plan.result import json_schema as plan_schema
from steelyard.judgement.priors.result import json_schema as priors_schema
from steelyard.judgement.recommend.result import json_schema as recommendation_schema
from steelyard.judgement.sample.result import json_schema as sample_schema
from steelyard.judgement.threshold.result import json_schema as threshold_schema
from steelyard.judgement.watch.result import json_schema as watch_schema
from steelyard.proofs.result import json_schema as examine_schema
from steelyard.proofs.result import properties_schema

COMPARISON = comparison_schema()
PRIORS = priors_schema()

EVALUATION = evaluation_schema()
MULTILABEL = multilabel_schema()
THRESHOLD = threshold_schema()
GATE = gate_schema()
PLAN = plan_schema()
WEIGHING = metrics_schema()

BY_COMMAND: dict[str, dict[str, Any]] = {
    "audit": audit_schema(),
    "compare": COMPARISON,
    "evaluate": EVALUATION,
    "examine": examine_schema(),
    "explain": catalogue.json_schema(),
    "gate": GATE,
    "measures": catalogue.list_schema(),
    "metrics": WEIGHING,
    "multilabel": MULTILABEL,
    "plan": PLAN,
    "priors": PRIORS,
    "properties": properties_schema(),
    "recommend": recommendation_schema(),
    "sample": sample_schema(),
    "threshold": THRESHOLD,
    "watch": watch_schema(),
}
"""What each command that takes `--json` writes; `--json-schema` prints it."""
