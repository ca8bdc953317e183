// @steelyard/core: written by tools/write_js.py from the graphs of the metrics. Do not edit.

export type MetricId = "accuracy" | "adjusted_f" | "adjusted_gmean" | "auc_point" | "auroc_ova" | "auroc_ovo" | "aurpc_ova" | "aurpc_point" | "average_accuracy" | "balanced_accuracy" | "balanced_error_rate" | "balanced_f_beta" | "balanced_precision" | "bangdiwala_b" | "bennett_s" | "braun_blanquet" | "chi_squared" | "class_balance_accuracy" | "class_weighted_accuracy" | "completeness" | "confusion_entropy" | "correlation_distance" | "cramer_v" | "detection_prevalence" | "diagnostic_odds_ratio" | "distance_index" | "dominance" | "error_rate" | "f_beta" | "f_beta_of_macros" | "false_discovery_rate" | "false_omission_rate" | "fnr" | "fowlkes_mallows" | "fpr" | "generalised_means" | "gilbert_skill_score" | "gmean" | "goodman_kruskal_lambda" | "goodman_kruskal_lambda_b" | "gwet_ac1" | "iba" | "imbalance_accuracy" | "informedness" | "kappa" | "kl_divergence" | "krippendorff_alpha" | "lift" | "linear_weighted_kappa" | "macro_f_beta" | "macro_jaccard" | "macro_mae" | "macro_precision" | "macro_recall" | "markedness" | "maurpc" | "maurpc_ova" | "mcc" | "mean_binary_accuracy" | "modified_confusion_entropy" | "mutual_information" | "nauroc_ova" | "negative_likelihood_ratio" | "negative_predictive_value" | "no_information_rate" | "normalised_mutual_information" | "optimized_precision" | "overlap_coefficient" | "p4" | "pearson_c" | "phi_squared" | "positive_likelihood_ratio" | "precision" | "prevalence" | "prevalence_threshold" | "quadratic_weighted_kappa" | "recall" | "relative_classifier_information" | "relative_risk" | "scott_pi" | "sedi" | "similarity_index" | "specificity" | "threat_score" | "tversky" | "weighted_f_beta" | "weighted_precision" | "yule_q" | "yule_y";
export type Label = string | number | boolean;
export interface Metric {
  name: string;
  title: string;
  kind: "two-class" | "multi-class";
  better: "higher" | "lower" | "neither";
  formula: string;
  /** Do some confusions count more than others (ordered classes)? */
  weighs: boolean;
  /** Least and greatest value: null is infinite, a list has one for each number of classes from 2 on. */
  range: [number | null | number[], number | null | number[]];
}
export interface Confusion {
  labels?: Label[];
  /** Counts; rows are truth. */
  rows: number[][];
}
export interface Value {
  value: number;
  /** Why there is no value (NaN); null where there is one. */
  why: string | null;
}
export interface Point {
  threshold: number;
  /** [[tp, fn], [fp, tn]] */
  rows: number[][];
}
export const METRICS: Record<MetricId, Metric>;
export function confusion(truth: Label[], predicted: Label[], labels?: Label[]): Required<Confusion>;
export function metric(
  name: MetricId | (string & {}), matrix: Confusion | number[][], options?: { positive?: Label }
): Value;
export function metrics(
  matrix: Confusion | number[][], options?: { positive?: Label }
): Partial<Record<MetricId, number>>;
export interface Interval {
  estimate: number;
  low: number;
  high: number;
  level: number;
  draws: number;
  /** Draws in which the metric is undefined; they are left out. */
  undefined: number;
  /** Why there is no interval (low and high are NaN); null where there is one. */
  why: string | null;
}
export interface Drawing {
  level?: number;
  draws?: number;
  seed?: number;
  design?: "sample" | "fixed";
}
export type IntervalOptions = Drawing & {
  metrics?: (MetricId | (string & {}))[];
  positive?: Label;
  /** Class prevalences to compute the metrics at, in the order of the classes. */
  priors?: number[];
};
export function intervals(matrix: Confusion | number[][], options?: IntervalOptions): Record<string, Interval>;
export function interval(
  name: MetricId | (string & {}), matrix: Confusion | number[][], options?: Omit<IntervalOptions, "metrics">
): Interval;
export interface Difference {
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
}
export function differences(
  truth: Label[], first: Label[], second: Label[],
  options?: Drawing & { metrics?: (MetricId | (string & {}))[]; positive?: Label; labels?: Label[] }
): Record<string, Difference>;
export function sweep(truth: Label[], scores: number[], positive: Label): Point[];
export function bestThreshold(
  truth: Label[], scores: number[], options: { positive: Label; maximise?: MetricId | (string & {}) }
): Point & { value: number };
