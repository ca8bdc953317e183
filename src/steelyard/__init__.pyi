"""Written by tools/write_stub.py."""

from collections.abc import Iterable
from typing import Any, Final, Protocol

from steelyard import curves as curves
from steelyard import relevance as relevance
from steelyard import thresholds as thresholds
from steelyard.counts.confusion import Confusion as Confusion
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts as ScoreCounts
from steelyard.errors import InputError as InputError
from steelyard.errors import SteelyardError as SteelyardError
from steelyard.errors import UndefinedError as UndefinedError
from steelyard.integrations.cross_evaluation import cross_evaluate as cross_evaluate
from steelyard.integrations.displays import EvaluationDisplay as EvaluationDisplay
from steelyard.integrations.prior_correction import PriorCorrection as PriorCorrection
from steelyard.integrations.sklearn import scorer as scorer
from steelyard.integrations.sklearn import scorers as scorers
from steelyard.judgement.compare.judge import compare as compare
from steelyard.judgement.evaluate.judge import evaluate as evaluate
from steelyard.judgement.evaluate.result import Evaluation as Evaluation
from steelyard.judgement.gate import gate as gate
from steelyard.judgement.multilabel import evaluate_multilabel as evaluate_multilabel
from steelyard.judgement.plan import plan as plan
from steelyard.judgement.priors import estimate_priors as estimate_priors
from steelyard.judgement.watch import Watch as Watch
from steelyard.measures.catalogue import catalogue as catalogue
from steelyard.measures.catalogue import measure as measure
from steelyard.measures.costs import cheapest_labels as cheapest_labels
from steelyard.measures.measure import class_mean as class_mean
from steelyard.measures.measure import Measure as Measure
from steelyard.measures.measure import multi_class as multi_class
from steelyard.measures.measure import two_class as two_class
from steelyard.measures.measure import weigh as weigh
from steelyard.measures.operators import at_priors as at_priors
from steelyard.measures.operators import balanced as balanced
from steelyard.measures.operators import iba as iba
from steelyard.measures.operators import normalised as normalised
from steelyard.measures.operators import one_versus_all as one_versus_all
from steelyard.measures.operators import one_versus_one as one_versus_one
from steelyard.measures.operators import weighted_by as weighted_by
from steelyard.measures.undefined import Undefined
from steelyard.properties.audit.question import audit as audit
from steelyard.properties.examination import examine as examine
from steelyard.reading.counts import Counts as Counts
from steelyard.reading.engines import count as count
from steelyard.reading.tally import Tally as Tally
from steelyard.scores.areas import delong as delong
from steelyard.scores.class_weights import best_class_weights as best_class_weights
from steelyard.scores.saerens import correct_probabilities as correct_probabilities
from steelyard.scores.thresholds import best_threshold as best_threshold
from steelyard.uncertainty.intervals import interval as interval

__all__ = [
    "Confusion",
    "Counts",
    "Evaluation",
    "EvaluationDisplay",
    "InputError",
    "Measure",
    "PriorCorrection",
    "ScoreCounts",
    "SteelyardError",
    "Tally",
    "UndefinedError",
    "Watch",
    "at_priors",
    "audit",
    "balanced",
    "best_class_weights",
    "best_threshold",
    "catalogue",
    "cheapest_labels",
    "class_mean",
    "compare",
    "correct_probabilities",
    "count",
    "cross_evaluate",
    "curves",
    "delong",
    "estimate_priors",
    "evaluate",
    "evaluate_multilabel",
    "examine",
    "gate",
    "iba",
    "interval",
    "measure",
    "multi_class",
    "normalised",
    "one_versus_all",
    "one_versus_one",
    "plan",
    "relevance",
    "scorer",
    "scorers",
    "thresholds",
    "two_class",
    "weigh",
    "weighted_by",
    "__version__",
]
__version__: Final[str]

class _MeasureFunction(Protocol):
    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        undefined: Undefined = "nan",
        positive: Label | None = None,
        **parameters: Any,
    ) -> float: ...

acc: _MeasureFunction
acc_b: _MeasureFunction
accuracy: _MeasureFunction
accuracy_ratio: _MeasureFunction
acsa: _MeasureFunction
adjusted_geometric_mean: _MeasureFunction
adjusted_gmean: _MeasureFunction
agm: _MeasureFunction
area_under_the_precision_recall_curve: _MeasureFunction
auc_of_one_point: _MeasureFunction
auc_of_the_ranking: _MeasureFunction
auc_point: _MeasureFunction
auprc: _MeasureFunction
auroc_ova: _MeasureFunction
auroc_ovo: _MeasureFunction
aurpc: _MeasureFunction
aurpc_of_one_point: _MeasureFunction
aurpc_ova: _MeasureFunction
aurpc_point: _MeasureFunction
avacc: _MeasureFunction
average_accuracy: _MeasureFunction
average_binary_accuracy: _MeasureFunction
average_class_specific_accuracy: _MeasureFunction
average_precision: _MeasureFunction
average_precision_score: _MeasureFunction
avf_1: _MeasureFunction
avf_beta: _MeasureFunction
balanced_accuracy: _MeasureFunction
balanced_error_rate: _MeasureFunction
balanced_f1: _MeasureFunction
balanced_f_beta: _MeasureFunction
balanced_precision: _MeasureFunction
ber: _MeasureFunction
bookmaker_informedness: _MeasureFunction
c_statistic: _MeasureFunction
cba: _MeasureFunction
cen: _MeasureFunction
class_balance_accuracy: _MeasureFunction
class_weighted_accuracy: _MeasureFunction
cohen_kappa: _MeasureFunction
cohens_kappa: _MeasureFunction
concordance: _MeasureFunction
confusion_entropy: _MeasureFunction
critical_success_index: _MeasureFunction
csi: _MeasureFunction
cwa: _MeasureFunction
delta_p: _MeasureFunction
diagnostic_odds_ratio: _MeasureFunction
dice: _MeasureFunction
dor: _MeasureFunction
er_b: _MeasureFunction
err: _MeasureFunction
error_rate: _MeasureFunction
f1: _MeasureFunction
f1_of_macros: _MeasureFunction
f1_score: _MeasureFunction
f1_weighted: _MeasureFunction
f_1: _MeasureFunction
f_1m: _MeasureFunction
f_1mu: _MeasureFunction
f_beta: _MeasureFunction
f_beta_of_macros: _MeasureFunction
f_betam: _MeasureFunction
f_betamu: _MeasureFunction
f_measure: _MeasureFunction
f_micro: _MeasureFunction
f_mu: _MeasureFunction
fall_out: _MeasureFunction
false_discovery_rate: _MeasureFunction
false_negative_rate: _MeasureFunction
false_omission_rate: _MeasureFunction
false_positive_rate: _MeasureFunction
fdr: _MeasureFunction
fnr: _MeasureFunction
fowlkes_mallows: _MeasureFunction
fowlkes_mallows_index: _MeasureFunction
fpr: _MeasureFunction
fscore_b: _MeasureFunction
g_mean: _MeasureFunction
g_mean_score: _MeasureFunction
gain_capture: _MeasureFunction
geometric_mean: _MeasureFunction
gini: _MeasureFunction
gini_coefficient: _MeasureFunction
gmean: _MeasureFunction
h_measure: _MeasureFunction
hand_and_till: _MeasureFunction
hand_measure: _MeasureFunction
hand_till: _MeasureFunction
hanssen_kuipers: _MeasureFunction
heidke_skill_score: _MeasureFunction
hit_rate: _MeasureFunction
hss: _MeasureFunction
iam: _MeasureFunction
imbalance_accuracy: _MeasureFunction
imbalance_accuracy_metric: _MeasureFunction
index_of_balanced_accuracy: _MeasureFunction
informedness: _MeasureFunction
intersection_over_union: _MeasureFunction
jaccard: _MeasureFunction
jaccard_index: _MeasureFunction
kappa: _MeasureFunction
lift: _MeasureFunction
lr_: _MeasureFunction
macro_average_precision: _MeasureFunction
macro_average_recall: _MeasureFunction
macro_f1: _MeasureFunction
macro_f_beta: _MeasureFunction
macro_jaccard: _MeasureFunction
macro_precision: _MeasureFunction
macro_recall: _MeasureFunction
macro_threat_score: _MeasureFunction
mar: _MeasureFunction
markedness: _MeasureFunction
matthews_correlation_coefficient: _MeasureFunction
maurpc: _MeasureFunction
maurpc_ova: _MeasureFunction
mava: _MeasureFunction
mavg: _MeasureFunction
mcc: _MeasureFunction
mean_average_precision: _MeasureFunction
mean_binary_accuracy: _MeasureFunction
mean_f1: _MeasureFunction
mean_intersection_over_union: _MeasureFunction
mean_iou: _MeasureFunction
mean_precision: _MeasureFunction
mean_recall: _MeasureFunction
micro_f1: _MeasureFunction
micro_precision: _MeasureFunction
micro_recall: _MeasureFunction
miss_rate: _MeasureFunction
mortaz_f_score: _MeasureFunction
mprecision: _MeasureFunction
multiclass_auc: _MeasureFunction
nauroc_ova: _MeasureFunction
negative_likelihood_ratio: _MeasureFunction
negative_predictive_value: _MeasureFunction
nlr: _MeasureFunction
npv: _MeasureFunction
ochiai: _MeasureFunction
odds_ratio: _MeasureFunction
one_versus_all_accuracy: _MeasureFunction
one_versus_all_auc: _MeasureFunction
one_versus_rest_auc: _MeasureFunction
optimised_precision: _MeasureFunction
optimized_precision: _MeasureFunction
otsuka_ochiai: _MeasureFunction
ova_auc: _MeasureFunction
ova_average_precision: _MeasureFunction
overall_accuracy: _MeasureFunction
partial_area_under_the_roc_curve: _MeasureFunction
partial_auc: _MeasureFunction
pauc: _MeasureFunction
peirce_skill_score: _MeasureFunction
phi_coefficient: _MeasureFunction
plr: _MeasureFunction
positive_likelihood_ratio: _MeasureFunction
positive_predictive_value: _MeasureFunction
ppv: _MeasureFunction
pr_b: _MeasureFunction
prec: _MeasureFunction
prec_m: _MeasureFunction
prec_micro: _MeasureFunction
prec_mu: _MeasureFunction
precision: _MeasureFunction
precision_weighted: _MeasureFunction
prevalence: _MeasureFunction
r_k: _MeasureFunction
ranking_auc: _MeasureFunction
rci: _MeasureFunction
rec_m: _MeasureFunction
rec_micro: _MeasureFunction
rec_mu: _MeasureFunction
recall: _MeasureFunction
relative_classifier_information: _MeasureFunction
roc_auc: _MeasureFunction
roc_auc_ovo: _MeasureFunction
roc_auc_ovr: _MeasureFunction
roc_auc_score: _MeasureFunction
sba: _MeasureFunction
selectivity: _MeasureFunction
sensitivity: _MeasureFunction
single_point_auc: _MeasureFunction
somers_d: _MeasureFunction
specificity: _MeasureFunction
symmetric_balanced_accuracy: _MeasureFunction
theils_u: _MeasureFunction
threat_score: _MeasureFunction
tnr: _MeasureFunction
tpr: _MeasureFunction
true_negative_rate: _MeasureFunction
true_positive_rate: _MeasureFunction
true_skill_statistic: _MeasureFunction
uncertainty_coefficient: _MeasureFunction
unweighted_average_recall: _MeasureFunction
v_p: _MeasureFunction
wauc: _MeasureFunction
weighted_area_under_the_roc_curve: _MeasureFunction
weighted_auc: _MeasureFunction
weighted_f1: _MeasureFunction
weighted_f_beta: _MeasureFunction
weighted_precision: _MeasureFunction
youden: _MeasureFunction
youden_j: _MeasureFunction
