"""The papers' formulas a second time, in plain Python fractions and nothing else, to check the engine's counterexamples against.

Roots are left out by giving the square of a measure that is one: equal squares of non-negative numbers are equal numbers.
"""

from fractions import Fraction


def sums(m):
    n = range(len(m))
    t = [sum(m[i]) for i in n]
    p = [sum(m[i][j] for i in n) for j in n]
    d = [m[i][i] for i in n]
    return n, t, p, d, sum(t)


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def cells(m):
    (tp, fn), (fp, tn) = m
    return tp, fn, fp, tn


def recall(m):
    tp, fn, _, _ = cells(m)
    return tp / (tp + fn)


def specificity(m):
    _, _, fp, tn = cells(m)
    return tn / (tn + fp)


def precision(m):
    tp, _, fp, _ = cells(m)
    return tp / (tp + fp)


def f_beta(m):
    tp, fn, fp, _ = cells(m)
    return 2 * tp / (2 * tp + fn + fp)


def accuracy(m):
    _, _, _, d, total = sums(m)
    return sum(d) / total


def macro_recall(m):
    n, t, _, d, _ = sums(m)
    return mean(d[i] / t[i] for i in n)


def macro_precision(m):
    n, _, p, d, _ = sums(m)
    return mean(d[i] / p[i] for i in n)


def macro_f_beta(m):
    n, t, p, d, _ = sums(m)
    return mean(2 * d[i] / (t[i] + p[i]) for i in n)


def class_balance_accuracy(m):
    n, t, p, d, _ = sums(m)
    return mean(d[i] / max(t[i], p[i]) for i in n)


def imbalance_accuracy(m):
    n, t, p, d, _ = sums(m)
    return mean((d[i] - max(t[i] - d[i], p[i] - d[i])) / max(t[i], p[i]) for i in n)


def auroc_ovo(m):
    n, t, _, _, _ = sums(m)
    c = len(m)
    return sum(1 + m[i][i] / t[i] - sum(m[j][i] / ((c - 1) * t[j]) for j in n if j != i) for i in n) / (2 * c)


def auroc_ova(m):
    n, t, p, d, total = sums(m)
    return sum(1 + d[i] / t[i] - (p[i] - d[i]) / (total - t[i]) for i in n) / (2 * len(m))


def nauroc_ova(m):
    low = Fraction(len(m) - 2, 2 * len(m))
    return (auroc_ova(m) - low) / (1 - low)


def aurpc_ova(m):
    n, t, p, d, _ = sums(m)
    return sum(d[i] / p[i] + d[i] / t[i] for i in n) / (2 * len(m))


def maurpc_ova(m):
    n, t, _, d, _ = sums(m)
    return sum((d[i] / t[i]) / sum(m[j][i] / t[j] for j in n) + d[i] / t[i] for i in n) / (2 * len(m))


def kappa(m):
    n, t, p, d, total = sums(m)
    chance = sum(t[i] * p[i] for i in n) / total**2
    return (sum(d) / total - chance) / (1 - chance)


def optimized_precision(m):
    x, y = recall(m), specificity(m)
    return accuracy(m) - abs(y - x) / (y + x)


def balanced_precision(m):
    return recall(m) / (recall(m) + 1 - specificity(m))


def balanced_f_beta(m):
    x, y = recall(m), specificity(m)
    return 2 * x / (2 * x + (1 - x) + (1 - y))


def gmean_power(m):
    """The product of the recalls: the C-th power of the geometric mean."""
    product = Fraction(1)
    for row, i in zip(m, range(len(m)), strict=True):
        product *= m[i][i] / sum(row)
    return product


RATIONAL = {
    "recall": recall, "specificity": specificity, "precision": precision, "f_beta": f_beta, "accuracy": accuracy, "macro_recall": macro_recall,
    "macro_precision": macro_precision, "macro_f_beta": macro_f_beta, "class_balance_accuracy": class_balance_accuracy, "imbalance_accuracy": imbalance_accuracy,
    "auroc_ovo": auroc_ovo, "auroc_ova": auroc_ova, "nauroc_ova": nauroc_ova, "aurpc_ova": aurpc_ova, "maurpc_ova": maurpc_ova, "kappa": kappa,
    "optimized_precision": optimized_precision, "balanced_precision": balanced_precision, "balanced_f_beta": balanced_f_beta,
}  # fmt: skip


def value(formula, m):
    """The value, or None where a denominator is 0."""
    try:
        return formula(m)
    except ZeroDivisionError:
        return None
