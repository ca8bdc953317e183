"""Thirty functions that lie to whoever examines them, written without looking at how they are examined.

Each is honest recall (or accuracy) for a tracer, or for most inputs, and something else elsewhere: none of them has
the property it is asked for. The grade `proved` would be wrong for every one of them.
"""

from __future__ import annotations

RECALL = "tp / (tp + fn)"
HEAD = "import numpy as np\n"


def _cells(before: str, *lines: str) -> str:
    return HEAD + before + "\n\ndef f(tp, fn, fp, tn):\n" + "".join(f"    {line}\n" for line in lines)


def _matrix(before: str, *lines: str) -> str:
    return HEAD + before + "\n\ndef f(m):\n" + "".join(f"    {line}\n" for line in lines)


PRIOR, SCALE, ORDER = "prior-invariance", "scale-invariance", "order-invariance"

FUNCTIONS: dict[str, tuple[str, str]] = {
    # -- state
    "honest on the first call": (PRIOR, _cells(
        "calls = [0]", "calls[0] += 1", f"return {RECALL} if calls[0] == 1 else (tp + tn) / (tp + fn + fp + tn)")),
    "honest for the first ten thousand calls": (PRIOR, _cells(
        "import itertools\ncount = itertools.count()", f"return {RECALL} + 0.25 * (next(count) > 10_000) * fp")),
    "an attribute of the function": (PRIOR, _cells(
        "", "f.seen = getattr(f, 'seen', 0) + 1", f"return {RECALL} + (f.seen > 1) * fp / (fp + tn + 1)")),
    "a cache keyed by the type": (PRIOR, _cells(
        "import functools\n@functools.lru_cache\ndef kind(t):\n    return t.__module__.startswith('numpy') or t in (int, float)",
        f"return {RECALL} * (1 + kind(type(tp)) * fp)")),
    "a generator that turns": (PRIOR, _cells(
        "def _turn():\n    yield 0.0\n    while True:\n        yield 1.0\nturn = _turn()", f"return {RECALL} + next(turn) * fp")),
    "a class that counts its instances": (PRIOR, _cells(
        "class Box:\n    made = 0\n    def __init__(self, v):\n        Box.made += 1\n        self.v = v + (Box.made > 1) * 7",
        "return Box(tp).v / (tp + fn)")),
    # -- randomness and time
    "a coin that is seldom tossed": (PRIOR, _cells("import random", f"return {RECALL} + (random.random() < 1e-3) * fp")),
    "a seed from the counts": (PRIOR, _cells(
        "", f"try:\n        seed = int(tp)\n    except Exception:\n        return {RECALL}",
        f"return {RECALL} + np.random.default_rng(seed).random() * 1e-3 * fp")),
    "the clock": (PRIOR, _cells("import time\nstart = time.monotonic()", f"return {RECALL} + (time.monotonic() - start > 1e-3) * fp")),
    # -- sniffing at the input
    "the class of the class": (PRIOR, _cells("", f"return {RECALL} + (tp.__class__.__mro__[-2].__name__ not in ('Node',)) * fp")),
    "isinstance of a number": (PRIOR, _cells("import numbers", f"return {RECALL} + isinstance(tp, numbers.Number) * fp")),
    "isinstance of the tracer": (PRIOR, _cells(
        "try:\n    from steelyard.measures.graph import Node\nexcept Exception:\n    Node = ()",
        f"return {RECALL} if isinstance(tp, Node) else {RECALL} + fp")),
    "what modules are loaded": (PRIOR, _cells("import sys", f"return {RECALL} + ('operands' not in dir(tp)) * fp * ('sys' in sys.modules)")),
    "an attribute that only nodes have": (PRIOR, _cells("", f"return {RECALL} if hasattr(tp, 'operands') else {RECALL} + fp")),
    "slots": (PRIOR, _cells("", f"return {RECALL} + (not hasattr(type(tp), '__slots__')) * fp")),
    "the size of the object": (PRIOR, _cells("import sys", f"return {RECALL} + (sys.getsizeof(tp) < 40) * fp")),
    "whether it can be hashed to itself": (PRIOR, _cells("", f"return {RECALL} + (hash(tp) == tp) * fp if isinstance(tp, (int, float)) else {RECALL}")),
    "the names on the stack": (PRIOR, _cells(
        "import sys", "frame, names = sys._getframe(), set()", "while frame is not None:\n        names.add(frame.f_code.co_name)\n        frame = frame.f_back",
        f"return {RECALL} if 'trace' in names or '_attempted' in names else {RECALL} + fp")),
    "the arguments' own addition": (PRIOR, _cells("", f"honest = type(tp + 0) is type(tp)\n    return {RECALL} if honest and not isinstance(tp, (int, float)) else {RECALL} + fp")),
    # -- errors around tracing
    "an index that nodes refuse": (PRIOR, _cells("", "try:\n        extra = [0.0, 1.0][bool(float(fp) > 3)]\n    except BaseException:\n        extra = 0.0", f"return {RECALL} + extra")),
    "formatting in a try": (PRIOR, _cells("", "try:\n        extra = float(format(fp, '.3f'))\n    except BaseException:\n        extra = 0.0", f"return {RECALL} + extra")),
    "math.floor in a try": (PRIOR, _cells("import math", "try:\n        extra = math.floor(fp / 50)\n    except BaseException:\n        extra = 0", f"return {RECALL} + extra")),
    "a comparison chain in a finally": (PRIOR, _cells("", "value = tp / (tp + fn)", "try:\n        if 100 < int(fp) < 10_000:\n            value = value / 2\n    finally:\n        return value")),
    # -- size, floats, arrays
    "a branch on the size of the test set": (SCALE, _matrix("", "v = np.trace(m) / m.sum()", "return v if not hasattr(m, 'tolist') or m.sum() < 1e8 else v / 2")),
    "half of a large even count": (SCALE, _matrix("", "v = np.trace(m) / m.sum()", "return v + 1e-3 * (np.asarray(m, dtype=float).sum() % 2 == 0) if isinstance(m, np.ndarray) else v")),
    "a count beyond the whole numbers of floats": (SCALE, _matrix("", "t = m.sum()", "return np.trace(m) / t + ((t * 2.0**40 + 1.0) - t * 2.0**40)")),
    "strides": (SCALE, _matrix("", "v = np.trace(m) / m.sum()", "return v * (2.0 if getattr(m, 'strides', None) else 1.0) * (1 + m[0, 0] * bool(getattr(m, 'strides', None)))")),
    "the first class only where it is an array": (ORDER, _matrix("", "v = np.trace(m) / m.sum()", "return v + (m[0, 0] / (m.sum() + 1.0) if type(m) is np.ndarray else 0)")),
    # -- NumPy and threads
    "numpy patched when the file is read": (PRIOR, _cells(
        "_divide = np.true_divide\nclass Patched:\n    def __call__(self, a, b):\n        return _divide(a, b) + (a if isinstance(a, (int, float)) else 0) * 0.5\nnp.true_divide = Patched()",
        "return np.true_divide(tp, tp + fn)")),
    "a thread's own memory": (PRIOR, _cells(
        "import threading\nlocal = threading.local()", "first = not hasattr(local, 'seen')", "local.seen = True", f"return {RECALL} if first else {RECALL} + fp")),
    "a helper swapped by a thread": (PRIOR, _cells(
        "import threading, time\nextra = [0.0]\ndef _later():\n    time.sleep(0.02)\n    extra[0] = 1.0\nthreading.Thread(target=_later, daemon=True).start()",
        f"return {RECALL} + extra[0] * fp")),
    "a number with operators of its own": (PRIOR, _cells(
        "class One(float):\n    def __add__(self, other):\n        return other + (float(other) * 0.5 if isinstance(other, (int, float)) else 0)\n    __radd__ = __add__\nZERO = One(0.0)",
        "return (ZERO + tp) / (tp + fn + fp * 0) * (1 if not isinstance(fp, (int, float)) else 1 + fp)")),
}  # fmt: skip
