// What the measures are made of, for pages: numbers, and arrays of them within each other, the class axis first.
// One definition a paragraph; a measure takes along those that it needs. The sums are added in the order in which NumPy
// adds one matrix, so that both give the same digits.

// A Float64Array is a number for each of many draws.
const wide = (a) => a instanceof Float64Array;

// A function of each draw; the usual ones, which are most of it, in loops of their own that a compiler keeps apart.
const ofDraws = (f, a, b) => {
  // A number is an array of one, whose places are all the first.
  const x = wide(a) ? a : Float64Array.of(a), y = wide(b) ? b : Float64Array.of(b), p = wide(a) ? -1 : 0, q = wide(b) ? -1 : 0;
  const out = new Float64Array(Math.max(x.length, y.length));
  if (f === add) for (let i = 0; i < out.length; i++) out[i] = x[i & p] + y[i & q];
  else if (f === mul) for (let i = 0; i < out.length; i++) out[i] = x[i & p] * y[i & q];
  else if (f === sub) for (let i = 0; i < out.length; i++) out[i] = x[i & p] - y[i & q];
  else if (f === over) for (let i = 0; i < out.length; i++) out[i] = y[i & q] === 0 ? NaN : x[i & p] / y[i & q];
  else for (let i = 0; i < out.length; i++) out[i] = f(x[i & p], y[i & q]);
  return out;
};

const zip = (f, a, b) => {
  if (!Array.isArray(a)) return Array.isArray(b) ? b.map((y) => zip(f, a, y)) : wide(a) || wide(b) ? ofDraws(f, a, b) : f(a, b);
  if (!Array.isArray(b)) return a.map((x) => zip(f, x, b));
  if (a.length !== b.length) return a.length === 1 ? b.map((y) => zip(f, a[0], y)) : a.map((x) => zip(f, x, b[0]));
  const out = new Array(a.length);
  for (let i = 0; i < a.length; i++) {
    out[i] = typeof a[i] === "number" && typeof b[i] === "number" ? f(a[i], b[i]) : zip(f, a[i], b[i]);
  }
  return out;
};

// What is asked of the same matrix by many measures is computed once.
const once = (f) => {
  const known = new WeakMap();
  return (m) => known.get(m) ?? known.set(m, f(m)).get(m);
};

const each = (f, a) => {
  if (Array.isArray(a)) return a.map((x) => each(f, x));
  if (!wide(a)) return f(a);
  const out = new Float64Array(a.length);
  for (let i = 0; i < out.length; i++) out[i] = f(a[i]);
  return out;
};

const add = (a, b) => a + b;

const sub = (a, b) => a - b;

const mul = (a, b) => a * b;

const div = (a, b) => a / b;

const raise = (a, b) => a ** b;

const equal = (a, b) => a === b;

const unequal = (a, b) => a !== b;

const less = (a, b) => a < b;

const atMost = (a, b) => a <= b;

const more = (a, b) => a > b;

const atLeast = (a, b) => a >= b;

const both = (a, b) => a && b;

const either = (a, b) => a || b;

const not = (a) => !a;

const minus = (a) => -a;

const remainder = (a, b) => a - b * Math.floor(a / b);

// A quotient where the policy decides: no value where nothing is divided by.
const over = (a, b) => (b === 0 ? NaN : a / b);

// Added in pairs of pairs, as NumPy adds numbers that lie side by side.
const inPairs = (a, from, n) => {
  if (n < 8) {
    let sum = 0;
    for (let i = from; i < from + n; i++) sum += a[i];
    return sum;
  }
  if (n > 128) {
    const half = Math.floor(n / 2) - (Math.floor(n / 2) % 8);
    return inPairs(a, from, half) + inPairs(a, from + half, n - half);
  }
  const r = a.slice(from, from + 8);
  let i = 8;
  for (; i < n - (n % 8); i += 8) for (let k = 0; k < 8; k++) r[k] += a[from + i + k];
  let sum = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
  for (; i < n; i++) sum += a[from + i];
  return sum;
};

const total = (a) => {
  if (a.every(wide)) {
    const sum = a[0].slice(); // one array for the whole sum: a new one for each term fills the memory of a frame
    for (let i = 1; i < a.length; i++) for (let d = 0, x = a[i]; d < sum.length; d++) sum[d] += x[d];
    return sum;
  }
  if (a.some(wide)) return a.reduce((sum, x) => zip(add, sum, x));
  if (!Array.isArray(a[0])) return inPairs(a, 0, a.length);
  if (wide(a[0][0]) && a.every((x) => x.length === a[0].length)) return a[0].map((_, j) => total(a.map((x) => x[j])));
  if (typeof a[0][0] !== "number" || a.some((x) => x.length !== a[0].length)) return a.reduce((sum, x) => zip(add, sum, x));
  const sum = a[0].slice();
  for (let i = 1; i < a.length; i++) for (let j = 0; j < sum.length; j++) sum[j] += a[i][j];
  return sum;
};

const product = (a) => a.reduce((sum, x) => zip(mul, sum, x));

const greatest = (a) => a.reduce((most, x) => zip(Math.max, most, x));

const rowSums = once((m) => m.map(total));

const everySum = (m) => total(m.flat());

const newAxis = (a, k) => (k === 0 ? [a] : a.map((x) => newAxis(x, k - 1)));

const turned = (m) => m[0].map((_, j) => m.map((row) => row[j]));

const diagonal = (m) => m.map((row, i) => row[i]);

const withoutOwn = (m) =>
  m.map((row, i) => {
    const emptied = row.slice();
    emptied[i] = each(() => 0, row[i]);
    return emptied;
  });

// For each entry the sum of all others: what stands before it and what stands after it, so that nothing is subtracted.
const withoutEach = (a) => {
  const n = a.length;
  if (n === 2) return [a[1], a[0]];
  if (n > 2 && typeof a[0] === "number") {
    const sums = new Array(n);
    sums[0] = 0;
    for (let k = 1, before = 0; k < n; k++) sums[k] = before += a[k - 1];
    for (let k = n - 2, after = 0; k >= 0; k--) sums[k] += after += a[k + 1];
    return sums;
  }
  const sums = [each(() => 0, a[0])];
  let before = null;
  for (let k = 1; k < n; k++) sums[k] = before = k === 1 ? a[0] : zip(add, before, a[k - 1]);
  let after = null;
  for (let k = n - 2; k >= 0; k--) {
    after = k === n - 2 ? a[n - 1] : zip(add, after, a[k + 1]);
    sums[k] = zip(add, sums[k], after);
  }
  return sums;
};

const elsewhere = once((m) => m.map(withoutEach));

const missed = once((m) => withoutOwn(m).map(total));

const falseAlarms = once((m) => total(withoutOwn(m)));

const rejected = once((m) => total(withoutOwn(elsewhere(m))));

const ofOthers = (sizes) => {
  if (typeof sizes[0] !== "number") return total(withoutOwn(sizes.map((x) => sizes.map(() => x))));
  return sizes.map((_, j) => {
    let sum = 0;
    for (let i = 0; i < sizes.length; i++) if (i !== j) sum += sizes[i];
    return sum;
  });
};

const aboveChance = (m) =>
  total(zip(sub, zip(mul, diagonal(m), rejected(m)), zip(mul, missed(m), falseAlarms(m))));

const againstRest = once((m) => [
  [diagonal(m), missed(m)],
  [falseAlarms(m), rejected(m)],
]);

const ofPairs = (m) => {
  const pairs = m.flatMap((_, i) => m.map((_, j) => [i, j])).filter(([i, j]) => i !== j);
  return [
    [pairs.map(([i]) => m[i][i]), pairs.map(([i, j]) => m[i][j])],
    [pairs.map(([i, j]) => m[j][i]), pairs.map(([, j]) => m[j][j])],
  ];
};

const pairSums = (a) => a.flatMap((x, i) => a.filter((_, j) => j !== i).map((y) => zip(add, x, y)));

const pairWeights = (weights, m) => pairSums(weights || m.map(() => 1));

const pooled = (m) => m.map((row) => row.map(total));

const steps = (n, power) =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Math.abs(i - j) ** power));

const choose = (condition, yes, no) => {
  const deepest = [condition, yes, no].find(Array.isArray);
  if (deepest) {
    const length = Math.max(...[condition, yes, no].map((x) => (Array.isArray(x) ? x.length : 0)));
    const at = (x, i) => (Array.isArray(x) ? x[x.length === 1 ? 0 : i] : x);
    return Array.from({ length }, (_, i) => choose(at(condition, i), at(yes, i), at(no, i)));
  }
  const draws = [condition, yes, no].find(wide);
  if (!draws) return condition ? yes : no;
  const at = (x, i) => (wide(x) ? x[i] : x);
  return draws.map((_, i) => (at(condition, i) ? at(yes, i) : at(no, i)));
};

const ofSides = (numbers, at) => [numbers[at], numbers[1 - at]];

const halfTurns = (cosine) => Math.acos(cosine) / Math.PI;

const logarithm = (x) => (x > 0 ? Math.log(x) : NaN);

const entropy = (part, rest) => {
  const whole = Math.max(part + rest, 2.2250738585072014e-308);
  const share = Math.max(part / whole, 2.2250738585072014e-308);
  return -((share > 0.5 ? Math.log1p(-rest / whole) : Math.log(share)) * part);
};

const rootOfProduct = (a, b) => {
  const product = a * b;
  return product > 1e-290 && product < Infinity ? Math.sqrt(product) : Math.sqrt(a) * Math.sqrt(b);
};

const sharesOf = (weights) => {
  const sum = total(weights);
  return weights.map((w) => zip(over, w, sum));
};

const mean = (terms, weights) => {
  if (!weights) return each((x) => x / terms.length, total(terms));
  const kept = terms.map((term, i) => zip((w, x) => (w === 0 ? 0 : x), weights[i], term));
  return total(zip(mul, kept, sharesOf(weights)));
};

const geometricMean = (terms, weights) => {
  const given = weights || terms.map(() => 1);
  const kept = terms.map((term, i) => zip((w, x) => (w === 0 ? 1 : x), given[i], term));
  const logs = zip((x, share) => Math.log(x) * share, kept, sharesOf(given));
  return each(Math.exp, total(logs));
};

const sumAxis = (a, k) => (k === 0 ? total(a) : a.map((x) => sumAxis(x, k - 1)));

const takeAxis = (a, i, k) => (k === 0 ? a.at(i) : a.map((x) => takeAxis(x, i, k - 1)));

const diagonalMatrix = (v) => v.map((x, i) => v.map((y, j) => (i === j ? x : each(() => 0, y))));

// Each row scaled so that its class has its prior.
const atPriors = (m, shares) =>
  m.map((row, i) => {
    const factor = zip(mul, Array.isArray(shares) ? shares[i] : shares, zip(over, 1, total(row)));
    return row.map((x) => zip(mul, x, factor));
  });

// The priors of the classes that are left; none are known where one that is not has a prior.
const priorsOf = (numbers, kept, all) => {
  const own = ofThose(numbers, kept, all);
  return absent(numbers, kept) < 0 ? own : kept.map(() => NaN);
};

const tableOf = (rows, kept) => kept.map((i) => kept.map((j) => rows[i][j]));

// Numbers of the classes that are left, from numbers of all of them.
const ofThose = (numbers, kept, all) => {
  if (numbers.length !== all) throw new RangeError(numbers.length + " numbers for " + all + " classes");
  return kept.map((i) => numbers[i]);
};

const absent = (numbers, kept) => numbers.findIndex((x, i) => x > 0 && !kept.includes(i));

// A class with neither examples nor predictions is left out.
const occupied = (m) => {
  const predicted = total(m);
  return m.map((_, i) => i).filter((i) => total(m[i]) > 0 || predicted[i] > 0);
};

const selected = (m, kept) => (kept.length === m.length ? m : kept.map((i) => kept.map((j) => m[i][j])));

const againstOne = (m, i) => {
  if (m.length === 2) return [[m[i][i], m[i][1 - i]], [m[1 - i][i], m[1 - i][1 - i]]];
  const others = m.map((_, k) => k).filter((k) => k !== i);
  return [
    [m[i][i], total(others.map((j) => m[i][j]))],
    [total(others.map((j) => m[j][i])), everySum(others.map((k) => others.map((j) => m[k][j])))],
  ];
};

// Huge or tiny weights scaled by a power of two, which changes no digit, so that sums and products stay numbers.
const near = (m) => {
  if (wide(m[0]?.[0])) return m;
  let largest = -Infinity;
  for (const row of m) for (const x of row) if (x > largest) largest = x;
  if (!(largest > 2 ** 120 || (largest < 2 ** -60 && largest > 0)) || largest === Infinity) return m;
  let power = 0;
  for (let x = largest; x >= 1; x /= 2) power += 1;
  for (let x = largest; x < 0.5; x *= 2) power -= 1;
  const shift = 100 - power;
  const step = Math.trunc(shift / 2);
  return m.map((row) => row.map((x) => x * 2 ** step * 2 ** (shift - step)));
};

const zeros = (b, path, found) => {
  if (Array.isArray(b)) b.forEach((x, i) => zeros(x, [...path, i], found));
  else if (b === 0) found.push(path);
  return found;
};

// Why a quotient has no value, in words: `names` tells the class that a place speaks of. Of a divisor that is one for
// all rows the class is that of the column.
const note = (found, b, because, names) => {
  if (!found) return;
  let divisor = b;
  while (Array.isArray(divisor) && divisor.length === 1 && Array.isArray(divisor[0])) divisor = divisor[0];
  for (const at of zeros(divisor, [], [])) {
    const told = because.replace(/\{(label|positive|negative)\}/g, (_, which) =>
      which === "label" ? names(at.length ? at : [0]) : names([which === "positive" ? 0 : 1, ...at]),
    );
    if (!found.includes(told)) found.push(told);
  }
};

const noteAbsent = (found, numbers, seen, because) => {
  if (!found) return;
  const at = absent(numbers, seen.kept);
  const told = because.replace("{label}", () => seen.everyone[at]);
  if (at >= 0 && !found.includes(told)) found.push(told);
};

const namesOf = (seen) => (at) =>
  Array.isArray(seen.names[0]) ? seen.names[0][at[0]] : seen.names[Math.min(at[0], seen.names.length - 1)];

const restNames = (outer) => ([side, ...rest]) => (side ? restOf(outer(rest.length ? rest : [0])) : outer(rest.length ? rest : [0]));

const pairNames = (outer, m) => ([side, pair = 0, ...rest]) => {
  const pairs = m.flatMap((_, i) => m.map((_, j) => [i, j])).filter(([i, j]) => i !== j);
  return outer([pairs[pair][side], ...rest]);
};

const sideNames = ([side]) => (side ? "the negative side" : "the positive side");

const restOf = (name) =>
  name === "class 'the other classes'" || name === "the other classes" ? "all the other classes" : "the other classes";

const quotedNames = (rows, labels) => rows.map((_, i) => "class '" + (labels ? labels[i] : "c" + (i + 1)) + "'");

// What a measure of any number of classes sees: those that were named, or those that hold anything.
const asClasses = (rows, options, unit) => {
  const all = unit ? rows : near(rows);
  const named = options.labels && options.listed !== false;
  const kept = named ? rows.map((_, i) => i) : occupied(all);
  const everyone = quotedNames(rows, options.labels);
  const weights = options.weights ? kept.map((i) => options.weights[i]) : null;
  return { m: selected(all, kept), kept, everyone, names: kept.map((i) => everyone[i]), weights };
};

// What a measure of two classes sees: the positive one, the last unless asked otherwise, against the rest.
const asSides = (rows, options, unit) => {
  const at = options.positive ?? rows.length - 1;
  const cells = againstOne(rows, at);
  const everyone = quotedNames(rows, options.labels);
  const given = options.labels && (options.listed !== false || options.labels.join() !== "c1,c2");
  const two = given ? [everyone[at], everyone[1 - at]] : ["the positive class", "the negative class"];
  const names = [rows.length === 2 ? two : [everyone[at], restOf(everyone[at])]];
  return { m: unit ? cells : near(cells), at, kept: [0, 1], everyone: names[0], names, weights: null };
};

const told = (seen, body) => {
  const found = [];
  const value = seen.m.length ? body(seen, found) : NaN;
  return { value, why: Number.isNaN(value) ? found.join("; ") || "the matrix is empty" : null };
};

const weigher = (measures) => {
  const last = new Map();
  const seen = (view, rows, options, unit) => {
    const key = view.name + unit + JSON.stringify([options.positive, options.listed, !options.labels]);
    const found = last.get(key);
    if (found && found.rows === rows && found.labels === options.labels && found.weights === options.weights) return found.seen;
    const made = view(rows, options, unit);
    last.set(key, { rows, labels: options.labels, weights: options.weights, seen: made });
    return made;
  };
  return Object.fromEntries(
    measures.map(([name, [view, unit, body]]) => [
      name,
      Object.assign((rows, options = {}) => told(seen(view, rows, options, unit), body), {
        drawn: (batch, options = {}) => body(seen(view, batch, options, unit), null),
      }),
    ]),
  );
};
