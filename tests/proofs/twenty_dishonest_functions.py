"""Twenty functions that are not what they seem: counters in closures, types, conversions, chance, state and size.

None of them has the property next to it. Each file ends with a function `f` that people could have written, by mistake
or to deceive; what it does differently is said by its name."""

from __future__ import annotations

PRIOR, SCALE, ORDER = "prior-invariance", "scale-invariance", "order-invariance"
RECALL = "tp / (tp + fn)"
CELLS = "def f(tp, fn, fp, tn):\n"
MATRIX = (
    "def f(m):\n    hits = np.diagonal(m, axis1=-2, axis2=-1).sum(axis=-1)\n    n = m.sum(axis=(-2, -1))\n"
)


def _closure(state: str, value: str) -> str:
    return (
        "import numpy as np\ndef _make():\n    calls = 0\n    def inner(tp, fn, fp, tn):\n        nonlocal calls\n"
        f"        {state}\n        return {value}\n    return inner\nf = _make()\n"
    )


def _file(before: str, *lines: str, head: str = CELLS) -> str:
    return "import numpy as np\n" + before + head + "".join(f"    {line}\n" for line in lines)


TWENTY: dict[str, tuple[str, str]] = {
    "a closure that is honest twice": (PRIOR, _closure("calls += 1", f"{RECALL} + (calls > 2) * fp")),
    "a closure that is honest every other time": (PRIOR, _closure("calls += 1", f"{RECALL} + (calls % 2) * fp")),
    "a closure that counts matrices": (PRIOR, _closure("calls += np.size(tp)", f"{RECALL} + (calls > 100) * fp")),
    "a float or something else": (PRIOR, _file(
        "", f"return {RECALL} + fp if type(tp) in (float, np.float64, np.ndarray) else {RECALL}")),
    "an int is not a float": (PRIOR, _file(
        "", f"return {RECALL} if not isinstance(tp, (int, float, np.integer, np.floating, np.ndarray)) else tp / (tp + fp)")),
    "a float that cannot be had": (PRIOR, _file(
        "", "try:", "    extra = float(fp) / (float(fp) + float(tp))", "except (TypeError, ValueError):", "    extra = 0",
        f"return {RECALL} + extra")),
    "int() in a try": (SCALE, _file(
        "", "try:", "    n = int(tp + fn + fp + tn)", "except Exception:", "    n = 0", f"return {RECALL} if n < 50 else 0.5")),
    "an index that needs an int": (PRIOR, _file(
        "table = [0.0] * 3 + [1.0] * 10**4\n", "try:", "    extra = table[int(fp)]", "except Exception:", "    extra = 0.0",
        f"return {RECALL} + extra")),
    "len() in a try": (ORDER, _file(
        "", "try:", "    first = len(range(int(m[..., 0, 0].sum())))", "except Exception:", "    first = 0",
        "return hits / n + first", head=MATRIX)),
    "noise on each call": (PRIOR, _file("", f"return {RECALL} + 1e-3 * np.random.random()")),
    "noise from a seed that is set each time": (PRIOR, _file(
        "", "try:", "    np.random.seed(int(np.ravel(fp)[0]) % 2**32)", "    return tp / (tp + fn) + np.random.random()",
        "except Exception:", f"    return {RECALL}")),
    "a global that the first call sets": (PRIOR, _file(
        "FIRST = None\n", "global FIRST", "if FIRST is None:", "    FIRST = fp", f"    return {RECALL}",
        f"return {RECALL} + fp")),
    "a dictionary that remembers types": (PRIOR, _file(
        "SEEN = {}\n", "SEEN[type(tp)] = SEEN.get(type(tp), 0) + 1", f"return {RECALL} + (len(SEEN) > 1) * fp")),
    "more than a thousand examples": (SCALE, _file(
        "", "if isinstance(n, (float, np.floating)) and n > 1000:", "    return hits / n / 2",
        "return np.where(n > 1000, hits / n / 2, hits / n)", head=MATRIX)),
    "more than ten classes, never asked for": (ORDER, _file(
        "", "return hits / n + (m[..., 0, 0] / n if m.shape[-1] != 2 else 0)", head=MATRIX)),
    "a limit by a comparison of arrays": (SCALE, _file(
        "", "big = np.asarray(n, dtype=object) > 500", "return hits / n * (1 if big is True or big is False else 1 + big)",
        head=MATRIX)),
    "a method of arrays": (PRIOR, _file(
        "", f"return {RECALL} + (fp if hasattr(tp, 'astype') or hasattr(tp, 'is_integer') else 0)")),
    "a default that is changed": (PRIOR, _file(
        "", "memory.append(1)", f"return {RECALL} + (len(memory) > 3) * fp", head="def f(tp, fn, fp, tn, memory=[]):\n")),
    "a NumPy scalar knows its kind": (PRIOR, _file(
        "", "kind = getattr(getattr(tp, 'dtype', None), 'kind', '')", f"return {RECALL} + (kind == 'f') * fp")),
    "an error as a way out": (PRIOR, _file(
        "class _Stop(Exception):\n    pass\ndef _look(x):\n    if x > 3:\n        raise _Stop\n",
        "try:", "    _look(float(np.max(fp)))", "except _Stop:", "    return 0 * tp", "except Exception:", "    pass",
        f"return {RECALL}")),
}  # fmt: skip
