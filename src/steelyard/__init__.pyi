"""Written by tools/write_stub.py."""

from collections.abc import Iterable
from typing import Any, Final, Protocol

from steelyard import curves as curves
from steelyard import relevance as relevance
from steelyard import thresholds as thresholds
from steelyard.auditing.judge import audit as audit
from steelyard.counts.confusion import Confusion as Confusion
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts as ScoreCounts
from steelyard.errors import InputError as InputError
from steelyard.errors import SteelyardError as SteelyardError
from steelyard.errors import UndefinedError as UndefinedError
from steelyard.integrations.displays import EvaluationDisplay as EvaluationDisplay
from steelyard.integrations.prior_correction import PriorCorrection as PriorCorrection
from steelyard.integrations.sklearn import cross_evaluate as cross_evaluate
from steelyard.integrations.sklearn import scorer as scorer
from steelyard.integrations.sklearn import scorers as scorers
from steelyard.judgement.compare.judge import compare as compare
from steelyard.judgement.evaluate.judge import evaluate as evaluate
from steelyard.judgement.evaluate.result import Evaluation as Evaluation
from steelyard.judgement.gate.judge import gate as gate
from steelyard.judgement.metrics.judge import metrics as metrics
from steelyard.judgement.multilabel.judge import evaluate_multilabel as evaluate_multilabel
from steelyard.judgement.multilabel.judge import multilabel as multilabel
from steelyard.judgement.plan.judge import plan as plan
from steelyard.judgement.priors.judge import estimate_priors as estimate_priors
from steelyard.judgement.priors.judge import priors as priors
from steelyard.judgement.recommend.judge import recommend as recommend
from steelyard.judgement.sample.judge import sample as sample
from steelyard.judgement.threshold.judge import threshold as threshold
from steelyard.judgement.watch.judge import watch as watch
from steelyard.judgement.watch.monitor import Watch as Watch
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
from steelyard.proofs.judge import examine as examine
from steelyard.reading.counting import count as count
from steelyard.reading.counting import Counts as Counts
from steelyard.reading.tally import Tally as Tally
from steelyard.scores.class_weights import best_class_weights as best_class_weights
from steelyard.scores.delong import delong as delong
from steelyard.scores.prior_shift import correct_probabilities as correct_probabilities
from steelyard.scores.threshold_selection import best_threshold as best_threshold
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
    "metrics",
    "multi_class",
    "multilabel",
    "normalised",
    "one_versus_all",
    "one_versus_one",
    "plan",
    "priors",
    "recommend",
    "relevance",
    "sample",
    "scorer",
    "scorers",
    "threshold",
    "thresholds",
    "two_class",
    "watch",
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

AC1: _MeasureFunction
ACC: _MeasureFunction
ACC_Macro: _MeasureFunction
ACSA: _MeasureFunction
AGF: _MeasureFunction
AGM: _MeasureFunction
AGm: _MeasureFunction
AP: _MeasureFunction
AUNP: _MeasureFunction
AUNU: _MeasureFunction
AUPR: _MeasureFunction
AUROC_OVA: _MeasureFunction
AUROC_OVO: _MeasureFunction
AURPC: _MeasureFunction
AURPC_OVA: _MeasureFunction
Acc: _MeasureFunction
Alpha: _MeasureFunction
AvAcc: _MeasureFunction
AvF_1: _MeasureFunction
AvF_beta: _MeasureFunction
AveragePrecision: _MeasureFunction
BA: _MeasureFunction
BER: _MeasureFunction
BS: _MeasureFunction
BSS: _MeasureFunction
Bangdiwala_B: _MeasureFunction
Bennett_S: _MeasureFunction
BinaryAUROC: _MeasureFunction
BinaryAccuracy: _MeasureFunction
BinaryAveragePrecision: _MeasureFunction
BinaryCohenKappa: _MeasureFunction
BinaryF1Score: _MeasureFunction
BinaryFBetaScore: _MeasureFunction
BinaryHammingDistance: _MeasureFunction
BinaryJaccardIndex: _MeasureFunction
BinaryMatthewsCorrCoef: _MeasureFunction
BinaryNegativePredictiveValue: _MeasureFunction
BinaryPrecision: _MeasureFunction
BinaryRecall: _MeasureFunction
BinarySpecificity: _MeasureFunction
CBA: _MeasureFunction
CD: _MeasureFunction
CEN: _MeasureFunction
CSI: _MeasureFunction
Chi_Squared: _MeasureFunction
CohenKappa: _MeasureFunction
Cramer_V: _MeasureFunction
DOR: _MeasureFunction
DSC: _MeasureFunction
Dom: _MeasureFunction
ECE: _MeasureFunction
ERR: _MeasureFunction
ETS: _MeasureFunction
Err: _MeasureFunction
F05: _MeasureFunction
F1Score: _MeasureFunction
F1_Macro: _MeasureFunction
F1_Micro: _MeasureFunction
FBetaScore: _MeasureFunction
FDR: _MeasureFunction
FM: _MeasureFunction
FNR: _MeasureFunction
FNR_Macro: _MeasureFunction
FOR: _MeasureFunction
FPR: _MeasureFunction
FPR_Macro: _MeasureFunction
F_1: _MeasureFunction
F_1M: _MeasureFunction
F_1mu: _MeasureFunction
F_beta: _MeasureFunction
F_betaM: _MeasureFunction
F_betamu: _MeasureFunction
F_measure: _MeasureFunction
F_mu: _MeasureFunction
Fscore_B: _MeasureFunction
GM_r: _MeasureFunction
GMean: _MeasureFunction
GSS: _MeasureFunction
Gm: _MeasureFunction
Gmean: _MeasureFunction
Gwet_AC1: _MeasureFunction
HammingDistance: _MeasureFunction
HammingLoss: _MeasureFunction
Hamming_Loss: _MeasureFunction
IAM: _MeasureFunction
IBA: _MeasureFunction
JaccardIndex: _MeasureFunction
KL: _MeasureFunction
KL_Divergence: _MeasureFunction
KS: _MeasureFunction
Kappa: _MeasureFunction
KappaUnbiased: _MeasureFunction
Kappa_Unbiased: _MeasureFunction
Krippendorff_Alpha: _MeasureFunction
LambdaA: _MeasureFunction
LambdaB: _MeasureFunction
Lambda_A: _MeasureFunction
Lambda_B: _MeasureFunction
MAE_M: _MeasureFunction
MAP: _MeasureFunction
MAR: _MeasureFunction
MAvA: _MeasureFunction
MAvG: _MeasureFunction
MCB: _MeasureFunction
MCC: _MeasureFunction
MCEN: _MeasureFunction
MI: _MeasureFunction
MatthewsCorrCoef: _MeasureFunction
MulticlassAUROC: _MeasureFunction
MulticlassAccuracy: _MeasureFunction
MulticlassAveragePrecision: _MeasureFunction
MulticlassCohenKappa: _MeasureFunction
MulticlassF1Score: _MeasureFunction
MulticlassFBetaScore: _MeasureFunction
MulticlassJaccardIndex: _MeasureFunction
MulticlassMatthewsCorrCoef: _MeasureFunction
MulticlassNegativePredictiveValue: _MeasureFunction
MulticlassPrecision: _MeasureFunction
MulticlassRecall: _MeasureFunction
MulticlassSpecificity: _MeasureFunction
MutualInformation: _MeasureFunction
Mutual_Information: _MeasureFunction
NIR: _MeasureFunction
NLR: _MeasureFunction
NMI: _MeasureFunction
NPV: _MeasureFunction
NPV_Macro: _MeasureFunction
NegativePredictiveValue: _MeasureFunction
OOC: _MeasureFunction
OP: _MeasureFunction
Overall_ACC: _MeasureFunction
Overall_CEN: _MeasureFunction
Overall_MCC: _MeasureFunction
Overall_MCEN: _MeasureFunction
PLR: _MeasureFunction
PPV: _MeasureFunction
PPV_Macro: _MeasureFunction
PPV_Micro: _MeasureFunction
PRE: _MeasureFunction
PT: _MeasureFunction
Pearson_C: _MeasureFunction
Phi_Squared: _MeasureFunction
Prec: _MeasureFunction
Prec_M: _MeasureFunction
Prec_mu: _MeasureFunction
Precision: _MeasureFunction
QWK: _MeasureFunction
RCI: _MeasureFunction
RR: _MeasureFunction
R_K: _MeasureFunction
Rec_M: _MeasureFunction
Rec_mu: _MeasureFunction
Recall: _MeasureFunction
SBA: _MeasureFunction
SEDI: _MeasureFunction
Scott_PI: _MeasureFunction
Specificity: _MeasureFunction
TNR: _MeasureFunction
TNR_Macro: _MeasureFunction
TNr: _MeasureFunction
TOPR: _MeasureFunction
TPR: _MeasureFunction
TPR_Macro: _MeasureFunction
TPR_Micro: _MeasureFunction
TPr: _MeasureFunction
TS: _MeasureFunction
UNC: _MeasureFunction
ac1: _MeasureFunction
acc: _MeasureFunction
acc_B: _MeasureFunction
acc_b: _MeasureFunction
accuracy: _MeasureFunction
accuracy_at_k: _MeasureFunction
accuracy_ratio: _MeasureFunction
accuracy_score: _MeasureFunction
acsa: _MeasureFunction
adjusted_f: _MeasureFunction
adjusted_f_measure: _MeasureFunction
adjusted_f_score: _MeasureFunction
adjusted_geometric_mean: _MeasureFunction
adjusted_gmean: _MeasureFunction
agf: _MeasureFunction
agm: _MeasureFunction
alert_rate: _MeasureFunction
amae: _MeasureFunction
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
bacc: _MeasureFunction
bal_accuracy: _MeasureFunction
balanced_accuracy: _MeasureFunction
balanced_accuracy_score: _MeasureFunction
balanced_error_rate: _MeasureFunction
balanced_f1: _MeasureFunction
balanced_f_beta: _MeasureFunction
balanced_precision: _MeasureFunction
bangdiwala_b: _MeasureFunction
bangdiwalas_b: _MeasureFunction
bennett_s: _MeasureFunction
bennetts_s: _MeasureFunction
ber: _MeasureFunction
bookmaker: _MeasureFunction
bookmaker_informedness: _MeasureFunction
braun_blanquet: _MeasureFunction
braun_blanquet_similarity: _MeasureFunction
brennan_prediger: _MeasureFunction
brier: _MeasureFunction
brier_class: _MeasureFunction
brier_discrimination: _MeasureFunction
brier_miscalibration: _MeasureFunction
brier_reliability: _MeasureFunction
brier_resolution: _MeasureFunction
brier_score: _MeasureFunction
brier_score_loss: _MeasureFunction
brier_skill: _MeasureFunction
brier_skill_score: _MeasureFunction
brier_uncertainty: _MeasureFunction
bss: _MeasureFunction
c_statistic: _MeasureFunction
calibration_distance: _MeasureFunction
calibration_error: _MeasureFunction
cba: _MeasureFunction
cen: _MeasureFunction
chi2: _MeasureFunction
chi_squared: _MeasureFunction
class_balance_accuracy: _MeasureFunction
class_weighted_accuracy: _MeasureFunction
classwise_calibration_error: _MeasureFunction
classwise_ece: _MeasureFunction
closest_topleft: _MeasureFunction
coefficient_of_colligation: _MeasureFunction
cohen_kappa: _MeasureFunction
cohen_kappa_score: _MeasureFunction
cohens_kappa: _MeasureFunction
completeness: _MeasureFunction
completeness_score: _MeasureFunction
concordance: _MeasureFunction
confusion_entropy: _MeasureFunction
contingency_coefficient: _MeasureFunction
correlation_distance: _MeasureFunction
cramer_v: _MeasureFunction
cramers_v: _MeasureFunction
critical_success_index: _MeasureFunction
cross_entropy: _MeasureFunction
csi: _MeasureFunction
cwA: _MeasureFunction
cwa: _MeasureFunction
d2_brier_score: _MeasureFunction
d2_log_loss_score: _MeasureFunction
dInd: _MeasureFunction
debiased_calibration_error: _MeasureFunction
debiased_root_mean_square_calibration_error: _MeasureFunction
delta_p: _MeasureFunction
detection_prevalence: _MeasureFunction
diagnostic_odds_ratio: _MeasureFunction
dice: _MeasureFunction
dind: _MeasureFunction
distance_index: _MeasureFunction
dom: _MeasureFunction
dominance: _MeasureFunction
dor: _MeasureFunction
dsc: _MeasureFunction
ece: _MeasureFunction
equitable_threat_score: _MeasureFunction
er: _MeasureFunction
er_B: _MeasureFunction
er_b: _MeasureFunction
err: _MeasureFunction
error_rate: _MeasureFunction
ets: _MeasureFunction
expected_calibration_error: _MeasureFunction
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
f_meas: _MeasureFunction
f_measure: _MeasureFunction
f_micro: _MeasureFunction
f_mu: _MeasureFunction
fall_out: _MeasureFunction
false_discovery_rate: _MeasureFunction
false_negative_rate: _MeasureFunction
false_omission_rate: _MeasureFunction
false_positive_rate: _MeasureFunction
fbeta_score: _MeasureFunction
fdr: _MeasureFunction
fnr: _MeasureFunction
fowlkes_mallows: _MeasureFunction
fowlkes_mallows_index: _MeasureFunction
fpr: _MeasureFunction
fscore_b: _MeasureFunction
g_mean: _MeasureFunction
g_mean_score: _MeasureFunction
gain_capture: _MeasureFunction
gamma_C: _MeasureFunction
gamma_c: _MeasureFunction
generalised_means: _MeasureFunction
generalized_means: _MeasureFunction
geometric_mean: _MeasureFunction
geometric_mean_score: _MeasureFunction
gilbert: _MeasureFunction
gilbert_skill_score: _MeasureFunction
gini: _MeasureFunction
gini_coefficient: _MeasureFunction
gm_r: _MeasureFunction
gmean: _MeasureFunction
goodman_and_kruskal_lambda: _MeasureFunction
goodman_kruskal_lambda: _MeasureFunction
goodman_kruskal_lambda_b: _MeasureFunction
gss: _MeasureFunction
gwet_ac1: _MeasureFunction
gwets_ac1: _MeasureFunction
h_measure: _MeasureFunction
hamming_loss: _MeasureFunction
hand_and_till: _MeasureFunction
hand_measure: _MeasureFunction
hand_till: _MeasureFunction
hanssen_kuipers: _MeasureFunction
heidke: _MeasureFunction
heidke_skill_score: _MeasureFunction
hit_rate: _MeasureFunction
homogeneity_score: _MeasureFunction
hss: _MeasureFunction
iam: _MeasureFunction
imbalance_accuracy: _MeasureFunction
imbalance_accuracy_metric: _MeasureFunction
index_of_balanced_accuracy: _MeasureFunction
informedness: _MeasureFunction
intersection_over_union: _MeasureFunction
j_index: _MeasureFunction
jaccard: _MeasureFunction
jaccard_index: _MeasureFunction
jaccard_score: _MeasureFunction
kap: _MeasureFunction
kappa: _MeasureFunction
kappa_a: _MeasureFunction
kappa_linear: _MeasureFunction
kappa_quadratic: _MeasureFunction
kappa_unbiased: _MeasureFunction
kl_divergence: _MeasureFunction
kolmogorov_smirnov: _MeasureFunction
kolmogorov_smirnov_calibration_error: _MeasureFunction
kolmogorov_smirnov_statistic: _MeasureFunction
krippendorff_alpha: _MeasureFunction
krippendorffs_alpha: _MeasureFunction
ks_statistic: _MeasureFunction
kullback_leibler: _MeasureFunction
kullback_leibler_divergence: _MeasureFunction
lambda_a: _MeasureFunction
lambda_b: _MeasureFunction
lift: _MeasureFunction
linear_kappa: _MeasureFunction
linear_weighted_kappa: _MeasureFunction
log_loss: _MeasureFunction
log_loss_skill: _MeasureFunction
log_loss_skill_score: _MeasureFunction
logarithmic_loss: _MeasureFunction
logarithmic_score: _MeasureFunction
lr_: _MeasureFunction
mAURPC: _MeasureFunction
mAURPC_OVA: _MeasureFunction
mPrecision: _MeasureFunction
macro_average_precision: _MeasureFunction
macro_average_recall: _MeasureFunction
macro_averaged_mae: _MeasureFunction
macro_averaged_mean_absolute_error: _MeasureFunction
macro_f1: _MeasureFunction
macro_f_beta: _MeasureFunction
macro_jaccard: _MeasureFunction
macro_mae: _MeasureFunction
macro_precision: _MeasureFunction
macro_recall: _MeasureFunction
macro_threat_score: _MeasureFunction
mae_m: _MeasureFunction
mar: _MeasureFunction
markedness: _MeasureFunction
matthews_corrcoef: _MeasureFunction
matthews_correlation_coefficient: _MeasureFunction
maurpc: _MeasureFunction
maurpc_ova: _MeasureFunction
mava: _MeasureFunction
mavg: _MeasureFunction
mcb: _MeasureFunction
mcc: _MeasureFunction
mcen: _MeasureFunction
mean_average_precision: _MeasureFunction
mean_binary_accuracy: _MeasureFunction
mean_f1: _MeasureFunction
mean_intersection_over_union: _MeasureFunction
mean_iou: _MeasureFunction
mean_precision: _MeasureFunction
mean_recall: _MeasureFunction
mean_square_contingency: _MeasureFunction
micro_f1: _MeasureFunction
micro_precision: _MeasureFunction
micro_recall: _MeasureFunction
miss_rate: _MeasureFunction
mn_log_loss: _MeasureFunction
modified_confusion_entropy: _MeasureFunction
mortaz_f_score: _MeasureFunction
mprecision: _MeasureFunction
multiclass_auc: _MeasureFunction
mutual_information: _MeasureFunction
nAUROC_OVA: _MeasureFunction
nauroc_ova: _MeasureFunction
negative_likelihood_ratio: _MeasureFunction
negative_log_likelihood: _MeasureFunction
negative_predictive_value: _MeasureFunction
nir: _MeasureFunction
nlr: _MeasureFunction
nmi: _MeasureFunction
no_information_rate: _MeasureFunction
normalised_mutual_information: _MeasureFunction
normalized_mutual_info_score: _MeasureFunction
normalized_mutual_information: _MeasureFunction
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
overlap: _MeasureFunction
overlap_coefficient: _MeasureFunction
p4: _MeasureFunction
p4_metric: _MeasureFunction
pAUC: _MeasureFunction
partial_area_under_the_roc_curve: _MeasureFunction
partial_auc: _MeasureFunction
pauc: _MeasureFunction
pearson_c: _MeasureFunction
pearsons_c: _MeasureFunction
peirce: _MeasureFunction
peirce_skill_score: _MeasureFunction
phi_coefficient: _MeasureFunction
phi_squared: _MeasureFunction
plr: _MeasureFunction
positive_likelihood_ratio: _MeasureFunction
positive_predictive_value: _MeasureFunction
ppv: _MeasureFunction
pr: _MeasureFunction
pr_B: _MeasureFunction
pr_b: _MeasureFunction
prec: _MeasureFunction
prec_m: _MeasureFunction
prec_micro: _MeasureFunction
prec_mu: _MeasureFunction
precision: _MeasureFunction
precision_score: _MeasureFunction
precision_weighted: _MeasureFunction
predicted_prevalence: _MeasureFunction
prevalence: _MeasureFunction
prevalence_threshold: _MeasureFunction
quadratic_kappa: _MeasureFunction
quadratic_score: _MeasureFunction
quadratic_weighted_kappa: _MeasureFunction
qwk: _MeasureFunction
r_k: _MeasureFunction
ranking_auc: _MeasureFunction
rci: _MeasureFunction
re: _MeasureFunction
rec_m: _MeasureFunction
rec_micro: _MeasureFunction
rec_mu: _MeasureFunction
recall: _MeasureFunction
recall_score: _MeasureFunction
relative_classifier_information: _MeasureFunction
relative_entropy: _MeasureFunction
relative_information_gain: _MeasureFunction
relative_risk: _MeasureFunction
rho_a: _MeasureFunction
rho_o: _MeasureFunction
risk_ratio: _MeasureFunction
roc_auc: _MeasureFunction
roc_auc_ovo: _MeasureFunction
roc_auc_ovr: _MeasureFunction
roc_auc_score: _MeasureFunction
roc_aunp: _MeasureFunction
roc_aunu: _MeasureFunction
roc_dist: _MeasureFunction
roc_distance: _MeasureFunction
sInd: _MeasureFunction
s_score: _MeasureFunction
sba: _MeasureFunction
scott_pi: _MeasureFunction
scotts_pi: _MeasureFunction
sedi: _MeasureFunction
selectivity: _MeasureFunction
sens: _MeasureFunction
sensitivity: _MeasureFunction
sensitivity_score: _MeasureFunction
similarity_index: _MeasureFunction
sind: _MeasureFunction
single_point_auc: _MeasureFunction
somers_d: _MeasureFunction
sorensen_dice: _MeasureFunction
sp: _MeasureFunction
spec: _MeasureFunction
specificity: _MeasureFunction
specificity_score: _MeasureFunction
spherical: _MeasureFunction
spherical_score: _MeasureFunction
static_calibration_error: _MeasureFunction
symmetric_balanced_accuracy: _MeasureFunction
symmetric_extremal_dependence_index: _MeasureFunction
szymkiewicz_simpson: _MeasureFunction
theils_u: _MeasureFunction
threat_score: _MeasureFunction
tnr: _MeasureFunction
top_k_accuracy: _MeasureFunction
top_k_accuracy_score: _MeasureFunction
tpr: _MeasureFunction
true_negative_rate: _MeasureFunction
true_positive_rate: _MeasureFunction
true_skill_statistic: _MeasureFunction
tss: _MeasureFunction
tversky: _MeasureFunction
tversky_index: _MeasureFunction
unc: _MeasureFunction
uncertainty_coefficient: _MeasureFunction
unweighted_average_recall: _MeasureFunction
v_P: _MeasureFunction
v_measure: _MeasureFunction
v_measure_score: _MeasureFunction
v_p: _MeasureFunction
wAUC: _MeasureFunction
wauc: _MeasureFunction
weighted_area_under_the_roc_curve: _MeasureFunction
weighted_auc: _MeasureFunction
weighted_f1: _MeasureFunction
weighted_f_beta: _MeasureFunction
weighted_precision: _MeasureFunction
weighted_recall: _MeasureFunction
youden: _MeasureFunction
youden_j: _MeasureFunction
yule_q: _MeasureFunction
yule_y: _MeasureFunction
yules_q: _MeasureFunction
yules_y: _MeasureFunction
zero_one_loss: _MeasureFunction
