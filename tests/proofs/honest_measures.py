"""Measures as people write them: each is read, and what is true of it is proved (property, C = 2)."""

PRIOR, SCALE, ORDER, TURN = "prior-invariance", "scale-invariance", "order-invariance", "transposition"

HONEST = (
    ("recall", "f(tp, fn, fp, tn)", "return tp / (tp + fn)", PRIOR),
    ("precision", "f(tp, fn, fp, tn)", "return tp / (tp + fp)", SCALE),
    ("specificity", "f(tp, fn, fp, tn)", "return tn / (tn + fp)", PRIOR),
    ("balanced accuracy", "f(tp, fn, fp, tn)", "return 0.5 * (tp / (tp + fn) + tn / (tn + fp))", PRIOR),
    ("F1", "f(tp, fn, fp, tn)", "return 2 * tp / (2 * tp + fp + fn)", TURN),
    ("F1 of precision and recall", "f(tp, fn, fp, tn)", "p = tp / (tp + fp)\nr = tp / (tp + fn)\nreturn 2 * p * r / (p + r)", TURN),
    ("F-beta", "f(tp, fn, fp, tn, beta=2.0)", "b = beta ** 2\nreturn (1 + b) * tp / ((1 + b) * tp + b * fn + fp)", SCALE),
    ("G-mean", "f(tp, fn, fp, tn)", "return np.sqrt(tp / (tp + fn) * tn / (tn + fp))", PRIOR),
    ("G-mean by a power", "f(tp, fn, fp, tn)", "return (tp / (tp + fn) * tn / (tn + fp)) ** 0.5", PRIOR),
    ("Jaccard", "f(tp, fn, fp, tn)", "return tp / (tp + fp + fn)", TURN),
    ("MCC", "f(tp, fn, fp, tn)", "bottom = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))\nreturn (tp * tn - fp * fn) / bottom", TURN),
    ("kappa", "f(tp, fn, fp, tn)", "n = tp + fn + fp + tn\nchance = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / n ** 2\nreturn ((tp + tn) / n - chance) / (1 - chance)", TURN),
    ("informedness", "f(tp, fn, fp, tn)", "return tp / (tp + fn) + tn / (tn + fp) - 1", PRIOR),
    ("markedness", "f(tp, fn, fp, tn)", "return tp / (tp + fp) + tn / (tn + fn) - 1", SCALE),
    ("odds ratio", "f(tp, fn, fp, tn)", "return (tp * tn) / (fp * fn)", PRIOR),
    ("log odds ratio", "f(tp, fn, fp, tn)", "return np.log(tp * tn / (fp * fn))", PRIOR),
    ("Yule's Q", "f(tp, fn, fp, tn)", "odds = tp * tn / (fp * fn)\nreturn (odds - 1) / (odds + 1)", PRIOR),
    ("lift", "f(tp, fn, fp, tn)", "n = tp + fn + fp + tn\nreturn n * tp / ((tp + fn) * (tp + fp))", TURN),
    ("Fowlkes-Mallows", "f(tp, fn, fp, tn)", "return np.sqrt(tp / (tp + fp) * (tp / (tp + fn)))", TURN),
    ("guarded precision", "f(tp, fn, fp, tn)", "return np.where(tp + fp == 0, 0.0, tp / (tp + fp))", SCALE),
    ("guarded by an if", "f(tp, fn, fp, tn)", "if tp + fp == 0:\n    return 0.0\nreturn tp / (tp + fp)", SCALE),
    ("guarded quietly", "f(tp, fn, fp, tn)", "with np.errstate(divide='ignore', invalid='ignore'):\n    return np.where(tp + fn > 0, tp / (tp + fn), 0)", SCALE),
    ("absolute difference of rates", "f(tp, fn, fp, tn)", "return 1 - abs(tp / (tp + fn) - tn / (tn + fp))", PRIOR),
    ("smaller rate", "f(tp, fn, fp, tn)", "return np.minimum(tp / (tp + fn), tn / (tn + fp))", PRIOR),
    ("constants of the file", "f(tp, fn, fp, tn)", "return WEIGHT * tp / (tp + fn) + (1 - WEIGHT) * tn / (tn + fp)", PRIOR),
    ("a helper", "f(tp, fn, fp, tn)", "return (rate(tp, fn) + rate(tn, fp)) / 2", PRIOR),
    ("my_metric", "f(m)", "hits = np.diagonal(m, axis1=-2, axis2=-1)\nreturn (hits / m.sum(axis=-1)).mean(axis=-1)", PRIOR),
    ("accuracy by trace", "f(m)", "return np.trace(m) / m.sum()", TURN),
    ("accuracy of many", "f(m)", "m = np.asarray(m)\nreturn np.trace(m, axis1=-2, axis2=-1) / m.sum(axis=(-2, -1))", ORDER),
    ("macro precision", "f(m)", "return np.mean(np.diag(m) / m.sum(axis=0))", SCALE),
    ("macro F1", "f(m)", "hits = np.diag(m)\nreturn np.mean(2 * hits / (m.sum(axis=0) + m.sum(axis=1)))", TURN),
    ("G-mean of classes", "f(m)", "recalls = np.diagonal(m) / m.sum(axis=1)\nreturn np.prod(recalls) ** (1 / m.shape[0])", PRIOR),
    ("CBA", "f(m)", "return np.mean(np.diag(m) / np.maximum(m.sum(axis=0), m.sum(axis=1)))", TURN),
    ("a loop over classes", "f(m)", "n = m.shape[0]\ntotal = 0\nfor i in range(n):\n    total += m[i, i] / m[i].sum()\nreturn total / n", PRIOR),
    ("a sum over classes", "f(m)", "return sum(m[i, i] / sum(m[i, j] for j in range(len(m))) for i in range(len(m))) / len(m)", PRIOR),
    ("the worst recall", "f(m)", "return np.min(np.diag(m) / m.sum(axis=1))", PRIOR),
    ("kappa of classes", "f(m)", "n = m.sum()\nchance = (m.sum(axis=0) * m.sum(axis=1)).sum() / n ** 2\nreturn (np.trace(m) / n - chance) / (1 - chance)", TURN),
    ("by transposition", "f(m)", "t = m.T\nreturn (np.diag(t) / t.sum(axis=0)).sum() / 2", PRIOR),
    ("rows divided", "f(m)", "rates = m / m.sum(axis=-1, keepdims=True)\nreturn np.trace(rates) / m.shape[-1]", PRIOR),
    ("a branch on the number of classes", "f(m)", "if m.shape[-1] == 2:\n    return m[0, 0] / m[0].sum()\nreturn np.trace(m) / m.sum()", PRIOR),
    ("division with a place to put it", "f(m)", "rows = m.sum(axis=1)\nhits = np.diag(m)\nrecalls = np.divide(hits, rows, out=np.zeros_like(hits), where=rows != 0)\nreturn recalls.mean()", SCALE),
    ("squares", "f(m)", "return np.square(np.diag(m)).sum() / np.power(m.sum(), 2)", SCALE),
    ("identity", "f(m)", "return (m * np.eye(m.shape[0])).sum() / m.sum()", TURN),
    ("unpacked", "f(m)", "(a, b), (c, d) = m\nreturn a / (a + b)", PRIOR),
)  # fmt: skip

BEFORE = 'import numpy as np\n\nWEIGHT = 0.3\n\n\ndef rate(a, b):\n    """a of a + b"""\n    return a / (a + b)\n\n\n'


def source(signature, body):
    return BEFORE + f"def {signature}:\n" + "".join(f"    {line}\n" for line in body.splitlines())
