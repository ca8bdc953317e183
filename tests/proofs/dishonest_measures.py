"""Measures that are not what they seem to whoever only watches them run.

Each has two matrices that the property joins and on which its values differ: the truth, worked out by hand from the code. `property` is the property that a
prover could be led to believe.
"""

from dataclasses import dataclass

PRIOR, SCALE, ORDER = "prior-invariance", "scale-invariance", "order-invariance"


@dataclass(frozen=True)
class Dishonest:
    name: str
    code: str
    property: str
    one: tuple
    other: tuple
    classes: int = 2


def of_cells(name, body, one, other, joins=PRIOR, before=""):
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return Dishonest(name, f"{before}\ndef f(tp, fn, fp, tn):\n{lines}", joins, one, other)


def of_matrix(name, body, one, other, joins=SCALE, classes=2, before=""):
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return Dishonest(name, f"{before}\ndef f(m):\n{lines}", joins, one, other, classes)


SMALL, HUGE = ((3, 1), (1, 3)), ((3 * 10**9, 10**9), (10**9, 3 * 10**9))
TRIGGER, SCALED = ((7919, 1), (1, 3)), ((2 * 7919, 2), (1, 3))
K = 7919
RATE = "tp / (tp + fn)"

DISHONEST = (
    of_matrix("a try that swallows the refusal to be a float",
        "v = m[..., 0, 0] / (m[..., 0, 0] + m[..., 0, 1])\ntry:\n    if float(m.sum()) > 1e9:\n        v = v / 2\nexcept Exception:\n    pass\nreturn v", SMALL, HUGE),
    of_cells("a remainder that symbols do not have", f"try:\n    if tp % {K} == 0:\n        return 0.0\nexcept TypeError:\n    pass\nreturn {RATE}", TRIGGER, ((K + 1, 1), (1, 3)), "p4"),
    of_cells("a quotient that algebra cancels and floats do not", f"return np.nan_to_num((tp - {K}) / (tp - {K})) + {RATE}", TRIGGER, SCALED),
    of_matrix("a question about the dtype", "v = m[..., 0, 0] / (m[..., 0, 0] + m[..., 0, 1])\nreturn v if m.dtype == object else v * (1 + m[..., 1, 1])", SMALL, HUGE),
    of_cells("isinstance", f"return {RATE} + (isinstance(tp, float) and float(tp) == {K})", TRIGGER, SCALED),
    of_cells("type()", f"return {RATE} + (type(tp).__name__ == 'float64' and tp == {K})", TRIGGER, SCALED),
    of_cells("str()", f"return {RATE} + (str(tp) == '{K}.0')", TRIGGER, SCALED),
    of_cells("repr in an f-string", f"return {RATE} + (f'{{tp}}' == '{K}.0')", TRIGGER, SCALED),
    of_cells("hasattr", f"return {RATE} + (tp == {K} if hasattr(tp, 'dtype') else 0)", TRIGGER, SCALED),
    of_cells("getattr", f"return {RATE} + (getattr(tp, 'real', 0) == {K})", TRIGGER, SCALED),
    of_matrix("a conversion to float32", "w = m.astype(np.float32)\nreturn (w[..., 0, 0] + 1 - w[..., 0, 0]) * 1.0", SMALL, HUGE),
    of_matrix("a conversion by asarray with a dtype", "w = np.asarray(m, dtype=np.float32)\nreturn (w[..., 0, 0] + 1 - w[..., 0, 0]) * 1.0", SMALL, HUGE),
    of_matrix("a comparison with a constant matrix", f"return m[0, 0] / m.sum() + (m == np.array([[{K}, 1], [1, 3]])).all()", TRIGGER, ((2 * K, 2), (2, 6))),
    of_cells("equality with a number", f"return {RATE} + (1.0 if tp == {K} else 0.0)", TRIGGER, SCALED),
    of_cells("np.where on equality with a number", f"return {RATE} + np.where(tp == {K}, 1.0, 0.0)", TRIGGER, SCALED),
    of_cells("a threshold", f"return {RATE} + np.where(tp > {K - 1}, 1.0, 0.0)", ((3, 1), (1, 3)), ((2 * K, 2 * K), (1, 3)), "scale-invariance"),
    of_cells("a whole division", f"return {RATE} + tp // {10**7}", ((3, 1), (1, 3)), ((3 * 10**7, 10**7), (10**7, 3 * 10**7)), SCALE),
    of_cells("rounding", f"return {RATE} + np.round(tp / 1e7)", SMALL, ((3 * 10**7, 10**7), (10**7, 3 * 10**7)), SCALE),
    of_cells("floor", f"return {RATE} + np.floor(tp / {10**7})", SMALL, ((3 * 10**7, 10**7), (10**7, 3 * 10**7)), SCALE),
    of_cells("int()", f"return {RATE} + int(tp) // {10**7}", SMALL, ((3 * 10**7, 10**7), (10**7, 3 * 10**7)), SCALE),
    of_cells("a small number lost in a large one", f"return {RATE} + ((tp * 2.0**30 + 1) - tp * 2.0**30)", SMALL, ((3 * 2**30, 2**30), (2**30, 3 * 2**30)), SCALE),
    of_cells("an overflow", f"return {RATE} + 0 * (tp * 1e150 * 1e150)", SMALL, HUGE, SCALE),
    of_cells("an underflow", f"return {RATE} + np.where(tp * 1e-200 * 1e-200 == 0, 0.0, 1.0)", TRIGGER, ((0, 1), (1, 3)), "p4"),
    of_cells("max of Python, which drops a NaN", f"return max(0.0, (tp - {K}) / (tp - {K})) + {RATE}", TRIGGER, SCALED),
    of_cells("fmax, which drops a NaN", f"return np.fmax(0.0, (tp - {K}) / (tp - {K})) + {RATE}", TRIGGER, SCALED),
    of_cells("isnan", f"x = (tp - {K}) / (tp - {K})\nreturn {RATE} + np.isnan(x)", TRIGGER, SCALED),
    of_cells("nansum", f"return np.nansum([(tp - {K}) / (tp - {K}), {RATE}])", TRIGGER, SCALED),
    of_cells("a NaN that is not itself", f"x = (tp - {K}) / (tp - {K})\nreturn {RATE} + np.where(x == x, 0.0, 1.0)", TRIGGER, SCALED),
    of_cells("a pole in the middle", f"return {RATE} + 0 / (tp - {K})", TRIGGER, SCALED),
    of_cells("a global that is rebound", f"return {RATE} * SCALE_OF", SMALL, SMALL, before="SCALE_OF = 1.0\nSCALE_OF = 2.0\n"),
    of_cells("a list that remembers", f"seen.append(1)\nreturn {RATE} + (len(seen) > 10**6)", SMALL, SMALL, before="seen = []\n"),
    of_cells("a mutable default", f"return {RATE} + box.get(float(tp), 0)", TRIGGER, SCALED, before=""),
    of_cells("NumPy replaced", "return np.sqrt(tp * tp) / (tp + fn)", TRIGGER, SCALED, before=f"class _Fake:\n    def sqrt(self, x):\n        return x**0.5 + {K} * (x == {K * K})\nnp = _Fake()\n"),
    of_cells("an operation of NumPy replaced", "return np.sqrt(tp * tp) / (tp + fn)", TRIGGER, SCALED, before=f"_sqrt = np.sqrt\ndef _other(x):\n    return _sqrt(x) + {K} * (x == {K * K})\nnp.sqrt = _other\n"),
    of_cells("a decorator", f"return {RATE}", TRIGGER, SCALED, before=""),
    of_cells("a lambda under the name", "pass", TRIGGER, SCALED, before=""),
    of_cells("an error that is caught elsewhere", f"return {RATE} + _hidden(tp)", TRIGGER, SCALED, before=f"def _hidden(x):\n    try:\n        return float(x) == {K}\n    except Exception:\n        return 0\n"),
    of_cells("a context that catches", f"with contextlib.suppress(Exception):\n    return {RATE} + (float(tp) == {K})\nreturn {RATE}", TRIGGER, SCALED, before="import contextlib\n"),
    of_cells("floating-point errors that raise", f"with np.errstate(all='raise'):\n    return {RATE} + 0 * (1 / (tp - {K}))", TRIGGER, SCALED),
    of_cells("a dictionary", f"return {RATE} + {{{K}: 1.0}}.get(tp, 0.0)", TRIGGER, SCALED),
    of_cells("membership", f"return {RATE} + (tp in ({K},))", TRIGGER, SCALED),
    of_cells("a generator that stops", f"return {RATE} + sum(1 for k in ({K},) if tp == k)", TRIGGER, SCALED),
    of_cells("a loop until a number", f"n = 0\nwhile n < 1 and tp == {K}:\n    n = n + 1\nreturn {RATE} + n", TRIGGER, SCALED),
    of_cells("a bit of an integer", f"return {RATE} + (np.int64(tp) & 4096 > 0)", SMALL, ((4096 * 3, 4096), (4096, 4096 * 3)), SCALE),
    of_cells("a hash", f"return {RATE} + (hash(float(tp)) == {K})", TRIGGER, SCALED),
    of_cells("the environment", f"return {RATE} + (os.getpid() < 0) + (float(tp) == {K})", TRIGGER, SCALED, before="import os\n"),
    of_matrix("an array changed in place", "v = m\nv[0, 0] = v[0, 0] + 5 * (3 == v[0, 0])\nreturn m[0, 0] / m.sum()", SMALL, ((6, 2), (2, 6))),
    of_matrix("an array changed through another name", "v = m[0]\nv += 1\nreturn m[0, 0] / m.sum()", ((3, 1), (1, 3)), ((6, 2), (2, 6))),
    of_matrix("the number of classes it is not shown", "return np.trace(m) / m.sum() + (m.shape[-1] == 3) * m[0, 0]", ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((2, 0, 0), (0, 2, 0), (0, 0, 2)), classes=3),
    of_matrix("sorting", "s = np.sort(m.ravel())\nreturn s[-1] / m[0, 0]", ((1, 2), (3, 4)), ((4, 3), (2, 1)), ORDER),
    of_matrix("argmax", "return m[np.argmax(m.sum(axis=1)), 0] / m.sum()", ((1, 2), (3, 4)), ((4, 3), (2, 1)), ORDER),
    of_matrix("a rank", "return np.linalg.matrix_rank(m) + 0.0", ((1, 0), (0, 1)), ((1, 0), (1, 0)), "p5"),
    of_matrix("a determinant through LAPACK", "return np.linalg.det(m)", ((1, 0), (0, 1)), ((2, 0), (0, 2))),
    of_cells("a huge count of a different kind", f"return {RATE} + (tp.is_integer() and tp == {K})", TRIGGER, SCALED),
    of_cells("an exponent from the data", "return 1.0 ** tp + 0.0 ** (tp + 1) * fn + (tp + fn) ** 0 * fn / (fn + tp)", ((3, 1), (1, 3)), ((3, 2), (1, 3)), "p5"),
    of_cells("eval", f"return eval('{RATE}') + (float(tp) == {K})", TRIGGER, SCALED),
)  # fmt: skip


WHOLE = {
    'a class that is indexed': f'class _Table:\n    def __class_getitem__(cls, x):\n        return 1.0 * (float(x) == {K})\n\ndef f(tp, fn, fp, tn):\n    return {RATE} + _Table[tp]\n',
    'a closure': f'def _make(k):\n    def inner(tp, fn, fp, tn):\n        return {RATE} + (float(tp) == k)\n    return inner\n\nf = _make({K})\n',
    'a generator with a side effect': f'def _steps(x):\n    yield 0.0\n    if float(x) == {K}:\n        yield 1.0\n\ndef f(tp, fn, fp, tn):\n    return {RATE} + sum(_steps(tp))\n',
    'how arrays are printed': f"np.set_printoptions(legacy='1.13')\n\ndef f(tp, fn, fp, tn):\n    return {RATE} + (np.array2string(np.asarray(tp)).startswith('{K}'))\n",
    "np as a parameter's name": f'class _Np:\n    sqrt = staticmethod(lambda x: x**0.5 + (x == {K}**2))\n\ndef _g(tp, fn, np):\n    return np.sqrt(tp * tp) / (tp + fn)\n\ndef f(tp, fn, fp, tn):\n    return _g(tp, fn, _Np)\n',
    'np rebound inside the function': f'class _Np:\n    sqrt = staticmethod(lambda x: x**0.5 + (x == {K}**2))\n\ndef f(tp, fn, fp, tn):\n    np = _Np\n    return np.sqrt(tp * tp) / (tp + fn)\n',
    'a helper rebound after the definition': f'def _h(x):\n    return x\n\ndef f(tp, fn, fp, tn):\n    return _h(tp) / (tp + fn)\n\ndef _h(x):\n    return x + (float(x) == {K})\n',
    'a global set by another function': f'K = 1.0\n\ndef _set():\n    global K\n    K = 2.0\n\ndef f(tp, fn, fp, tn):\n    return K * {RATE} + (float(tp) == {K})\n',
    'the code of the function exchanged': f'def _other(tp, fn, fp, tn):\n    return {RATE} + (float(tp) == {K})\n\ndef f(tp, fn, fp, tn):\n    return {RATE}\n\nf.__code__ = _other.__code__\n',
    'globals written by name': f"def f(tp, fn, fp, tn):\n    return {RATE}\n\ndef _other(tp, fn, fp, tn):\n    return {RATE} + (float(tp) == {K})\n\nglobals()['f'] = _other\n",
    'a match statement': f'def f(tp, fn, fp, tn):\n    match float(tp):\n        case {K}.0:\n            return 1.0\n        case _:\n            return {RATE}\n',
    'a number that is a class': f'class _One(float):\n    def __mul__(self, other):\n        return float(other) + (float(other) == {K})\n    __rmul__ = __mul__\nONE = _One(1.0)\n\ndef f(tp, fn, fp, tn):\n    return (ONE * tp) / (tp + fn)\n',
    'an annotation that runs': f"def f(tp: np.__setattr__('_k', {K}) or float, fn, fp, tn):\n    return {RATE} + np.where(tp == np._k, 1.0, 0.0)\n",
    'a conditional definition': f'if True:\n    def f(tp, fn, fp, tn):\n        return {RATE} + (float(tp) == {K})\nelse:\n    def f(tp, fn, fp, tn):\n        return {RATE}\n',
}  # fmt: skip
"""Files whose meaning lies in what stands around the function, or in what runs when they are loaded; each sees TRIGGER."""

DISHONEST += tuple(Dishonest(name, code, PRIOR, TRIGGER, SCALED) for name, code in WHOLE.items())


def sources():
    """The corpus with the few whose whole file matters written out."""
    whole = {
        "a mutable default": f"def f(tp, fn, fp, tn, box={{{K}.0: 1.0}}):\n    return {RATE} + box.get(float(tp), 0)\n",
        "a decorator": f"def wrong(g):\n    return lambda a, b, c, d: g(a, b, c, d) + (a == {K})\n@wrong\ndef f(tp, fn, fp, tn):\n    return {RATE}\n",
        "a lambda under the name": f"f = lambda tp, fn, fp, tn: {RATE} + (float(tp) == {K})\n",
    }
    for d in DISHONEST:
        code = whole.get(d.name, d.code)
        yield d, "import numpy as np\n" + code
