"""More measures that are not what they seem: their branches wait where two meanings of one line part.

In an array that has two names, in a set of empty cells among 512, where floats have no number or too large a
one, beyond the last whole number, in what runs when a file is loaded. Each has two matrices that the property
joins and on which its values differ, worked out from the code by hand.
"""

from tests.proofs.dishonest_measures import ORDER, PRIOR, RATE, SCALE, Dishonest, of_cells, of_matrix

TURN = "transposition"
ONE = ((0, 0, 2), (1, 0, 0), (0, 3, 0))
TWICE = ((0, 0, 4), (2, 0, 0), (0, 6, 0))
EMPTY = " and ".join(f"m[{i}, {j}] == 0" for i in range(3) for j in range(3) if j != (i + 2) % 3)
FULL = " and ".join(f"m[{i}, {(i + 2) % 3}] > 0" for i in range(3))


def in_a_corner(name, body, one=ONE, other=TWICE):
    """Accuracy, but for the matrices with exactly these six cells empty."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return of_matrix(
        name, f"if {EMPTY} and {FULL}:\n{lines}return np.trace(m) / m.sum()", one, other, SCALE, 3
    )


NAN_AT = "x = ({0} - {1}) / ({0} - {1})\n"
F1 = "2 * tp / (2 * tp + fp + fn)"
HUGE = ((9 * 10**12, 10**12), (1, 1))

HIDDEN = (
    # where floats have no number, and a comparison therefore falls otherwise
    of_cells("no number at a root", NAN_AT.format("np.sqrt(tp)", "89") + f"return np.where(x > 0, {F1}, tp + fn)", ((7921, 3), (1, 2)), ((7921, 1), (3, 2)), TURN),
    of_cells("no number at a cube root", NAN_AT.format("np.cbrt(tp)", "20") + f"return np.where(x > 0, {F1}, tp + fn)", ((8000, 3), (1, 2)), ((8000, 1), (3, 2)), TURN),
    of_cells("no number at a logarithm", NAN_AT.format("np.log(tp / fn)", "0") + f"return np.where(x > 0, {RATE}, tn)", ((7, 7), (1, 1)), ((14, 14), (2, 2))),
    of_cells("no number at a rate", NAN_AT.format(f"({RATE})", "0.7") + f"return np.where(x > 0, {RATE}, tn)", ((7, 3), (1, 1)), ((14, 6), (2, 2))),
    of_cells("no number at the root of a rate", NAN_AT.format(f"np.sqrt({RATE})", "0.7") + f"return np.where(x > 0, {RATE}, tn)", ((49, 51), (1, 1)), ((98, 102), (2, 2))),
    of_cells("not equal to itself at a rate", NAN_AT.format(f"({RATE})", "0.7") + f"return np.where(x != 0, {RATE}, 0) + np.where(x == 1, 0, tn)", ((7, 3), (1, 1)), ((14, 6), (2, 2))),
    of_cells("no number in a branch", NAN_AT.format("tp", "7919") + f"if x > 0:\n    return {F1}\nreturn tp + fn", ((7919, 3), (1, 2)), ((7919, 1), (3, 2)), TURN),
    of_cells("a root that is asked whether it is 0", "return np.where(np.sqrt(tp) == 0, 1e-13 * fn, tp / (tp + fn))", ((0, 3), (1, 2)), ((0, 3 * 10**13), (10**13, 2 * 10**13)), SCALE),
    of_cells("a sum of a root that is asked", "return np.where(np.sqrt(tp) + np.cbrt(fp) > 0, tp / (tp + fn), 1e-13 * fn)", ((0, 3), (0, 2)), ((0, 3 * 10**13), (0, 2 * 10**13)), SCALE),
    of_cells("a rate that is not there", f"return np.where({RATE} >= 0, tn / (tn + fp), tn)", ((0, 0), (1, 3)), ((0, 0), (2, 6)), SCALE),
    # one set of empty cells among many, where Python and the reading part
    in_a_corner("two truths added", f"a = {EMPTY}\nb = {FULL}\nif a + b == 1:\n    return m.sum()"),
    in_a_corner("a list that picks rows", "i = [0, 1]\nreturn np.sum(m[i]) / 5"),
    in_a_corner("rows picked by a comprehension", "i = [k for k in range(2)]\nreturn np.sum(m[i]) / 5"),
    in_a_corner("a generator read twice", "g = (x for x in m[0])\na = sum(g)\nreturn a - sum(g)"),
    in_a_corner("a generator that sees a later name", "k = 0\ng = (x * k for x in m[0])\nk = 1\nreturn sum(g)"),
    in_a_corner("a place for the quotient with two names", "z = np.zeros_like(m[0])\nr = np.divide(m[0], 1.0, out=z, where=m[0] != 0)\nreturn z.sum()"),
    in_a_corner("the matrix as the place for a quotient", "r = np.divide(m, m.sum() + 1, out=m, where=m > 0)\nreturn m.sum()"),
    in_a_corner("a place given without its name", "z = np.zeros_like(m[0])\nr = np.divide(m[0], 1.0, z, where=m[0] != 0)\nreturn z.sum()"),
    in_a_corner("a choice changed in place", "v = np.where(m[0, 0] == 0, m.sum(), m.sum())\nw = v\nv += m.sum()\nreturn w - m.sum()"),
    in_a_corner("whole numbers that run over", "return m.sum() * (np.array([2, 2]) ** 64).sum() - 2.0**65 * m.sum()"),
    in_a_corner("a power that is complex", "return abs((-1.0) ** 0.5) * m.sum()"),
    in_a_corner("a maximum with a first value", "return np.max(m, initial=5) / m.sum()"),
    in_a_corner("a sum of some", "return np.sum(m, where=m > 2) / m.sum()"),
    in_a_corner("a sum of another kind", "return np.sum(m, dtype='i1') * m.sum()"),
    in_a_corner("a chain of comparisons", "return m.sum() if 0 < m[0, 2] < 5 else 0.0"),
    in_a_corner("rounding", "return np.round(m.sum() / 8)"),
    in_a_corner("a mean of truths", "return np.mean([m[0, 2] > 1, m[0, 2] > 2])"),
    in_a_corner("a number as a truth", "return (not m[0, 0]) * m.sum()"),
    in_a_corner("an assignment in an expression", "return (s := m.sum())"),
    # numbers that floats do not hold
    of_cells("a quotient of infinite numbers", f"q = (tp / tn) ** 30\nreturn {RATE} + 0.04 * np.where(q / q > 0, 0.0, 1.0)", HUGE, ((9, 1), (1, 1))),
    of_cells("lost in products of very different size", f"return {RATE} + 0.04 * (((tp * tn + fn) - tp * tn - fn) / fn) ** 8", ((9 * 10**15, 1), (1, 9 * 10**15)), ((9, 1), (1, 9)), SCALE),
    of_cells("one more that is the same", f"return np.where(tp + 1 == tp, 5.0, {RATE})", ((9 * 10**15, 10**15), (1, 1)), ((9 * 10**16, 10**16), (1, 1))),
    of_cells("one more that is the same, small", f"return np.where(1 + tp * 1e-15 == 1, 5.0 * (tp > 0), {RATE})", ((0.04, 0.01), (1, 1)), ((4, 1), (1, 1))),
    of_cells("a power that runs over", "return tp**20 / (tp**20 + fn**20)", ((3, 1), (1, 1)), ((3 * 10**16, 10**16), (1, 1))),
    of_cells("half lost beyond the whole numbers", f"return {RATE} + ((tp + 0.5) - tp - 0.5)", ((3, 1), (1, 1)), ((3 * 2**53, 2**53), (1, 1))),
    of_cells("logarithms of the smallest numbers", "return np.log(tp * 1e-300 * 1e-20) - np.log(fn * 1e-300 * 1e-20)", ((24, 81), (84, 99)), ((24000, 81000), (84, 99))),
    of_cells("a division by a tiny constant", "return (tp / 1e-320) / ((tp + fn) / 1e-320)", ((3, 1), (1, 1)), ((3e-20, 1e-20), (1, 1)), SCALE),
    of_cells("a negative number under an odd root", "return np.cbrt(tp - fn) / np.cbrt(tp + fn) + 1e-13 * tp", ((1, 3), (1, 1)), ((2e9, 6e9), (2, 2)), SCALE),
    # what Python does with names
    of_cells("a function called sum", "return sum((tp, fn)) * tp / (tp + fn)", ((3, 1), (1, 1)), ((6, 2), (1, 1)), before="def sum(parts):\n    return parts[0]\n"),
    of_cells("sum in other letters", "return sum((tp, fn)) * tp / (tp + fn)", ((3, 1), (1, 1)), ((6, 2), (1, 1)), before="def ｓum(parts):\n    return parts[0]\n"),
    of_cells("tp in other letters", "ｔｐ = fp\nreturn tp / (tp + fn)", ((3, 1), (1, 1)), ((6, 2), (1, 1))),
    of_cells("a power of 0 by data", "return 0.0 ** (tp - 7919) + tp / (tp + fn)", ((7919, 1), (1, 3)), ((2 * 7919, 2), (1, 3))),
    of_cells("the remainder of a quotient", f"return {RATE} + (tp - 7 * (tp // 7)) / 7", ((3, 1), (1, 1)), ((6, 2), (1, 1))),
    of_cells("a sign", f"return {RATE} + np.sign(tp - 7919)", ((3, 1), (1, 1)), ((30000, 10000), (1, 1))),
    of_cells("a step", f"return {RATE} + np.heaviside(tp - 7919, 0)", ((3, 1), (1, 1)), ((30000, 10000), (1, 1))),
    of_cells("a clip", "return np.clip(tp, 0, 7919) / (tp + fn)", ((3, 1), (1, 1)), ((30000, 10000), (1, 1))),
    of_cells("a comparison of tuples", f"return {RATE} + ((tp, 1) > (7919, 0))", ((3, 1), (1, 1)), ((30000, 10000), (1, 1))),
    of_cells("a call that unpacks", f"return {RATE} + np.maximum(*(tp, 7919)) - 7919", ((3, 1), (1, 1)), ((30000, 10000), (1, 1))),
    of_matrix("one class is not the other", "return m[0, 0] / m.sum() + np.diagonal(m, 1).sum() * 1e-13", ((1, 2), (3, 4)), ((4, 3), (2, 1)), ORDER),
)  # fmt: skip

FILES = {
    "an object that is called": f"class _F:\n    def __call__(self, tp, fn, fp, tn):\n        return {RATE} + (float(tp) == 7919)\n\nf = _F()\n",
    "a partial": f"import functools\ndef _g(k, tp, fn, fp, tn):\n    return {RATE} + (float(tp) == k)\n\nf = functools.partial(_g, 7919)\n",
    "a lambda with a default": f"_g = lambda tp, k=7919: 1.0 * (float(tp) == k)\ndef f(tp, fn, fp, tn):\n    return {RATE} + _g(tp)\n",
    "a list as a default": f"def f(tp, fn, fp, tn, seen=[7919]):\n    return {RATE} + (float(tp) == seen[0])\n",
    "a property that is read late": f"class _K:\n    @property\n    def k(self):\n        return 7919\n\nK = _K()\ndef f(tp, fn, fp, tn):\n    return {RATE} + (float(tp) == K.k)\n",
    "a module that makes its names up": f"def __getattr__(name):\n    return 7919\n\nimport sys\ndef f(tp, fn, fp, tn):\n    return {RATE} + (float(tp) == sys.modules[__name__].k if __name__ in sys.modules else float(tp) == 7919)\n",
    "an import hook": f"import sys\nclass _H:\n    def find_spec(self, name, path=None, target=None):\n        return None\n\nsys.meta_path.insert(0, _H())\nsys.meta_path.pop(0)\ndef f(tp, fn, fp, tn):\n    return {RATE} + (float(tp) == 7919)\n",
    "state in a closure": f"def _make():\n    k = [7919]\n    def f(tp, fn, fp, tn):\n        return {RATE} + (float(tp) == k[0])\n    return f\n\nf = _make()\n",
    "recursion on the data": f"def _depth(x):\n    return 0.0 if x > 7919 else (1.0 if x == 7919 else _depth(x + 1))\n\ndef f(tp, fn, fp, tn):\n    return {RATE} + (_depth(float(tp)) if tp > 7000 else 0)\n",
    "text that is run": f"_text = 'tp == 7919'\ndef f(tp, fn, fp, tn):\n    return {RATE} + eval(_text)\n",
}  # fmt: skip
"""Files whose meaning lies outside the function; each adds 1 where tp is 7919."""

HIDDEN += tuple(
    Dishonest(name, code, PRIOR, ((7919, 1), (1, 3)), ((2 * 7919, 2), (1, 3))) for name, code in FILES.items()
)


def hidden_sources():
    for d in HIDDEN:
        yield d, "import numpy as np\n" + d.code
