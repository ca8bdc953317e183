"""Audit printed results: is there a confusion matrix that gives all of the numbers?"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.auditing import report
from steelyard.auditing.checker.certificate import check as check_certificate
from steelyard.auditing.checker.expressions import Tree, to_json
from steelyard.auditing.checker.question import CertificateError, Printed, Question, Rounding
from steelyard.auditing.explanations import contradiction, explanations
from steelyard.auditing.options import Options, demands_of, setting_of, sizes_of
from steelyard.auditing.problem.demands import Demand, sedrakyan_weights
from steelyard.auditing.problem.expressions import formula_of
from steelyard.auditing.problem.folds import Folds, Setting
from steelyard.auditing.problem.printed_numbers import TABLE_SUFFIXES, named, read_table, statements
from steelyard.auditing.result import AuditedTable, AuditResult, CheckedCertificate, UnusableRow
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.auditing.search.farkas import TooLargeError, certificate_for
from steelyard.errors import InputError
from steelyard.measures.undefined import Policy
from steelyard.parameters import checked as checked_options
from steelyard.parameters import public_function

_NO_CERTIFICATE = "No certificate: {why}; the answer rests on the search alone."


@public_function(Options)
def audit(options: Options) -> Any:
    """Audit printed results: is there a confusion matrix that gives all of them, to the digits printed?

    `values` is text such as "accuracy=0.9567, recall=0.8545" or a mapping from name to number; a number given
    as text keeps its digits ("0.60" is not "0.6"), "0.95 ± 0.02" stands for an interval. Names are those of
    the catalogue, a class in brackets (recall[spam]), averages (macro_f1, weighted(f1)) and operators
    (balanced(precision)). `sizes` are the examples of each class, "pos=100, neg=200", with ? for an unknown
    one; the first class is positive unless `positive` says otherwise. Without sizes, test sets of up to
    `up_to` examples are searched.

    With `folds` the values are means over the folds (and ± is their standard deviation: `deviation` says
    which), or of all folds `aggregate`d as "pooled" counts; the folds are "stratified", of "unknown" class
    sizes, or of the sizes in `fold_sizes`.

    With `check` an impossible result gets a certificate, a branch and bound tree that an independent checker
    follows in exact fractions; where it would be too large, `result.check` says so.

    >>> import steelyard as sy
    >>> result = sy.audit("accuracy=0.9333, recall=0.85, specificity=0.975", "pos=100, neg=200")
    >>> result.verdict, result.witness
    ('possible', ((85, 15), (5, 195)))
    >>> sy.audit("recall=0.8545", "pos=100, neg=200").reason()[:67]
    'recall = 0.8545 is impossible. The nearest possible recall is 0.85,'
    >>> sy.audit("accuracy=0.9567, recall=0.86", "pos=100, neg=200", check=True).check
    'The certificate holds: 1 box, checked independently in exact fractions.'
    """
    values = options.values
    if isinstance(values, str | Path) and str(values).endswith(TABLE_SUFFIXES) and "=" not in str(values):
        stored = _stored_certificate(Path(values)) if options.check else None
        return _table(Path(values), options) if stored is None else stored
    return _result(options)


def _result(options: Options) -> AuditResult:
    """The result of one set of printed values."""
    printed = statements(options.values)
    Policy.of(options.undefined)
    if isinstance(options.undefined, float) and math.isnan(options.undefined):
        options = replace(options, undefined="nan")
    setting = setting_of(sizes_of(options, [named(s.name)[1] for s in printed]), options)
    # Both roundings are needed: digits that were cut off are the first mistake that is tried.
    demands, cut = (
        demands_of(printed, setting.sizes, options.positive, rounding, isinstance(setting, Folds))
        for rounding in (options.rounding, "cut")
    )
    seconds = float(options.seconds)
    if not seconds > 0:
        what = "the time budget must be positive"
        raise InputError(what, found=f"{options.seconds} seconds", allowed="more than 0")
    # One budget for search, explanation and certificate: what one leaves, the next may use.
    budget = Budget(seconds)
    decision = setting.decide(demands, budget.share(0.5 if options.check else 0.8))
    result = AuditResult(tuple(demands), setting, options.rounding, decision)
    if decision.answer == "impossible":
        # Explaining may take twice as long as deciding did, or a twentieth of the budget if that is longer.
        effort = max(seconds / 20, 2 * (seconds - budget.left))
        conflict = contradiction(demands, setting, budget.share(0.4, seconds=effort / 2))
        rounded = cut if options.rounding == "nearest" else None
        mistakes = explanations(demands, rounded, setting, budget.share(0.5, seconds=effort))
        result = replace(result, contradiction=conflict, mistakes=mistakes)
    if not options.check or result.verdict == "undecided":
        return result
    if result.verdict == "possible":
        return replace(result, check="The witness was checked in exact fractions.")
    # Fewer values say more, but all of them may be easier to prove.
    fewest = result.demands if result.contradiction is None else result.contradiction.demands
    for proved in dict.fromkeys((fewest, result.demands)):
        remaining = budget.share(1.0 if proved is result.demands else 0.5)
        certificate, sentence = certified(proved, setting, options.rounding, remaining)
        if certificate is not None:
            break
    return replace(result, certificate=certificate, check=sentence)


def _table(path: Path, options: Options) -> AuditedTable:
    """Every row of a table."""
    # What a row says of itself goes before the options. A row that cannot be used does not stop the others;
    # where no row can, the first is refused.
    rows: list[AuditResult | UnusableRow] = []
    refused: list[InputError] = []
    for name, values, row_options in read_table(path):
        try:
            if isinstance(values, InputError):
                raise values
            of_row = checked_options(replace(options, values=values, **row_options))
            rows.append(replace(_result(of_row), name=name))
        except InputError as error:
            rows.append(UnusableRow(name, str(error)))
            refused.append(error)
    if not rows:
        raise InputError("the table has no rows", found=str(path))
    if len(refused) == len(rows):
        first = refused[0]
        what = f"{rows[0].name}: {first.what}"
        raise InputError(what, found=first.found, allowed=first.allowed, do=first.do) from first
    return AuditedTable(tuple(rows))


def certified(
    demands: Sequence[Demand], setting: Setting, rounding: Rounding, budget: Budget
) -> tuple[Mapping[str, Any] | None, str]:
    """A certificate that these demands cannot be met, checked again, or None; and what came of it."""
    question = question_of(demands, setting, rounding)
    certificate = None
    if question is not None:
        by_cells, formulas = _formulas(question)
        weights = sedrakyan_weights(demands, isinstance(setting, Folds))
        try:
            certificate = certificate_for(question, formulas, by_cells, weights, budget)
        except TooLargeError as error:
            why = f"within the time budget {error.nodes:,} steps left {error.open_regions:,} parts open"
            return None, _NO_CERTIFICATE.format(why=why)
    if certificate is None:
        return None, _NO_CERTIFICATE.format(why="there is none for metrics without exact bounds")
    boxes = report.boxes(check_certificate(certificate))
    return certificate, f"The certificate holds: {boxes}, checked independently in exact fractions."


def question_of(demands: Sequence[Demand], setting: Setting, rounding: Rounding) -> Question | None:
    """The question of a result, as it was printed; None where the printed text does not say it all."""
    sizes, undefined = setting.sizes, setting.undefined
    labels = tuple(str(label) for label in sizes.labels)
    if any(d.transposed or d.of_means for d in demands) or undefined in ("skip", "raise"):
        return None
    of_folds: tuple[Any, ...] = ()
    if isinstance(setting, Folds):
        of_folds = (setting.count, setting.repeats, setting.arrangement, setting.deviation)
    printed = tuple(Printed(d.text, None if d.place is None else labels[d.place]) for d in demands)
    total = None if sizes.complete else sizes.total
    up_to = None if sizes.complete or sizes.total is not None else sizes.up_to
    question = Question(labels, sizes.known, printed, rounding, undefined, total, up_to, *of_folds)
    # A certificate restates the question in printed text; it must mean the intervals that were searched.
    same = all(
        (interval, printed.is_deviation) == (d.interval, d.statistic == "deviation")
        for d, printed, interval in zip(demands, question.printed, question.intervals(), strict=True)
    )
    return question if same else None


def _formulas(question: Question) -> tuple[bool, list[Tree]]:
    """The formulas of the metrics that a question names, and whether they need single cells."""
    keys, sizes = [], question.fold_sizes
    # Whether every class has an example, in every fold.
    if question.folds is None or isinstance(sizes, str):
        smallest = min(size or 0 for size in question.sizes)
        present = question.folds is None or (sizes == "stratified" and smallest >= question.folds)
    else:
        present = min(map(min, sizes)) > 0
    for printed in question.printed:
        measure, label = named(printed.name)
        if (measure.kind == "two-class") != (printed.label is not None) or label not in (None, printed.label):
            raise CertificateError(f"the class of {printed.text!r} is ambiguous")
        place = None if printed.label is None else question.labels.index(printed.label)
        keys.append((measure, len(question.labels), place, question.undefined, present))
    formulas = [formula_of(*key) for key in keys]
    if any(formula.by_cells for formula in formulas):
        return True, [formula_of(*key, in_cells=True).tree for key in keys]
    return False, [formula.tree for formula in formulas]


def checked(certificate: Any) -> int:
    """The number of boxes of a certificate that holds, CertificateError if it does not."""
    # The checker follows its tree, and its formulas are compared with those of the metrics that the question
    # names.
    if not isinstance(certificate, Mapping) or not isinstance(certificate.get("question"), Mapping):
        raise CertificateError("there is no question in it")
    question = Question.from_dict(certificate["question"])
    try:
        by_cells, formulas = _formulas(question)
        expected = {
            "counts": "cells" if by_cells else "classes",
            "formulas": [to_json(formula) for formula in formulas],
        }
    except ValueError as error:
        raise CertificateError(f"a printed value names no metric that can be certified: {error}") from error
    # Certificates of version 0.2 hold no formulas.
    # The checker proves that these formulas cannot take the printed values; that they are the formulas of the
    # named metrics only the catalogue can say.
    if any(certificate.get(key, value) != value for key, value in expected.items()):
        raise CertificateError("a formula is not that of the metric it is printed under")
    return check_certificate({**certificate, **expected})


def _stored_certificate(path: Path) -> CheckedCertificate | None:
    """The certificate in the JSON of one result, checked again; None if the file is a table of rows."""
    if path.suffix != ".json":
        return None
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        what = "the result cannot be read"
        raise InputError(what, found=str(path), allowed="the JSON of an audit") from error
    if not isinstance(stored, dict):
        return None
    certificate = stored.get("certificate")
    if certificate is None:
        raise InputError(
            "the result has no certificate",
            found=f"{path}, verdict {stored.get('verdict')!r}",
            do="make one: steelyard audit ... --check --json FILE",
        )
    try:
        boxes = checked(certificate)
    except CertificateError as error:
        raise InputError("the certificate does not hold", found=f"{path}: {error}") from error
    statement = report.certified_statement(Question.from_dict(certificate["question"]))
    return CheckedCertificate(statement, boxes)
