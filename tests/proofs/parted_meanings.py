"""Measures whose branches fall one way in algebra and another way in floats.

The one side of the branch is an honest rate, the other adds 1 in a narrow window that no test of small, huge
or random matrices meets: whoever only compares values sees no difference. Each has two matrices that the
property joins and on which its values differ, worked out from the code by hand.
"""

from tests.proofs.dishonest_measures import PRIOR, RATE, SCALE, Dishonest, of_cells, of_matrix

WINDOW = "np.where(tp > 7918, np.where(tp < 7920, 1.0, 0.0), 0.0)"
IN, OUT = ((7919, 1), (1, 3)), ((2 * 7919, 2), (1, 3))
EMPTY_IN, EMPTY_OUT = ((0, 7919), (1, 3)), ((0, 2 * 7919), (1, 3))
ODD = (454, 142, 388, 315, 23, 70)
LOST, KEPT = ((58447, 1), (1, 3)), ((3 * 58447, 3), (1, 3))
"""58447 / k * k is not 58447 in floats for any of these k, and no smaller count is so; 3 * 58447 is kept by some."""


def taken_for_true(name, condition, before=""):
    """The algebra says that the condition holds; floats say that it does not."""
    body = f"{before}\nif {condition}:\n    return {RATE}\nreturn {RATE} + {WINDOW}"
    return of_cells(f"true in algebra: {name}", body, IN, OUT)


def taken_for_false(name, condition, before=""):
    body = f"{before}\nif {condition}:\n    return {RATE} + {WINDOW}\nreturn {RATE}"
    return of_cells(f"false in algebra: {name}", body, IN, OUT)


PARTED = (
    # what has no value in floats and one in algebra, or the other way round
    taken_for_true("the logarithm of a negative count", "x == x", "x = np.log(-tp)"),
    taken_for_true("the logarithm of a negative number", "x == x", "x = np.log(-3.0) + 0 * tp"),
    taken_for_true("log2 of a negative sum", "x == x", "x = np.log2(-(tp + fn))"),
    taken_for_false("no number to the power of 0", "x == 1", "x = ((tp - tp) / (tp - tp)) ** 0"),
    taken_for_false("nan to the power of 0", "np.nan ** 0 == 1"),
    taken_for_false("power(nan, 0)", "np.power((fn - fn) / (fn - fn), 0.0) == 1"),
    of_cells("a pole inside a maximum", f"if np.maximum(0 / (tp - 7919), 1) == 1:\n    return {RATE}\nreturn {RATE} + fp", ((7919, 1), (1, 3)), ((7919, 1), (2, 3)), "p3"),
    of_cells("a pole inside a minimum", f"if np.minimum(0 / (tp - 7919), 1) == 0:\n    return {RATE}\nreturn {RATE} + fp", ((7919, 1), (1, 3)), ((7919, 1), (2, 3)), "p3"),
    of_cells("a pole inside np.max", f"if np.max([0 / (tp - 7919), 1.0]) == 1:\n    return {RATE}\nreturn {RATE} + fp", ((7919, 1), (1, 3)), ((7919, 1), (2, 3)), "p3"),
    of_cells("a pole under a root", f"if np.sqrt(1 + 0 / (tp - 7919)) == 1:\n    return {RATE}\nreturn {RATE} + fp", ((7919, 1), (1, 3)), ((7919, 1), (2, 3)), "p3"),
    of_cells("a pole in an absolute value", f"if np.abs(0 / (tp - 7919)) == 0:\n    return {RATE}\nreturn {RATE} + fp", ((7919, 1), (1, 3)), ((7919, 1), (2, 3)), "p3"),
    of_cells("a pole in a sum of two", f"x = 1 / (tp - 7919)\nif x - x == 0:\n    return {RATE}\nreturn {RATE} + fp", ((7919, 1), (1, 3)), ((7919, 1), (2, 3)), "p3"),
    of_cells("nothing times a logarithm of nothing", f"if 0 * np.log(tp) == 0:\n    return {RATE}\nreturn {RATE} + {WINDOW.replace('tp', 'fn')}", EMPTY_IN, EMPTY_OUT, SCALE),
    of_cells("a logarithm less itself", f"x = np.log(tp)\nif x - x == 0:\n    return {RATE}\nreturn {RATE} + {WINDOW.replace('tp', 'fn')}", EMPTY_IN, EMPTY_OUT, SCALE),
    of_cells("a logarithm over itself", f"x = np.log(tp + 0.0) + 5\nif (x - 5) - np.log(tp) == 0:\n    return {RATE}\nreturn {RATE} + {WINDOW.replace('tp', 'fn')}", EMPTY_IN, EMPTY_OUT, SCALE),
    # constants that are equal in algebra and not in floats
    taken_for_true("three tenths", "0.1 + 0.2 == 0.3"),
    taken_for_true("three times a tenth", "0.1 * 3 == 0.3"),
    taken_for_true("a forty-ninth", "1 / 49 * 49 == 1"),
    taken_for_true("one beside 1e16", "(1e16 + 1) - 1e16 == 1"),
    taken_for_true("one beside a whole number", "(2**60 + 1.0) - 2**60 == 1"),
    taken_for_true("too large for floats", "1e308 * 10 - 1e308 * 10 == 0"),
    taken_for_false("too small for floats", "1e-200 * 1e-200 == 0"),
    taken_for_true("the square of a root of 2", "2.0**0.5 * 2.0**0.5 == 2"),
    taken_for_true("a constant of the file", "TENTH + 2 * TENTH == 0.3", ""),
    taken_for_false("three tenths that are more", "0.1 * 3 > 0.3"),
    taken_for_true("three tenths that are no more", "0.1 * 3 <= 0.3"),
    taken_for_true("whole numbers over one another", "(2**53 + 1) / 1 - 2**53 == 1"),
    # expressions that are equal in algebra and, for some counts, not in floats
    taken_for_true("the square of a root", "np.sqrt(tp) * np.sqrt(tp) == tp"),
    taken_for_true("the root of a square", "(tp**0.5) ** 2 == tp"),
    taken_for_true("the cube of a cube root", "np.cbrt(tp) ** 3 == tp"),
    taken_for_true("the logarithm of a product", "np.log(tp * fn * 10) == np.log(tp) + np.log(fn) + np.log(10)"),
    taken_for_true("a count divided and multiplied", "tp / 15 * 15 == tp"),
    taken_for_true("a sum in another order", "(tp / 3 + fn / 7) + tn / 11 == tp / 3 + (fn / 7 + tn / 11)"),
    taken_for_true("a share and the rest", "tp / (tp + fn + 3) + fn / (tp + fn + 3) + 3 / (tp + fn + 3) == 1"),
    taken_for_true("a mean and a sum", "np.mean([tp, fn, fp, tn, 1.0, 1.0, 1.0]) * 7 == tp + fn + fp + tn + 3"),
    taken_for_true("decimal counts", "tp * 0.1 * 10 == tp"),
    taken_for_true("a difference that is not there", "tp / 7 - tp / 7.0 + (tp * 0.7 - tp * 7 / 10) == 0"),
    # six such expressions, all of which must fail at once: no test of a few thousand matrices meets that
    of_cells("six roundings at once", "if " + " or ".join(f"tp / {k} * {k} == tp" for k in ODD) + f":\n    return {RATE}\nreturn {RATE} + 1", LOST, KEPT),
    of_cells("six roundings in a product", f"return {RATE} + " + " * ".join(f"((tp / {k} * {k} - tp) * 1e15)" for k in ODD), LOST, KEPT),
    of_cells("six roundings under a quotient", "x = " + " * ".join(f"((tp / {k} * {k} - tp) * 1e12)" for k in ODD) + f"\ny = x / x\nif y == y:\n    return {RATE} + fp\nreturn {RATE}", LOST, KEPT),
    # whole numbers of NumPy, which wrap around
    taken_for_false("a sum that wraps around", "np.sum([2**62, 2**62, 2**62, 2**62]) == 0"),
    taken_for_false("a product that wraps around", "np.prod([2**32, 2**32]) == 0"),
    taken_for_false("a number of NumPy that wraps around", "np.max([2**31, 1]) * 2**33 == 0"),
    taken_for_false("an array that wraps around", "(np.array([2**40]) * 2**24)[0] == 0"),
    taken_for_false("a choice that wraps around", "np.where(tp + 1 > 0, 2**62, 0) * 4 == 0"),
    taken_for_false("a square that wraps around", "np.square([2**32])[0] == 0"),
    taken_for_false("a power that wraps around", "(np.array([2]) ** 64)[0] == 0"),
    # arguments that mean something else than they seem to
    of_matrix("a kind of number in the third place", "r = m[0, 0] / (m[0, 0] + m[0, 1])\nif np.sum(m, 0, 'f4').sum() - m.sum() == 0:\n    return r\nreturn r + np.where(m[0, 0] > 7918, np.where(m[0, 0] < 7920, 1.0, 0.0), 0.0)", ((7919, 1), (1, 2**24 + 1)), ((2 * 7919, 2), (1, 2**24 + 1)), PRIOR),
    of_matrix("a kind of number for a mean", "r = m[0, 0] / (m[0, 0] + m[0, 1])\nif np.mean(m, 0, 'f4').sum() * 2 - m.sum() == 0:\n    return r\nreturn r + np.where(m[0, 0] > 7918, np.where(m[0, 0] < 7920, 1.0, 0.0), 0.0)", ((7919, 1), (1, 2**24 + 1)), ((2 * 7919, 2), (1, 2**24 + 1)), PRIOR),
    # forms of Python
    taken_for_true("a name bound in passing", "(x := float(tp)) != 7919"),
    taken_for_true("a chain of comparisons", "0 <= tp - 7919 < 1 < 0 or tp != 7919"),
    taken_for_true("a formatted number", "f'{tp:.0f}' != '7919'"),
    taken_for_true("truth of a number", "not (tp - 7919) + 1 or True and tp != 7919"),
    taken_for_true("a remainder", "tp % 7919"),
    taken_for_false("a floor", "np.floor(tp / 7919) * 7919 == tp"),
    taken_for_false("a ceiling", "np.ceil(tp / 1e9) > 1 or tp == 7919"),
    taken_for_false("all of a generator", "all(tp == k for k in (7919,))"),
    taken_for_false("any of a list", "any([tp == 7919])"),
    taken_for_false("np.isclose", "np.isclose(tp, 7919)"),
    taken_for_false("np.any", "np.any(tp == 7919)"),
)  # fmt: skip

FILES = {
    "true in algebra: a constant of the file": f"TENTH = 0.1\ndef f(tp, fn, fp, tn):\n    if TENTH + 2 * TENTH == 0.3:\n        return {RATE}\n    return {RATE} + {WINDOW}\n",
    "a constant that floats compute": f"NOT_THERE = 0.1 + 0.2 - 0.3\ndef f(tp, fn, fp, tn):\n    if NOT_THERE * tp == 0:\n        return {RATE}\n    return {RATE} + {WINDOW}\n",
    "a default that floats compute": f"def f(tp, fn, fp, tn, *, e=0.1 + 0.2 - 0.3):\n    return {RATE} if e == 0 else {RATE} + {WINDOW}\n",
    "a helper that compares": f"def _same(a, b):\n    return np.where(a == b, 0.0, 1.0)\n\ndef f(tp, fn, fp, tn):\n    return {RATE} + _same(0.1 + 0.2, 0.3) * {WINDOW}\n",
    "a helper with its own default": "def _rate(a, b, k=7919):\n    return a / (a + b) + (a == k)\n\ndef f(tp, fn, fp, tn):\n    return _rate(tp, fn)\n",
    "an attribute of a class": f"class _K:\n    k = 7919\n\ndef f(tp, fn, fp, tn):\n    return {RATE} + (tp == _K.k)\n",
    "an enumeration": f"import enum\nclass _K(enum.IntEnum):\n    k = 7919\n\ndef f(tp, fn, fp, tn):\n    return {RATE} + (tp == _K.k)\n",
    "a cached function": f"import functools\n@functools.lru_cache\ndef _g(x):\n    return x == 7919\n\ndef f(tp, fn, fp, tn):\n    return {RATE} + _g(tp)\n",
    "an attribute of the function": f"def f(tp, fn, fp, tn):\n    return {RATE} + (tp == f.k)\n\nf.k = 7919\n",
    "a function made by type()": f"_T = type('_T', (), {{'g': staticmethod(lambda x: x == 7919)}})\ndef f(tp, fn, fp, tn):\n    return {RATE} + _T.g(tp)\n",
    "a comprehension that reads a later name": f"def f(tp, fn, fp, tn):\n    x = [k for k in (7919,) if tp == k]\n    return {RATE} + len(x)\n",
}  # fmt: skip


def parted_sources():
    for d in PARTED:
        if d.name not in FILES:
            yield d, "import numpy as np\n" + d.code
    for name, code in FILES.items():
        yield Dishonest(name, code, PRIOR, IN, OUT), "import numpy as np\n" + code
