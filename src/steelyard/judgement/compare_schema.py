"""What does the JSON of a comparison hold?"""

from __future__ import annotations

from steelyard.judgement.schema_parts import (
    LABEL,
    NUMBER,
    PAIR,
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

AREA_DIFFERENCE = record(
    auc_a=NUMBER,
    auc_b=NUMBER,
    difference=NUMBER,
    standard_error=NUMBER,
    interval=PAIR,
    level=NUMBER,
    p_value=NUMBER,
    method=TEXT,
    positive=TEXT,
)

COMPARISON = titled(
    "compare",
    "Comparison of models on the same examples",
    record(
        schema=said("compare"),
        level=NUMBER,
        draws=NUMBER,
        seed=NUMBER,
        method=TEXT,
        design=TEXT,
        assumed=TEXT,
        prior=TEXT_OR_NONE,
        rope=VALUE,
        folds=VALUE,
        groups=VALUE,
        positive=or_none(LABEL),
        decides_because=TEXT_OR_NONE,
        missing_left_out=NUMBER,
        models=many(TEXT),
        classes=many(record(label=LABEL, examples=NUMBER)),
        by=TEXT,
        values=by_name(by_name(record(value=VALUE, low=VALUE, high=VALUE, undefined_because=TEXT_OR_NONE))),
        best=by_name(many(TEXT)),
        pairs=many(
            record(
                first=TEXT,
                second=TEXT,
                measures=by_name(
                    record(
                        difference=record(
                            value=VALUE,
                            low=VALUE,
                            high=VALUE,
                            probability_better=VALUE,
                            probability_equivalent=VALUE,
                            p_value=VALUE,
                            undefined_draws=NUMBER,
                            note=TEXT,
                            p_value_is_floor={"type": "boolean"},
                            simultaneous_low=VALUE,
                            simultaneous_high=VALUE,
                        ),
                        holm_p_value=VALUE,
                    )
                ),
                mcnemar=record(only_first=NUMBER, only_second=NUMBER, exact=NUMBER, mid_p=NUMBER),
                classes=many(
                    record(
                        **{"class": LABEL, "examples": NUMBER, "only_first": NUMBER, "only_second": NUMBER}
                    )
                ),
                exchangeability_p_value=VALUE,
            )
        ),
        ranking=many(
            record(
                model=TEXT,
                value=VALUE,
                probability_best=VALUE,
                mean_rank=VALUE,
                rank_low=VALUE,
                rank_high=VALUE,
            )
        ),
        not_told_apart=many(many(TEXT)),
        disagreements=many({"type": "object"}),
        cannot_disagree=many(record(measures=many(TEXT), because=many(TEXT))),
        areas=or_none(
            record(
                measure={"const": "roc_auc"},
                positive=LABEL,
                values=by_name(NUMBER),
                pairs=many(
                    record(
                        first=TEXT,
                        second=TEXT,
                        delong=AREA_DIFFERENCE,
                        bootstrap=or_none(AREA_DIFFERENCE),
                        holm_p_value=NUMBER,
                    )
                ),
                level=NUMBER,
                replicates=NUMBER,
                bounds=by_name(PAIR),
            )
        ),
        priors_range=or_none(
            record(
                label=LABEL,
                measure=TEXT,
                level=NUMBER,
                depends={"type": "boolean"},
                shares=many(NUMBER),
                pairs=many(
                    record(
                        first=TEXT,
                        second=TEXT,
                        difference=many(NUMBER),
                        simultaneous_low=many(NUMBER),
                        simultaneous_high=many(NUMBER),
                        probability_better=many(NUMBER),
                        flips=many(NUMBER),
                        dominates=TEXT_OR_NONE,
                    )
                ),
            )
        ),
        cost_range=or_none(
            record(
                varied=TEXT,
                positive=or_none(LABEL),
                costs=TEXT,
                said={"type": ["number", "null"]},
                level=NUMBER,
                at=many(NUMBER),
                pairs=many(
                    record(
                        first=TEXT,
                        second=TEXT,
                        saved_by_first=many(NUMBER),
                        simultaneous_low=many(NUMBER),
                        simultaneous_high=many(NUMBER),
                        probability_cheaper=many(NUMBER),
                        flips=many(NUMBER),
                        first_surely_cheaper=many(PAIR),
                        second_surely_cheaper=many(PAIR),
                        dominates=TEXT_OR_NONE,
                    )
                ),
            )
        ),
        row_costs=or_none(
            record(
                costs=TEXT,
                column=TEXT,
                at_mean_amounts=TEXT,
                level=NUMBER,
                models=many(record(model=TEXT, cost=NUMBER, low=NUMBER, high=NUMBER)),
                pairs=many(
                    record(
                        first=TEXT,
                        second=TEXT,
                        saved_by_first=NUMBER,
                        low=NUMBER,
                        high=NUMBER,
                        probability_cheaper=NUMBER,
                        rows_apart=NUMBER,
                    )
                ),
            )
        ),
        notes=many(TEXT),
    ),
)
