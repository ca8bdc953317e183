// @steelyard/core: written by tools/write_js.py from the graphs of the metrics. Do not edit.

const weigh = (() => {
  const wide = (a) => a instanceof Float64Array;
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
  const equal = (a, b) => a === b;
  const less = (a, b) => a < b;
  const both = (a, b) => a && b;
  const either = (a, b) => a || b;
  const not = (a) => !a;
  const minus = (a) => -a;
  const over = (a, b) => (b === 0 ? NaN : a / b);
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
  const takeAxis = (a, i, k) => (k === 0 ? a.at(i) : a.map((x) => takeAxis(x, i, k - 1)));
  const atPriors = (m, shares) =>
    m.map((row, i) => {
      const factor = zip(mul, Array.isArray(shares) ? shares[i] : shares, zip(over, 1, total(row)));
      return row.map((x) => zip(mul, x, factor));
    });
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
  const namesOf = (seen) => (at) =>
    Array.isArray(seen.names[0]) ? seen.names[0][at[0]] : seen.names[Math.min(at[0], seen.names.length - 1)];
  const restNames = (outer) => ([side, ...rest]) => (side ? restOf(outer(rest.length ? rest : [0])) : outer(rest.length ? rest : [0]));
  const restOf = (name) =>
    name === "class 'the other classes'" || name === "the other classes" ? "all the other classes" : "the other classes";
  const quotedNames = (rows, labels) => rows.map((_, i) => "class '" + (labels ? labels[i] : "c" + (i + 1)) + "'");
  const asClasses = (rows, options, unit) => {
    const all = unit ? rows : near(rows);
    const named = options.labels && options.listed !== false;
    const kept = named ? rows.map((_, i) => i) : occupied(all);
    const everyone = quotedNames(rows, options.labels);
    const weights = options.weights ? kept.map((i) => options.weights[i]) : null;
    return { m: selected(all, kept), kept, everyone, names: kept.map((i) => everyone[i]), weights };
  };
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
  return weigher([
    ["recall", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 0, 0); note(found, t1, "there are no examples of {positive}", namesOf(seen)); return zip(over, seen.m[0][0], t1); }]],
    ["specificity", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 1, 0); note(found, t1, "there are no examples of {negative}", namesOf(seen)); return zip(over, seen.m[1][1], t1); }]],
    ["fnr", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 0, 0); note(found, t1, "there are no examples of {positive}", namesOf(seen)); return zip(over, seen.m[0][1], t1); }]],
    ["fpr", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 1, 0); note(found, t1, "there are no examples of {negative}", namesOf(seen)); return zip(over, seen.m[1][0], t1); }]],
    ["precision", [asSides, false, (seen, found) => { const t1 = zip(add, seen.m[0][0], seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); return zip(over, seen.m[0][0], t1); }]],
    ["f_beta", [asSides, false, (seen, found) => { const t1 = zip(mul, 1.0, 1.0); const t2 = zip(mul, zip(add, 1, t1), seen.m[0][0]); const t3 = zip(add, zip(add, t2, zip(mul, t1, seen.m[0][1])), seen.m[1][0]); note(found, t3, "there is no {positive}, neither true nor predicted", namesOf(seen)); return zip(over, t2, t3); }]],
    ["auc_point", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); return zip(div, zip(add, zip(over, seen.m[0][0], t2), zip(over, seen.m[1][1], t4)), 2); }]],
    ["aurpc_point", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 0, 0); note(found, t1, "there are no examples of {positive}", namesOf(seen)); const t3 = zip(add, seen.m[0][0], seen.m[1][0]); note(found, t3, "nothing was predicted as {positive}", namesOf(seen)); return zip(div, zip(add, zip(over, seen.m[0][0], t1), zip(over, seen.m[0][0], t3)), 2); }]],
    ["optimized_precision", [asSides, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); const t3 = rowSums(seen.m); const t4 = takeAxis(t3, 1, 0); const t5 = zip(over, seen.m[1][1], t4); note(found, t4, "there are no examples of {negative}", namesOf(seen)); const t7 = takeAxis(t3, 0, 0); const t8 = zip(over, seen.m[0][0], t7); note(found, t7, "there are no examples of {positive}", namesOf(seen)); const t10 = zip(add, t5, t8); note(found, t10, "no example of either class was predicted right", namesOf(seen)); return zip(sub, zip(over, zip(add, seen.m[0][0], seen.m[1][1]), t1), zip(over, each(Math.abs, zip(sub, t5, t8)), t10)); }]],
    ["class_weighted_accuracy(w=0.5)", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); return zip(add, zip(mul, 0.5, zip(over, seen.m[0][0], t2)), zip(mul, zip(sub, 1, 0.5), zip(over, seen.m[1][1], t4))); }]],
    ["adjusted_gmean", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); const t3 = zip(over, seen.m[0][0], t2); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t5 = takeAxis(t1, 1, 0); const t6 = zip(over, seen.m[1][1], t5); note(found, t5, "there are no examples of {negative}", namesOf(seen)); const t8 = total(rowSums(seen.m)); const t9 = zip(over, t5, t8); note(found, t8, "the matrix is empty", namesOf(seen)); const t11 = zip(add, 1, t9); const t12 = zip(over, zip(add, each(Math.sqrt, zip(mul, t3, t6)), zip(mul, t6, t9)), t11); note(found, t11, "the matrix is empty", namesOf(seen)); return choose(zip(both, zip(equal, t3, 0), each(not, each(Number.isNaN, t12))), 0, t12); }]],
    ["negative_predictive_value", [asSides, false, (seen, found) => { const t1 = zip(add, seen.m[1][1], seen.m[0][1]); note(found, t1, "nothing was predicted as {negative}", namesOf(seen)); return zip(over, seen.m[1][1], t1); }]],
    ["false_discovery_rate", [asSides, false, (seen, found) => { const t1 = zip(add, seen.m[0][0], seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); return zip(over, seen.m[1][0], t1); }]],
    ["false_omission_rate", [asSides, false, (seen, found) => { const t1 = zip(add, seen.m[1][1], seen.m[0][1]); note(found, t1, "nothing was predicted as {negative}", namesOf(seen)); return zip(over, seen.m[0][1], t1); }]],
    ["informedness", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); return zip(sub, zip(add, zip(over, seen.m[0][0], t2), zip(over, seen.m[1][1], t4)), 1); }]],
    ["markedness", [asSides, false, (seen, found) => { const t1 = zip(add, seen.m[0][0], seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); const t3 = zip(add, seen.m[1][1], seen.m[0][1]); note(found, t3, "nothing was predicted as {negative}", namesOf(seen)); return zip(sub, zip(add, zip(over, seen.m[0][0], t1), zip(over, seen.m[1][1], t3)), 1); }]],
    ["positive_likelihood_ratio", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); const t5 = zip(over, seen.m[1][0], t4); note(found, t4, "there are no examples of {negative}", namesOf(seen)); note(found, t5, "no example of {negative} was predicted as {positive}", namesOf(seen)); return zip(over, zip(over, seen.m[0][0], t2), t5); }]],
    ["negative_likelihood_ratio", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); const t5 = zip(over, seen.m[1][1], t4); note(found, t4, "there are no examples of {negative}", namesOf(seen)); note(found, t5, "no example of {negative} was predicted right", namesOf(seen)); return zip(over, zip(over, seen.m[0][1], t2), t5); }]],
    ["diagnostic_odds_ratio", [asSides, false, (seen, found) => { note(found, seen.m[0][1], "no example of {positive} was missed", namesOf(seen)); note(found, seen.m[1][0], "no example of {negative} was predicted as {positive}", namesOf(seen)); return zip(mul, zip(over, seen.m[0][0], seen.m[0][1]), zip(over, seen.m[1][1], seen.m[1][0])); }]],
    ["threat_score", [asSides, false, (seen, found) => { const t1 = zip(add, zip(add, seen.m[0][0], seen.m[0][1]), seen.m[1][0]); note(found, t1, "there is no {positive}, neither true nor predicted", namesOf(seen)); return zip(over, seen.m[0][0], t1); }]],
    ["fowlkes_mallows", [asSides, false, (seen, found) => { const t1 = zip(add, seen.m[0][0], seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); const t3 = takeAxis(rowSums(seen.m), 0, 0); note(found, t3, "there are no examples of {positive}", namesOf(seen)); return each(Math.sqrt, zip(mul, zip(over, seen.m[0][0], t1), zip(over, seen.m[0][0], t3))); }]],
    ["lift", [asSides, false, (seen, found) => { const t1 = zip(add, seen.m[0][0], seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); const t3 = total(rowSums(seen.m)); const t4 = zip(over, takeAxis(rowSums(seen.m), 0, 0), t3); note(found, t3, "the matrix is empty", namesOf(seen)); note(found, t4, "there are no examples of {positive}", namesOf(seen)); return zip(over, zip(over, seen.m[0][0], t1), t4); }]],
    ["prevalence", [asSides, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, takeAxis(rowSums(seen.m), 0, 0), t1); }]],
    ["dominance", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); return zip(sub, zip(over, seen.m[0][0], t2), zip(over, seen.m[1][1], t4)); }]],
    ["accuracy", [asClasses, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, total(diagonal(seen.m)), t1); }]],
    ["error_rate", [asClasses, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, total(missed(seen.m)), t1); }]],
    ["macro_recall", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, diagonal(seen.m), t1), seen.weights); }]],
    ["gmean", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return geometricMean(zip(over, diagonal(seen.m), t1), seen.weights); }]],
    ["macro_precision", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = zip(add, t1, falseAlarms(seen.m)); note(found, t2, "nothing was predicted as {positive}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t1, t2), seen.weights); }]],
    ["f_beta_of_macros", [asClasses, false, (seen, found) => { const t1 = zip(mul, 1.0, 1.0); const t2 = diagonal(seen.m); const t3 = total(seen.m); note(found, t3, "nothing was predicted as {label}", namesOf(seen)); const t5 = mean(zip(over, t2, t3), seen.weights); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); const t7 = rowSums(seen.m); note(found, t7, "there are no examples of {label}", namesOf(seen)); const t9 = mean(zip(over, t2, t7), seen.weights); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); const t11 = zip(add, zip(mul, t1, t5), t9); note(found, t11, "macro precision and macro recall are both 0", namesOf(seen)); return zip(over, zip(mul, zip(mul, zip(add, 1, t1), t5), t9), t11); }]],
    ["macro_f_beta", [asClasses, false, (seen, found) => { const t1 = zip(mul, 1.0, 1.0); const t2 = zip(mul, zip(add, 1, t1), diagonal(seen.m)); const t3 = zip(add, zip(add, t2, zip(mul, t1, missed(seen.m))), falseAlarms(seen.m)); note(found, t3, "there is no {positive}, neither true nor predicted", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t2, t3), seen.weights); }]],
    ["average_accuracy", [asClasses, false, (seen, found) => { const t1 = total(diagonal(seen.m)); const t2 = zip(add, zip(add, t1, missed(seen.m)), falseAlarms(seen.m)); note(found, t2, "{label} has neither examples nor predictions, and nothing was predicted right", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t1, t2), seen.weights); }]],
    ["mean_binary_accuracy", [asClasses, false, (seen, found) => { const t1 = total(rowSums(againstRest(seen.m))); note(found, t1, "the matrix is empty", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, zip(add, diagonal(seen.m), rejected(seen.m)), t1), seen.weights); }]],
    ["class_balance_accuracy", [asClasses, false, (seen, found) => { const t1 = zip(Math.max, rowSums(seen.m), total(seen.m)); note(found, t1, "{label} has neither examples nor predictions", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, diagonal(seen.m), t1), seen.weights); }]],
    ["imbalance_accuracy", [asClasses, false, (seen, found) => { const t1 = zip(Math.max, rowSums(seen.m), total(seen.m)); note(found, t1, "{label} has neither examples nor predictions", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, zip(sub, diagonal(seen.m), zip(Math.max, missed(seen.m), falseAlarms(seen.m))), t1), seen.weights); }]],
    ["kappa", [asClasses, false, (seen, found) => { const t1 = total(zip(mul, rowSums(seen.m), ofOthers(total(seen.m)))); note(found, t1, "truth and prediction are one and the same single class", namesOf(seen)); return zip(over, aboveChance(seen.m), t1); }]],
    ["mcc", [asClasses, false, (seen, found) => { const t1 = zip(rootOfProduct, total(zip(mul, rowSums(seen.m), ofOthers(rowSums(seen.m)))), total(zip(mul, total(seen.m), ofOthers(total(seen.m))))); note(found, t1, "the truth holds one class only, or one class only is predicted", namesOf(seen)); return zip(over, aboveChance(seen.m), t1); }]],
    ["auroc_ovo", [asClasses, false, (seen, found) => { if (zip(less, seen.m.length, 2)) { note(found, 0, "there is one class only", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(newAxis(NaN, 0), seen.weights); } const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {label}", namesOf(seen)); const t3 = newAxis(t1, 1); note(found, t3, "there are no examples of {label}", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(div, zip(sub, zip(add, 1, zip(over, diagonal(seen.m), t1)), zip(div, total(withoutOwn(zip(over, seen.m, t3))), zip(sub, seen.m.length, 1))), 2), seen.weights); }]],
    ["auroc_ova", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {positive}", restNames(namesOf(seen))); const t3 = ofOthers(rowSums(seen.m)); note(found, t3, "there are no examples of {negative}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(div, zip(add, zip(over, diagonal(seen.m), t1), zip(over, rejected(seen.m), t3)), 2), seen.weights); }]],
    ["nauroc_ova", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {positive}", restNames(namesOf(seen))); const t3 = ofOthers(rowSums(seen.m)); note(found, t3, "there are no examples of {negative}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); const t6 = seen.m.length; const t7 = zip(div, zip(sub, t6, 2), zip(mul, 2, t6)); const t8 = zip(sub, 1, t7); note(found, t8, "with this many classes the range is a single value", namesOf(seen)); return zip(over, zip(sub, mean(zip(div, zip(add, zip(over, diagonal(seen.m), t1), zip(over, rejected(seen.m), t3)), 2), seen.weights), t7), t8); }]],
    ["aurpc_ova", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = rowSums(seen.m); note(found, t2, "there are no examples of {positive}", restNames(namesOf(seen))); const t4 = zip(add, t1, falseAlarms(seen.m)); note(found, t4, "nothing was predicted as {positive}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(div, zip(add, zip(over, t1, t2), zip(over, t1, t4)), 2), seen.weights); }]],
    ["weighted_precision", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = zip(add, t1, falseAlarms(seen.m)); note(found, t2, "nothing was predicted as {positive}", restNames(namesOf(seen))); note(found, total(rowSums(seen.m)), "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t1, t2), rowSums(seen.m)); }]],
    ["weighted_f_beta", [asClasses, false, (seen, found) => { const t1 = zip(mul, 1.0, 1.0); const t2 = zip(mul, zip(add, 1, t1), diagonal(seen.m)); const t3 = zip(add, zip(add, t2, zip(mul, t1, missed(seen.m))), falseAlarms(seen.m)); note(found, t3, "there is no {positive}, neither true nor predicted", restNames(namesOf(seen))); note(found, total(rowSums(seen.m)), "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t2, t3), rowSums(seen.m)); }]],
    ["macro_jaccard", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = zip(add, zip(add, t1, missed(seen.m)), falseAlarms(seen.m)); note(found, t2, "there is no {positive}, neither true nor predicted", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t1, t2), seen.weights); }]],
    ["relative_classifier_information", [asClasses, false, (seen, found) => { const t1 = total(zip(entropy, rowSums(seen.m), ofOthers(rowSums(seen.m)))); note(found, t1, "one class holds every example", namesOf(seen)); return zip(over, zip(sub, t1, everySum(zip(entropy, seen.m, withoutEach(seen.m)))), t1); }]],
    ["confusion_entropy", [asClasses, false, (seen, found) => { if (zip(less, seen.m.length, 2)) { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, zip(mul, t1, 0), t1); } const t1 = withoutOwn(seen.m); const t2 = zip(mul, zip(mul, 2, total(rowSums(seen.m))), each(logarithm, zip(mul, 2, zip(sub, seen.m.length, 1)))); note(found, t2, "the matrix is empty", namesOf(seen)); return zip(over, zip(add, everySum(zip(entropy, t1, zip(add, elsewhere(seen.m), newAxis(total(seen.m), 1)))), everySum(zip(entropy, t1, zip(add, withoutEach(seen.m), newAxis(rowSums(seen.m), 0))))), t2); }]],
    ["mutual_information", [asClasses, false, (seen, found) => { const t1 = zip(mul, total(rowSums(seen.m)), each(logarithm, 2)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, zip(sub, total(zip(entropy, rowSums(seen.m), ofOthers(rowSums(seen.m)))), everySum(zip(entropy, seen.m, withoutEach(seen.m)))), t1); }]],
    ["normalised_mutual_information", [asClasses, false, (seen, found) => { const t1 = total(zip(entropy, rowSums(seen.m), ofOthers(rowSums(seen.m)))); const t2 = zip(add, t1, total(zip(entropy, total(seen.m), ofOthers(total(seen.m))))); note(found, t2, "truth and prediction hold one class only", namesOf(seen)); return zip(over, zip(mul, 2, zip(sub, t1, everySum(zip(entropy, seen.m, withoutEach(seen.m))))), t2); }]],
    ["completeness", [asClasses, false, (seen, found) => { const t1 = total(zip(entropy, total(seen.m), ofOthers(total(seen.m)))); note(found, t1, "one class only is predicted", namesOf(seen)); return zip(over, zip(sub, t1, everySum(zip(entropy, seen.m, elsewhere(seen.m)))), t1); }]],
    ["kl_divergence", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = total(seen.m); note(found, t2, "nothing was predicted as {label}", namesOf(seen)); const t4 = zip(mul, total(rowSums(seen.m)), each(logarithm, 2)); note(found, t4, "the matrix is empty", namesOf(seen)); return zip(over, zip(sub, total(zip(over, zip(mul, t1, zip(entropy, t2, ofOthers(total(seen.m)))), t2)), total(zip(entropy, t1, ofOthers(rowSums(seen.m))))), t4); }]],
    ["modified_confusion_entropy", [asClasses, false, (seen, found) => { if (zip(equal, seen.m.length, 2)) { if (zip(less, seen.m.length, 2)) { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, zip(mul, t1, 0), t1); } const t1 = withoutOwn(seen.m); const t2 = zip(mul, zip(mul, 2, total(rowSums(seen.m))), each(logarithm, zip(mul, 2, zip(sub, seen.m.length, 1)))); note(found, t2, "the matrix is empty", namesOf(seen)); return zip(over, zip(add, everySum(zip(entropy, t1, zip(add, elsewhere(t1), newAxis(total(seen.m), 1)))), everySum(zip(entropy, t1, zip(add, withoutEach(t1), newAxis(rowSums(seen.m), 0))))), t2); } if (zip(less, seen.m.length, 2)) { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, zip(mul, t1, 0), t1); } const t1 = withoutOwn(seen.m); const t2 = zip(mul, zip(add, total(rowSums(seen.m)), total(missed(seen.m))), each(logarithm, zip(mul, 2, zip(sub, seen.m.length, 1)))); note(found, t2, "the matrix is empty", namesOf(seen)); return zip(over, zip(add, everySum(zip(entropy, t1, zip(add, elsewhere(t1), newAxis(total(seen.m), 1)))), everySum(zip(entropy, t1, zip(add, withoutEach(t1), newAxis(rowSums(seen.m), 0))))), t2); }]],
    ["balanced_accuracy", [asClasses, false, (seen, found) => { const t1 = atPriors(seen.m, zip(div, 1, seen.m.length)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = total(rowSums(t1)); note(found, t3, "the matrix is empty", namesOf(seen)); return zip(over, total(diagonal(t1)), t3); }]],
    ["balanced_error_rate", [asClasses, false, (seen, found) => { const t1 = atPriors(seen.m, zip(div, 1, seen.m.length)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = total(rowSums(t1)); note(found, t3, "the matrix is empty", namesOf(seen)); return zip(over, total(missed(t1)), t3); }]],
    ["balanced_precision", [asSides, false, (seen, found) => { const t1 = atPriors(seen.m, zip(div, 1, 2)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = zip(add, t1[0][0], t1[1][0]); note(found, t3, "nothing was predicted as {positive}", namesOf(seen)); return zip(over, t1[0][0], t3); }]],
    ["balanced_f_beta", [asSides, false, (seen, found) => { const t1 = zip(mul, 1.0, 1.0); const t2 = atPriors(seen.m, zip(div, 1, 2)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t4 = zip(mul, zip(add, 1, t1), t2[0][0]); const t5 = zip(add, zip(add, t4, zip(mul, t1, t2[0][1])), t2[1][0]); note(found, t5, "there is no {positive}, neither true nor predicted", namesOf(seen)); return zip(over, t4, t5); }]],
    ["maurpc", [asSides, false, (seen, found) => { const t1 = atPriors(seen.m, zip(div, 1, 2)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = takeAxis(rowSums(t1), 0, 0); note(found, t3, "there are no examples of {positive}", namesOf(seen)); const t5 = zip(add, t1[0][0], t1[1][0]); note(found, t5, "nothing was predicted as {positive}", namesOf(seen)); return zip(div, zip(add, zip(over, t1[0][0], t3), zip(over, t1[0][0], t5)), 2); }]],
    ["maurpc_ova", [asClasses, false, (seen, found) => { const t1 = atPriors(seen.m, zip(div, 1, seen.m.length)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = diagonal(t1); const t4 = rowSums(t1); note(found, t4, "there are no examples of {positive}", restNames(namesOf(seen))); const t6 = zip(add, t3, falseAlarms(t1)); note(found, t6, "nothing was predicted as {positive}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(div, zip(add, zip(over, t3, t4), zip(over, t3, t6)), 2), seen.weights); }]],
    ["iba(gmean, alpha=0.05)", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); note(found, t1, "there are no examples of {label}", namesOf(seen)); return zip(mul, zip(add, 1, zip(mul, 0.05, zip(sub, zip(over, seen.m[0][0], t2), zip(over, seen.m[1][1], t4)))), geometricMean(zip(over, diagonal(seen.m), t1), null)); }]],
    ["scott_pi", [asClasses, false, (seen, found) => { const t1 = total(zip(mul, zip(add, rowSums(seen.m), total(seen.m)), zip(add, ofOthers(rowSums(seen.m)), ofOthers(total(seen.m))))); note(found, t1, "truth and prediction are one and the same single class", namesOf(seen)); return zip(over, zip(sub, t1, zip(mul, zip(mul, 4, total(rowSums(seen.m))), total(missed(seen.m)))), t1); }]],
    ["gwet_ac1", [asClasses, false, (seen, found) => { if (zip(less, seen.m.length, 2)) { note(found, 0, "there is one class only", namesOf(seen)); return NaN; } const t1 = total(rowSums(seen.m)); const t2 = zip(mul, zip(mul, 4, zip(sub, seen.m.length, 1)), t1); const t3 = total(zip(mul, zip(add, rowSums(seen.m), total(seen.m)), zip(add, ofOthers(rowSums(seen.m)), ofOthers(total(seen.m))))); const t4 = zip(sub, zip(mul, t2, t1), t3); note(found, t4, "the matrix is empty", namesOf(seen)); return zip(over, zip(sub, zip(mul, t2, total(diagonal(seen.m))), t3), t4); }]],
    ["bennett_s", [asClasses, false, (seen, found) => { if (zip(less, 1, seen.m.length)) { const t1 = total(rowSums(seen.m)); const t2 = zip(mul, zip(sub, seen.m.length, 1), t1); note(found, t2, "the matrix is empty", namesOf(seen)); return zip(over, zip(sub, zip(mul, seen.m.length, total(diagonal(seen.m))), t1), t2); } const t1 = total(rowSums(seen.m)); const t2 = zip(mul, zip(sub, seen.m.length, 1), t1); note(found, t2, "there is one class only", namesOf(seen)); return zip(over, zip(sub, zip(mul, seen.m.length, total(diagonal(seen.m))), t1), t2); }]],
    ["krippendorff_alpha", [asClasses, true, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); const t3 = total(zip(mul, zip(add, rowSums(seen.m), total(seen.m)), zip(over, zip(add, ofOthers(rowSums(seen.m)), ofOthers(total(seen.m))), t1))); note(found, t1, "the matrix is empty", namesOf(seen)); note(found, t3, "truth and prediction are one and the same single class", namesOf(seen)); return zip(over, zip(sub, t3, zip(mul, zip(mul, 2, zip(sub, zip(mul, 2, t1), 1)), zip(over, total(missed(seen.m)), t1))), t3); }]],
    ["linear_weighted_kappa", [asClasses, false, (seen, found) => { const t1 = steps(seen.m.length, 1); const t2 = everySum(zip(mul, zip(mul, t1, newAxis(rowSums(seen.m), 1)), newAxis(total(seen.m), 0))); note(found, t2, "truth and prediction are one and the same single class", namesOf(seen)); return zip(over, zip(sub, t2, zip(mul, total(rowSums(seen.m)), everySum(zip(mul, t1, seen.m)))), t2); }]],
    ["quadratic_weighted_kappa", [asClasses, false, (seen, found) => { const t1 = steps(seen.m.length, 2); const t2 = everySum(zip(mul, zip(mul, t1, newAxis(rowSums(seen.m), 1)), newAxis(total(seen.m), 0))); note(found, t2, "truth and prediction are one and the same single class", namesOf(seen)); return zip(over, zip(sub, t2, zip(mul, total(rowSums(seen.m)), everySum(zip(mul, t1, seen.m)))), t2); }]],
    ["macro_mae", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, rowSums(zip(mul, steps(seen.m.length, 1), seen.m)), t1), seen.weights); }]],
    ["bangdiwala_b", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = total(zip(mul, rowSums(seen.m), total(seen.m))); note(found, t2, "no class that has examples was predicted", namesOf(seen)); return zip(over, total(zip(mul, t1, t1)), t2); }]],
    ["phi_squared", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = total(seen.m); const t3 = total(rowSums(seen.m)); note(found, t3, "the matrix is empty", namesOf(seen)); const t5 = zip(sub, seen.m, zip(mul, newAxis(t1, 1), newAxis(zip(over, t2, t3), 0))); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, t2, "nothing was predicted as {label}", namesOf(seen)); return everySum(zip(mul, zip(mul, t5, newAxis(zip(over, 1, t1), 1)), zip(mul, t5, newAxis(zip(over, 1, t2), 0)))); }]],
    ["chi_squared", [asClasses, true, (seen, found) => { const t1 = total(rowSums(seen.m)); const t2 = rowSums(seen.m); const t3 = total(seen.m); note(found, t1, "the matrix is empty", namesOf(seen)); const t5 = zip(sub, seen.m, zip(mul, newAxis(t2, 1), newAxis(zip(over, t3, t1), 0))); note(found, t2, "there are no examples of {label}", namesOf(seen)); note(found, t3, "nothing was predicted as {label}", namesOf(seen)); return zip(mul, t1, everySum(zip(mul, zip(mul, t5, newAxis(zip(over, 1, t2), 1)), zip(mul, t5, newAxis(zip(over, 1, t3), 0))))); }]],
    ["cramer_v", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = total(seen.m); const t3 = total(rowSums(seen.m)); note(found, t3, "the matrix is empty", namesOf(seen)); const t5 = zip(sub, seen.m, zip(mul, newAxis(t1, 1), newAxis(zip(over, t2, t3), 0))); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, t2, "nothing was predicted as {label}", namesOf(seen)); const t8 = zip(add, zip(mul, t3, 0), zip(sub, seen.m.length, 1)); note(found, t8, "there is one class only", namesOf(seen)); return each(Math.sqrt, zip(over, everySum(zip(mul, zip(mul, t5, newAxis(zip(over, 1, t1), 1)), zip(mul, t5, newAxis(zip(over, 1, t2), 0)))), t8)); }]],
    ["pearson_c", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = total(seen.m); const t3 = total(rowSums(seen.m)); note(found, t3, "the matrix is empty", namesOf(seen)); const t5 = zip(sub, seen.m, zip(mul, newAxis(t1, 1), newAxis(zip(over, t2, t3), 0))); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, t2, "nothing was predicted as {label}", namesOf(seen)); const t8 = everySum(zip(mul, zip(mul, t5, newAxis(zip(over, 1, t1), 1)), zip(mul, t5, newAxis(zip(over, 1, t2), 0)))); const t9 = zip(add, 1, t8); note(found, t9, "the matrix is empty", namesOf(seen)); return each(Math.sqrt, zip(over, t8, t9)); }]],
    ["goodman_kruskal_lambda", [asClasses, false, (seen, found) => { const t1 = each(minus, greatest(each(minus, ofOthers(rowSums(seen.m))))); note(found, t1, "one class holds every example", namesOf(seen)); return zip(over, zip(sub, t1, total(each(minus, greatest(each(minus, withoutEach(seen.m)))))), t1); }]],
    ["goodman_kruskal_lambda_b", [asClasses, false, (seen, found) => { const t1 = each(minus, greatest(each(minus, ofOthers(total(seen.m))))); note(found, t1, "one class only is predicted", namesOf(seen)); return zip(over, zip(sub, t1, total(each(minus, greatest(each(minus, turned(elsewhere(seen.m))))))), t1); }]],
    ["no_information_rate", [asClasses, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, greatest(rowSums(seen.m)), t1); }]],
    ["yule_q", [asSides, false, (seen, found) => { const t1 = zip(mul, seen.m[0][0], seen.m[1][1]); const t2 = zip(mul, seen.m[0][1], seen.m[1][0]); const t3 = zip(add, t1, t2); note(found, t3, "one of the right cells and one of the wrong ones are empty", namesOf(seen)); return zip(over, zip(sub, t1, t2), t3); }]],
    ["yule_y", [asSides, false, (seen, found) => { const t1 = zip(rootOfProduct, seen.m[0][0], seen.m[1][1]); const t2 = zip(rootOfProduct, seen.m[0][1], seen.m[1][0]); const t3 = zip(add, t1, t2); note(found, t3, "one of the right cells and one of the wrong ones are empty", namesOf(seen)); return zip(over, zip(sub, t1, t2), t3); }]],
    ["relative_risk", [asSides, false, (seen, found) => { const t1 = zip(add, seen.m[0][0], seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); const t3 = zip(add, seen.m[1][1], seen.m[0][1]); const t4 = zip(over, seen.m[0][1], t3); note(found, t3, "nothing was predicted as {negative}", namesOf(seen)); note(found, t4, "no example of {positive} was missed", namesOf(seen)); return zip(over, zip(over, seen.m[0][0], t1), t4); }]],
    ["overlap_coefficient", [asSides, false, (seen, found) => { const t1 = each(minus, zip(Math.max, each(minus, takeAxis(rowSums(seen.m), 0, 0)), each(minus, zip(add, seen.m[0][0], seen.m[1][0])))); note(found, t1, "there are no examples of {positive}, or nothing was predicted as it", namesOf(seen)); return zip(over, seen.m[0][0], t1); }]],
    ["braun_blanquet", [asSides, false, (seen, found) => { const t1 = zip(Math.max, takeAxis(rowSums(seen.m), 0, 0), zip(add, seen.m[0][0], seen.m[1][0])); note(found, t1, "there is no {positive}, neither true nor predicted", namesOf(seen)); return zip(over, seen.m[0][0], t1); }]],
    ["tversky(alpha=0.3, beta=0.7)", [asSides, false, (seen, found) => { const t1 = zip(add, zip(add, seen.m[0][0], zip(mul, 0.3, seen.m[1][0])), zip(mul, 0.7, seen.m[0][1])); note(found, t1, "there is no {positive}, neither true nor predicted", namesOf(seen)); return zip(over, seen.m[0][0], t1); }]],
    ["p4", [asSides, false, (seen, found) => { const t1 = zip(mul, zip(mul, 4, seen.m[0][0]), seen.m[1][1]); const t2 = zip(add, t1, zip(mul, zip(add, seen.m[0][0], seen.m[1][1]), zip(add, seen.m[1][0], seen.m[0][1]))); note(found, t2, "no example was predicted right, or none of one class and nothing wrong", namesOf(seen)); return zip(over, t1, t2); }]],
    ["gilbert_skill_score", [asSides, false, (seen, found) => { const t1 = zip(mul, seen.m[0][0], seen.m[1][1]); const t2 = rowSums(seen.m); const t3 = zip(add, zip(add, zip(mul, seen.m[0][1], zip(add, zip(add, takeAxis(t2, 0, 0), seen.m[1][0]), seen.m[1][1])), zip(mul, seen.m[1][0], zip(add, seen.m[0][0], takeAxis(t2, 1, 0)))), t1); note(found, t3, "there is no {positive}, neither true nor predicted, or nothing else", namesOf(seen)); return zip(over, zip(sub, t1, zip(mul, seen.m[0][1], seen.m[1][0])), t3); }]],
    ["sedi", [asSides, false, (seen, found) => { const t1 = zip(over, zip(entropy, seen.m[1][0], seen.m[1][1]), seen.m[1][0]); note(found, seen.m[1][0], "no example of {negative} was predicted as {positive}", namesOf(seen)); const t3 = zip(over, zip(entropy, seen.m[0][0], seen.m[0][1]), seen.m[0][0]); note(found, seen.m[0][0], "no example of {positive} was detected", namesOf(seen)); const t5 = zip(over, zip(entropy, seen.m[1][1], seen.m[1][0]), seen.m[1][1]); note(found, seen.m[1][1], "no example of {negative} was correctly rejected", namesOf(seen)); const t7 = zip(over, zip(entropy, seen.m[0][1], seen.m[0][0]), seen.m[0][1]); note(found, seen.m[0][1], "no example of {positive} was missed", namesOf(seen)); const t9 = zip(add, zip(add, zip(add, t1, t3), t5), t7); note(found, t9, "the matrix is empty", namesOf(seen)); return zip(over, zip(add, zip(sub, zip(sub, t1, t3), t5), t7), t9); }]],
    ["adjusted_f", [asSides, false, (seen, found) => { const t1 = zip(mul, 5, seen.m[0][0]); const t2 = zip(mul, 4, seen.m[0][1]); const t3 = zip(add, zip(add, t1, t2), seen.m[1][0]); note(found, t3, "there is no {positive}, neither true nor predicted", namesOf(seen)); const t5 = zip(mul, 5, seen.m[1][1]); const t6 = zip(add, zip(add, t5, seen.m[1][0]), t2); note(found, t6, "there is no {negative}, neither true nor predicted", namesOf(seen)); return each(Math.sqrt, zip(mul, zip(over, t1, t3), zip(over, t5, t6))); }]],
    ["distance_index", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); const t3 = zip(over, seen.m[0][1], t2); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t5 = takeAxis(t1, 1, 0); const t6 = zip(over, seen.m[1][0], t5); note(found, t5, "there are no examples of {negative}", namesOf(seen)); return each(Math.sqrt, zip(add, zip(mul, t3, t3), zip(mul, t6, t6))); }]],
    ["similarity_index", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); const t3 = zip(over, seen.m[0][1], t2); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t5 = takeAxis(t1, 1, 0); const t6 = zip(over, seen.m[1][0], t5); note(found, t5, "there are no examples of {negative}", namesOf(seen)); return zip(sub, 1, zip(div, each(Math.sqrt, zip(add, zip(mul, t3, t3), zip(mul, t6, t6))), each(Math.sqrt, 2))); }]],
    ["prevalence_threshold", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 1, 0); note(found, t2, "there are no examples of {negative}", namesOf(seen)); const t4 = each(Math.sqrt, zip(over, seen.m[1][0], t2)); const t5 = takeAxis(t1, 0, 0); note(found, t5, "there are no examples of {positive}", namesOf(seen)); const t7 = zip(add, each(Math.sqrt, zip(over, seen.m[0][0], t5)), t4); note(found, t7, "nothing was predicted as {positive}", namesOf(seen)); return zip(over, t4, t7); }]],
    ["detection_prevalence", [asSides, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return zip(over, zip(add, seen.m[0][0], seen.m[1][0]), t1); }]],
    ["correlation_distance", [asClasses, false, (seen, found) => { const t1 = zip(rootOfProduct, total(zip(mul, rowSums(seen.m), ofOthers(rowSums(seen.m)))), total(zip(mul, total(seen.m), ofOthers(total(seen.m))))); note(found, t1, "the truth holds one class only, or one class only is predicted", namesOf(seen)); return each(halfTurns, zip(over, aboveChance(seen.m), t1)); }]],
    ["generalised_means", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = zip(add, zip(mul, takeAxis(t1, 0, 0), takeAxis(t1, 1, 0)), zip(mul, zip(add, seen.m[0][0], seen.m[1][0]), zip(add, seen.m[0][1], seen.m[1][1]))); note(found, t2, "truth and prediction hold one class each", namesOf(seen)); return zip(over, zip(mul, 2, zip(sub, zip(mul, seen.m[0][0], seen.m[1][1]), zip(mul, seen.m[0][1], seen.m[1][0]))), t2); }]],
  ]);
})();
/** The metrics by id: name with parameters, title, kind, which end is better, formula. */
export const METRICS = {
 "accuracy": {
  "better": "higher",
  "formula": "sum(hits) / n",
  "kind": "multi-class",
  "name": "accuracy",
  "range": [
   0.0,
   1.0
  ],
  "title": "Accuracy",
  "weighs": false
 },
 "adjusted_f": {
  "better": "higher",
  "formula": "sqrt(5 * tp / (5 * tp + 4 * fn + fp) * 5 * tn / (5 * tn + fp + 4 * fn))",
  "kind": "two-class",
  "name": "adjusted_f",
  "range": [
   0.0,
   1.0
  ],
  "title": "Adjusted F-score",
  "weighs": false
 },
 "adjusted_gmean": {
  "better": "higher",
  "formula": "where(tp / (tp + fn) == 0, 0, (sqrt(tp / (tp + fn) * tn / (fp + tn)) + tn / (fp + tn) * (fp + tn) / n) / (1 + (fp + tn) / n))",
  "kind": "two-class",
  "name": "adjusted_gmean",
  "range": [
   0.0,
   1.0
  ],
  "title": "Adjusted geometric mean",
  "weighs": false
 },
 "auc_point": {
  "better": "higher",
  "formula": "(tp / (tp + fn) + tn / (fp + tn)) / 2",
  "kind": "two-class",
  "name": "auc_point",
  "range": [
   0.0,
   1.0
  ],
  "title": "AUC of a single operating point",
  "weighs": false
 },
 "auroc_ova": {
  "better": "higher",
  "formula": "mean((hits / actual + rejected / (n - actual)) / 2)",
  "kind": "multi-class",
  "name": "auroc_ova",
  "range": [
   [
    0.0,
    0.16666666666666666,
    0.25,
    0.3,
    0.3333333333333333,
    0.35714285714285715,
    0.375,
    0.3888888888888889,
    0.4,
    0.4090909090909091,
    0.4166666666666667,
    0.4230769230769231,
    0.42857142857142855,
    0.43333333333333335,
    0.4375,
    0.4411764705882353,
    0.4444444444444444,
    0.4473684210526316,
    0.45,
    0.4523809523809524,
    0.45454545454545453,
    0.45652173913043476,
    0.4583333333333333,
    0.46,
    0.46153846153846156,
    0.46296296296296297,
    0.4642857142857143,
    0.46551724137931033,
    0.4666666666666667,
    0.46774193548387094,
    0.46875,
    0.4696969696969697,
    0.47058823529411764,
    0.4714285714285714,
    0.4722222222222222,
    0.47297297297297297,
    0.47368421052631576,
    0.47435897435897434,
    0.475
   ],
   1.0
  ],
  "title": "AUROC, one versus all, of a single operating point",
  "weighs": false
 },
 "auroc_ovo": {
  "better": "higher",
  "formula": "mean((1 + hits / actual - sum(off_diagonal(m / actual_i), axis=0) / (C - 1)) / 2)",
  "kind": "multi-class",
  "name": "auroc_ovo",
  "range": [
   [
    0.0,
    0.25,
    0.3333333333333333,
    0.375,
    0.4,
    0.4166666666666667,
    0.42857142857142855,
    0.4375,
    0.4444444444444444,
    0.45,
    0.45454545454545453,
    0.4583333333333333,
    0.46153846153846156,
    0.4642857142857143,
    0.4666666666666667,
    0.46875,
    0.47058823529411764,
    0.4722222222222222,
    0.47368421052631576,
    0.475,
    0.47619047619047616,
    0.4772727272727273,
    0.4782608695652174,
    0.4791666666666667,
    0.48,
    0.4807692307692308,
    0.48148148148148145,
    0.48214285714285715,
    0.4827586206896552,
    0.48333333333333334,
    0.4838709677419355,
    0.484375,
    0.48484848484848486,
    0.4852941176470588,
    0.4857142857142857,
    0.4861111111111111,
    0.4864864864864865,
    0.4868421052631579,
    0.48717948717948717
   ],
   1.0
  ],
  "title": "AUROC, one versus one, of a single operating point",
  "weighs": false
 },
 "aurpc_ova": {
  "better": "higher",
  "formula": "mean((hits / actual + hits / (hits + false_alarms)) / 2)",
  "kind": "multi-class",
  "name": "aurpc_ova",
  "range": [
   0.0,
   1.0
  ],
  "title": "Area under the recall-precision curve, one versus all",
  "weighs": false
 },
 "aurpc_point": {
  "better": "higher",
  "formula": "(tp / (tp + fn) + tp / (tp + fp)) / 2",
  "kind": "two-class",
  "name": "aurpc_point",
  "range": [
   0.0,
   1.0
  ],
  "title": "Area under the recall-precision curve of a single point",
  "weighs": false
 },
 "average_accuracy": {
  "better": "higher",
  "formula": "mean(sum(hits) / (sum(hits) + missed + false_alarms))",
  "kind": "multi-class",
  "name": "average_accuracy",
  "range": [
   0.0,
   1.0
  ],
  "title": "Average accuracy (branco2017)",
  "weighs": false
 },
 "balanced_accuracy": {
  "better": "higher",
  "formula": "sum(hits) / n, with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "multi-class",
  "name": "balanced_accuracy",
  "range": [
   0.0,
   1.0
  ],
  "title": "Balanced accuracy",
  "weighs": false
 },
 "balanced_error_rate": {
  "better": "lower",
  "formula": "sum(missed) / n, with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "multi-class",
  "name": "balanced_error_rate",
  "range": [
   0.0,
   1.0
  ],
  "title": "Balanced error rate",
  "weighs": false
 },
 "balanced_f_beta": {
  "better": "higher",
  "formula": "2 * tp / (2 * tp + fn + fp), with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "two-class",
  "name": "balanced_f_beta",
  "range": [
   0.0,
   1.0
  ],
  "title": "Balanced F-measure",
  "weighs": false
 },
 "balanced_precision": {
  "better": "higher",
  "formula": "tp / (tp + fp), with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "two-class",
  "name": "balanced_precision",
  "range": [
   0.0,
   1.0
  ],
  "title": "Balanced precision",
  "weighs": false
 },
 "bangdiwala_b": {
  "better": "higher",
  "formula": "sum(hits * hits) / sum(actual * predicted)",
  "kind": "multi-class",
  "name": "bangdiwala_b",
  "range": [
   0.0,
   1.0
  ],
  "title": "Bangdiwala's B",
  "weighs": false
 },
 "bennett_s": {
  "better": "higher",
  "formula": "(C * sum(hits) - n) / ((C - 1) * n)",
  "kind": "multi-class",
  "name": "bennett_s",
  "range": [
   [
    -1.0,
    -0.5,
    -0.3333333333333333,
    -0.25,
    -0.2,
    -0.16666666666666666,
    -0.14285714285714285,
    -0.125,
    -0.1111111111111111,
    -0.1,
    -0.09090909090909091,
    -0.08333333333333333,
    -0.07692307692307693,
    -0.07142857142857142,
    -0.06666666666666667,
    -0.0625,
    -0.058823529411764705,
    -0.05555555555555555,
    -0.05263157894736842,
    -0.05,
    -0.047619047619047616,
    -0.045454545454545456,
    -0.043478260869565216,
    -0.041666666666666664,
    -0.04,
    -0.038461538461538464,
    -0.037037037037037035,
    -0.03571428571428571,
    -0.034482758620689655,
    -0.03333333333333333,
    -0.03225806451612903,
    -0.03125,
    -0.030303030303030304,
    -0.029411764705882353,
    -0.02857142857142857,
    -0.027777777777777776,
    -0.02702702702702703,
    -0.02631578947368421,
    -0.02564102564102564
   ],
   1.0
  ],
  "title": "Bennett's S",
  "weighs": false
 },
 "braun_blanquet": {
  "better": "higher",
  "formula": "tp / max(tp + fn, tp + fp)",
  "kind": "two-class",
  "name": "braun_blanquet",
  "range": [
   0.0,
   1.0
  ],
  "title": "Braun-Blanquet similarity",
  "weighs": false
 },
 "chi_squared": {
  "better": "higher",
  "formula": "n * sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j)",
  "kind": "multi-class",
  "name": "chi_squared",
  "range": [
   0.0,
   null
  ],
  "title": "Pearson's chi-squared",
  "weighs": false
 },
 "class_balance_accuracy": {
  "better": "higher",
  "formula": "mean(hits / max(actual, predicted))",
  "kind": "multi-class",
  "name": "class_balance_accuracy",
  "range": [
   0.0,
   1.0
  ],
  "title": "Class balance accuracy",
  "weighs": false
 },
 "class_weighted_accuracy": {
  "better": "higher",
  "formula": "0.5 * tp / (tp + fn) + 0.5 * tn / (fp + tn)",
  "kind": "two-class",
  "name": "class_weighted_accuracy(w=0.5)",
  "range": [
   0.0,
   1.0
  ],
  "title": "Class-weighted accuracy",
  "weighs": false
 },
 "completeness": {
  "better": "higher",
  "formula": "(sum(predicted * log(n / predicted)) - sum(m * log(actual_i / m))) / sum(predicted * log(n / predicted))",
  "kind": "multi-class",
  "name": "completeness",
  "range": [
   0.0,
   1.0
  ],
  "title": "Completeness",
  "weighs": false
 },
 "confusion_entropy": {
  "better": "lower",
  "formula": "where(C < 2, n * 0 / n, (sum(off_diagonal(m) * log((off_diagonal(m) + elsewhere + predicted_i) / off_diagonal(m))) + sum(off_diagonal(m) * log((off_diagonal(m) + of_others + actual_j) / off_diagonal(m)))) / (2 * n * log(2 * (C - 1))))",
  "kind": "multi-class",
  "name": "confusion_entropy",
  "range": [
   0.0,
   [
    1.061475690846086,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0
   ]
  ],
  "title": "Confusion entropy",
  "weighs": false
 },
 "correlation_distance": {
  "better": "lower",
  "formula": "arccos((n * sum(hits) - sum(actual * predicted)) / sqrt(sum(actual * (n - actual)) * sum(predicted * (n - predicted)))) / pi",
  "kind": "multi-class",
  "name": "correlation_distance",
  "range": [
   0.0,
   1.0
  ],
  "title": "Correlation distance",
  "weighs": false
 },
 "cramer_v": {
  "better": "higher",
  "formula": "sqrt(sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j) / (n * 0 + C - 1))",
  "kind": "multi-class",
  "name": "cramer_v",
  "range": [
   0.0,
   1.0
  ],
  "title": "Cram\u00e9r's V",
  "weighs": false
 },
 "detection_prevalence": {
  "better": "neither",
  "formula": "(tp + fp) / n",
  "kind": "two-class",
  "name": "detection_prevalence",
  "range": [
   0.0,
   1.0
  ],
  "title": "Detection prevalence",
  "weighs": false
 },
 "diagnostic_odds_ratio": {
  "better": "higher",
  "formula": "tp / fn * tn / fp",
  "kind": "two-class",
  "name": "diagnostic_odds_ratio",
  "range": [
   0.0,
   null
  ],
  "title": "Diagnostic odds ratio",
  "weighs": false
 },
 "distance_index": {
  "better": "lower",
  "formula": "sqrt(fn / (tp + fn) * fn / (tp + fn) + fp / (fp + tn) * fp / (fp + tn))",
  "kind": "two-class",
  "name": "distance_index",
  "range": [
   0.0,
   1.4142135623730951
  ],
  "title": "Distance to the corner of the ROC plane",
  "weighs": false
 },
 "dominance": {
  "better": "neither",
  "formula": "tp / (tp + fn) - tn / (fp + tn)",
  "kind": "two-class",
  "name": "dominance",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Dominance",
  "weighs": false
 },
 "error_rate": {
  "better": "lower",
  "formula": "sum(missed) / n",
  "kind": "multi-class",
  "name": "error_rate",
  "range": [
   0.0,
   1.0
  ],
  "title": "Error rate",
  "weighs": false
 },
 "f_beta": {
  "better": "higher",
  "formula": "2 * tp / (2 * tp + fn + fp)",
  "kind": "two-class",
  "name": "f_beta",
  "range": [
   0.0,
   1.0
  ],
  "title": "F-measure",
  "weighs": false
 },
 "f_beta_of_macros": {
  "better": "higher",
  "formula": "2 * mean(hits / predicted) * mean(hits / actual) / (mean(hits / predicted) + mean(hits / actual))",
  "kind": "multi-class",
  "name": "f_beta_of_macros",
  "range": [
   0.0,
   1.0
  ],
  "title": "F-measure of macro precision and macro recall",
  "weighs": false
 },
 "false_discovery_rate": {
  "better": "lower",
  "formula": "fp / (tp + fp)",
  "kind": "two-class",
  "name": "false_discovery_rate",
  "range": [
   0.0,
   1.0
  ],
  "title": "False discovery rate",
  "weighs": false
 },
 "false_omission_rate": {
  "better": "lower",
  "formula": "fn / (tn + fn)",
  "kind": "two-class",
  "name": "false_omission_rate",
  "range": [
   0.0,
   1.0
  ],
  "title": "False omission rate",
  "weighs": false
 },
 "fnr": {
  "better": "lower",
  "formula": "fn / (tp + fn)",
  "kind": "two-class",
  "name": "fnr",
  "range": [
   0.0,
   1.0
  ],
  "title": "False negative rate",
  "weighs": false
 },
 "fowlkes_mallows": {
  "better": "higher",
  "formula": "sqrt(tp / (tp + fp) * tp / (tp + fn))",
  "kind": "two-class",
  "name": "fowlkes_mallows",
  "range": [
   0.0,
   1.0
  ],
  "title": "Fowlkes-Mallows index",
  "weighs": false
 },
 "fpr": {
  "better": "lower",
  "formula": "fp / (fp + tn)",
  "kind": "two-class",
  "name": "fpr",
  "range": [
   0.0,
   1.0
  ],
  "title": "False positive rate",
  "weighs": false
 },
 "generalised_means": {
  "better": "higher",
  "formula": "2 * (tp * tn - fn * fp) / ((tp + fn) * (fp + tn) + (tp + fp) * (fn + tn))",
  "kind": "two-class",
  "name": "generalised_means",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Generalised means of the variances",
  "weighs": false
 },
 "gilbert_skill_score": {
  "better": "higher",
  "formula": "(tp * tn - fn * fp) / (fn * (tp + fn + fp + tn) + fp * (tp + fp + tn) + tp * tn)",
  "kind": "two-class",
  "name": "gilbert_skill_score",
  "range": [
   -0.3333333333333333,
   1.0
  ],
  "title": "Gilbert skill score",
  "weighs": false
 },
 "gmean": {
  "better": "higher",
  "formula": "geometric_mean(hits / actual)",
  "kind": "multi-class",
  "name": "gmean",
  "range": [
   0.0,
   1.0
  ],
  "title": "Geometric mean of the class recalls",
  "weighs": false
 },
 "goodman_kruskal_lambda": {
  "better": "higher",
  "formula": "(least(n - actual) - sum(least(of_others))) / least(n - actual)",
  "kind": "multi-class",
  "name": "goodman_kruskal_lambda",
  "range": [
   0.0,
   1.0
  ],
  "title": "Goodman and Kruskal's lambda",
  "weighs": false
 },
 "goodman_kruskal_lambda_b": {
  "better": "higher",
  "formula": "(least(n - predicted) - sum(least(transpose(elsewhere)))) / least(n - predicted)",
  "kind": "multi-class",
  "name": "goodman_kruskal_lambda_b",
  "range": [
   0.0,
   1.0
  ],
  "title": "Goodman and Kruskal's lambda of the prediction",
  "weighs": false
 },
 "gwet_ac1": {
  "better": "higher",
  "formula": "(4 * (C - 1) * n * sum(hits) - sum((actual + predicted) * (n - actual + n - predicted))) / (4 * (C - 1) * n * n - sum((actual + predicted) * (n - actual + n - predicted)))",
  "kind": "multi-class",
  "name": "gwet_ac1",
  "range": [
   [
    -1.0,
    -0.5,
    -0.3333333333333333,
    -0.25,
    -0.2,
    -0.16666666666666666,
    -0.14285714285714285,
    -0.125,
    -0.1111111111111111,
    -0.1,
    -0.09090909090909091,
    -0.08333333333333333,
    -0.07692307692307693,
    -0.07142857142857142,
    -0.06666666666666667,
    -0.0625,
    -0.058823529411764705,
    -0.05555555555555555,
    -0.05263157894736842,
    -0.05,
    -0.047619047619047616,
    -0.045454545454545456,
    -0.043478260869565216,
    -0.041666666666666664,
    -0.04,
    -0.038461538461538464,
    -0.037037037037037035,
    -0.03571428571428571,
    -0.034482758620689655,
    -0.03333333333333333,
    -0.03225806451612903,
    -0.03125,
    -0.030303030303030304,
    -0.029411764705882353,
    -0.02857142857142857,
    -0.027777777777777776,
    -0.02702702702702703,
    -0.02631578947368421,
    -0.02564102564102564
   ],
   1.0
  ],
  "title": "Gwet's AC1",
  "weighs": false
 },
 "iba": {
  "better": "higher",
  "formula": "(1 + 0.05 (TPr - TNr)) times gmean",
  "kind": "two-class",
  "name": "iba(gmean, alpha=0.05)",
  "range": [
   0.0,
   1.0
  ],
  "title": "Index of balanced accuracy of G-mean with alpha = 0.05",
  "weighs": false
 },
 "imbalance_accuracy": {
  "better": "higher",
  "formula": "mean((hits - max(missed, false_alarms)) / max(actual, predicted))",
  "kind": "multi-class",
  "name": "imbalance_accuracy",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Imbalance accuracy metric",
  "weighs": false
 },
 "informedness": {
  "better": "higher",
  "formula": "tp / (tp + fn) + tn / (fp + tn) - 1",
  "kind": "two-class",
  "name": "informedness",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Informedness (Youden's J)",
  "weighs": false
 },
 "kappa": {
  "better": "higher",
  "formula": "(n * sum(hits) - sum(actual * predicted)) / sum(actual * (n - predicted))",
  "kind": "multi-class",
  "name": "kappa",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Cohen's kappa",
  "weighs": false
 },
 "kl_divergence": {
  "better": "lower",
  "formula": "(sum(actual * predicted * log(n / predicted) / predicted) - sum(actual * log(n / actual))) / (n * log(2))",
  "kind": "multi-class",
  "name": "kl_divergence",
  "range": [
   0.0,
   null
  ],
  "title": "Kullback-Leibler divergence of the class distributions",
  "weighs": false
 },
 "krippendorff_alpha": {
  "better": "higher",
  "formula": "(sum((actual + predicted) * (n - actual + n - predicted) / n) - 2 * (2 * n - 1) * sum(missed) / n) / sum((actual + predicted) * (n - actual + n - predicted) / n)",
  "kind": "multi-class",
  "name": "krippendorff_alpha",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Krippendorff's alpha",
  "weighs": false
 },
 "lift": {
  "better": "higher",
  "formula": "tp / (tp + fp) / ((tp + fn) / n)",
  "kind": "two-class",
  "name": "lift",
  "range": [
   0.0,
   null
  ],
  "title": "Lift",
  "weighs": false
 },
 "linear_weighted_kappa": {
  "better": "higher",
  "formula": "(sum(abs(i - j) * actual_i * predicted_j) - n * sum(abs(i - j) * m)) / sum(abs(i - j) * actual_i * predicted_j)",
  "kind": "multi-class",
  "name": "linear_weighted_kappa",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Kappa, weighted linearly",
  "weighs": true
 },
 "macro_f_beta": {
  "better": "higher",
  "formula": "mean(2 * hits / (2 * hits + missed + false_alarms))",
  "kind": "multi-class",
  "name": "macro_f_beta",
  "range": [
   0.0,
   1.0
  ],
  "title": "Macro F-measure",
  "weighs": false
 },
 "macro_jaccard": {
  "better": "higher",
  "formula": "mean(hits / (hits + missed + false_alarms))",
  "kind": "multi-class",
  "name": "macro_jaccard",
  "range": [
   0.0,
   1.0
  ],
  "title": "Macro Jaccard index",
  "weighs": false
 },
 "macro_mae": {
  "better": "lower",
  "formula": "mean(sum(abs(i - j) * m, axis=1) / actual)",
  "kind": "multi-class",
  "name": "macro_mae",
  "range": [
   0.0,
   [
    1.0,
    1.6666666666666667,
    2.5,
    3.2,
    4.0,
    4.714285714285714,
    5.5,
    6.222222222222222,
    7.0,
    7.7272727272727275,
    8.5,
    9.23076923076923,
    10.0,
    10.733333333333333,
    11.5,
    12.235294117647058,
    13.0,
    13.736842105263158,
    14.5,
    15.238095238095237,
    16.0,
    16.73913043478261,
    17.5,
    18.24,
    19.0,
    19.74074074074074,
    20.5,
    21.24137931034483,
    22.0,
    22.741935483870968,
    23.5,
    24.242424242424242,
    25.0,
    25.742857142857144,
    26.5,
    27.243243243243242,
    28.0,
    28.743589743589745,
    29.5
   ]
  ],
  "title": "Macro-averaged mean absolute error",
  "weighs": true
 },
 "macro_precision": {
  "better": "higher",
  "formula": "mean(hits / (hits + false_alarms))",
  "kind": "multi-class",
  "name": "macro_precision",
  "range": [
   0.0,
   1.0
  ],
  "title": "Macro precision",
  "weighs": false
 },
 "macro_recall": {
  "better": "higher",
  "formula": "mean(hits / actual)",
  "kind": "multi-class",
  "name": "macro_recall",
  "range": [
   0.0,
   1.0
  ],
  "title": "Macro recall",
  "weighs": false
 },
 "markedness": {
  "better": "higher",
  "formula": "tp / (tp + fp) + tn / (tn + fn) - 1",
  "kind": "two-class",
  "name": "markedness",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Markedness",
  "weighs": false
 },
 "maurpc": {
  "better": "higher",
  "formula": "(tp / (tp + fn) + tp / (tp + fp)) / 2, with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "two-class",
  "name": "maurpc",
  "range": [
   0.0,
   1.0
  ],
  "title": "Modified area under the recall-precision curve of a single point",
  "weighs": false
 },
 "maurpc_ova": {
  "better": "higher",
  "formula": "mean((hits / actual + hits / (hits + false_alarms)) / 2), with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "multi-class",
  "name": "maurpc_ova",
  "range": [
   0.0,
   1.0
  ],
  "title": "Modified area under the recall-precision curve, one versus all",
  "weighs": false
 },
 "mcc": {
  "better": "higher",
  "formula": "(n * sum(hits) - sum(actual * predicted)) / sqrt(sum(actual * (n - actual)) * sum(predicted * (n - predicted)))",
  "kind": "multi-class",
  "name": "mcc",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Matthews correlation coefficient",
  "weighs": false
 },
 "mean_binary_accuracy": {
  "better": "higher",
  "formula": "mean((hits + rejected) / n)",
  "kind": "multi-class",
  "name": "mean_binary_accuracy",
  "range": [
   [
    0.0,
    0.3333333333333333,
    0.5,
    0.6,
    0.6666666666666666,
    0.7142857142857143,
    0.75,
    0.7777777777777778,
    0.8,
    0.8181818181818182,
    0.8333333333333334,
    0.8461538461538461,
    0.8571428571428571,
    0.8666666666666667,
    0.875,
    0.8823529411764706,
    0.8888888888888888,
    0.8947368421052632,
    0.9,
    0.9047619047619048,
    0.9090909090909091,
    0.9130434782608695,
    0.9166666666666666,
    0.92,
    0.9230769230769231,
    0.9259259259259259,
    0.9285714285714286,
    0.9310344827586207,
    0.9333333333333333,
    0.9354838709677419,
    0.9375,
    0.9393939393939394,
    0.9411764705882353,
    0.9428571428571428,
    0.9444444444444444,
    0.9459459459459459,
    0.9473684210526315,
    0.9487179487179487,
    0.95
   ],
   1.0
  ],
  "title": "Mean accuracy of each class against the rest",
  "weighs": false
 },
 "modified_confusion_entropy": {
  "better": "lower",
  "formula": "where(C < 2, n * 0 / n, where(C == 2, (sum(off_diagonal(m) * log((off_diagonal(m) + sum_of_others(off_diagonal(m)) + predicted_i) / off_diagonal(m))) + sum(off_diagonal(m) * log((off_diagonal(m) + sum_of_others(off_diagonal(m)) + actual_j) / off_diagonal(m)))) / (2 * n * log(2 * (C - 1))), (sum(off_diagonal(m) * log((off_diagonal(m) + sum_of_others(off_diagonal(m)) + predicted_i) / off_diagonal(m))) + sum(off_diagonal(m) * log((off_diagonal(m) + sum_of_others(off_diagonal(m)) + actual_j) / off_diagonal(m)))) / ((n + sum(missed)) * log(2 * (C - 1)))))",
  "kind": "multi-class",
  "name": "modified_confusion_entropy",
  "range": [
   0.0,
   1.0
  ],
  "title": "Modified confusion entropy",
  "weighs": false
 },
 "mutual_information": {
  "better": "higher",
  "formula": "(sum(actual * log(n / actual)) - sum(m * log(predicted_j / m))) / (n * log(2))",
  "kind": "multi-class",
  "name": "mutual_information",
  "range": [
   0.0,
   [
    1.0,
    1.584962500721156,
    2.0,
    2.321928094887362,
    2.584962500721156,
    2.807354922057604,
    3.0,
    3.169925001442312,
    3.321928094887362,
    3.4594316186372973,
    3.584962500721156,
    3.700439718141092,
    3.807354922057604,
    3.9068905956085187,
    4.0,
    4.087462841250339,
    4.169925001442312,
    4.247927513443585,
    4.321928094887363,
    4.392317422778761,
    4.459431618637297,
    4.523561956057013,
    4.584962500721156,
    4.643856189774724,
    4.700439718141092,
    4.754887502163468,
    4.807354922057604,
    4.857980995127572,
    4.906890595608519,
    4.954196310386875,
    5.0,
    5.044394119358453,
    5.087462841250339,
    5.129283016944966,
    5.169925001442312,
    5.20945336562895,
    5.247927513443585,
    5.285402218862249,
    5.321928094887363
   ]
  ],
  "title": "Mutual information of truth and prediction",
  "weighs": false
 },
 "nauroc_ova": {
  "better": "higher",
  "formula": "(mean((hits / actual + rejected / (n - actual)) / 2) - (C - 2) / (2 * C)) / (1 - (C - 2) / (2 * C))",
  "kind": "multi-class",
  "name": "nauroc_ova",
  "range": [
   0.0,
   1.0
  ],
  "title": "Normalised AUROC, one versus all",
  "weighs": false
 },
 "negative_likelihood_ratio": {
  "better": "lower",
  "formula": "fn / (tp + fn) / (tn / (fp + tn))",
  "kind": "two-class",
  "name": "negative_likelihood_ratio",
  "range": [
   0.0,
   null
  ],
  "title": "Negative likelihood ratio",
  "weighs": false
 },
 "negative_predictive_value": {
  "better": "higher",
  "formula": "tn / (tn + fn)",
  "kind": "two-class",
  "name": "negative_predictive_value",
  "range": [
   0.0,
   1.0
  ],
  "title": "Negative predictive value",
  "weighs": false
 },
 "no_information_rate": {
  "better": "neither",
  "formula": "greatest(actual) / n",
  "kind": "multi-class",
  "name": "no_information_rate",
  "range": [
   [
    0.5,
    0.3333333333333333,
    0.25,
    0.2,
    0.16666666666666666,
    0.14285714285714285,
    0.125,
    0.1111111111111111,
    0.1,
    0.09090909090909091,
    0.08333333333333333,
    0.07692307692307693,
    0.07142857142857142,
    0.06666666666666667,
    0.0625,
    0.058823529411764705,
    0.05555555555555555,
    0.05263157894736842,
    0.05,
    0.047619047619047616,
    0.045454545454545456,
    0.043478260869565216,
    0.041666666666666664,
    0.04,
    0.038461538461538464,
    0.037037037037037035,
    0.03571428571428571,
    0.034482758620689655,
    0.03333333333333333,
    0.03225806451612903,
    0.03125,
    0.030303030303030304,
    0.029411764705882353,
    0.02857142857142857,
    0.027777777777777776,
    0.02702702702702703,
    0.02631578947368421,
    0.02564102564102564,
    0.025
   ],
   1.0
  ],
  "title": "No-information rate",
  "weighs": false
 },
 "normalised_mutual_information": {
  "better": "higher",
  "formula": "2 * (sum(actual * log(n / actual)) - sum(m * log(predicted_j / m))) / (sum(actual * log(n / actual)) + sum(predicted * log(n / predicted)))",
  "kind": "multi-class",
  "name": "normalised_mutual_information",
  "range": [
   0.0,
   1.0
  ],
  "title": "Normalised mutual information",
  "weighs": false
 },
 "optimized_precision": {
  "better": "higher",
  "formula": "(tp + tn) / n - abs(tn / (fp + tn) - tp / (tp + fn)) / (tn / (fp + tn) + tp / (tp + fn))",
  "kind": "two-class",
  "name": "optimized_precision",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Optimized precision",
  "weighs": false
 },
 "overlap_coefficient": {
  "better": "higher",
  "formula": "tp / min(tp + fn, tp + fp)",
  "kind": "two-class",
  "name": "overlap_coefficient",
  "range": [
   0.0,
   1.0
  ],
  "title": "Overlap coefficient",
  "weighs": false
 },
 "p4": {
  "better": "higher",
  "formula": "4 * tp * tn / (4 * tp * tn + (tp + tn) * (fp + fn))",
  "kind": "two-class",
  "name": "p4",
  "range": [
   0.0,
   1.0
  ],
  "title": "P4",
  "weighs": false
 },
 "pearson_c": {
  "better": "higher",
  "formula": "sqrt(sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j) / (1 + sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j)))",
  "kind": "multi-class",
  "name": "pearson_c",
  "range": [
   0.0,
   [
    0.7071067811865476,
    0.816496580927726,
    0.8660254037844386,
    0.8944271909999159,
    0.9128709291752769,
    0.9258200997725514,
    0.9354143466934853,
    0.9428090415820634,
    0.9486832980505138,
    0.9534625892455924,
    0.9574271077563381,
    0.9607689228305228,
    0.9636241116594315,
    0.9660917830792959,
    0.9682458365518543,
    0.9701425001453319,
    0.97182531580755,
    0.9733285267845752,
    0.9746794344808963,
    0.9759000729485332,
    0.9770084209183945,
    0.9780192938436515,
    0.9789450103725609,
    0.9797958971132712,
    0.9805806756909202,
    0.9813067629253163,
    0.9819805060619657,
    0.982607368881035,
    0.983192080250175,
    0.9837387536759294,
    0.9842509842514764,
    0.9847319278346619,
    0.985184366143778,
    0.9856107606091623,
    0.9860132971832694,
    0.9863939238321437,
    0.9867543820659302,
    0.9870962335856491,
    0.9874208829065749
   ]
  ],
  "title": "Pearson's contingency coefficient",
  "weighs": false
 },
 "phi_squared": {
  "better": "higher",
  "formula": "sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j)",
  "kind": "multi-class",
  "name": "phi_squared",
  "range": [
   0.0,
   [
    1.0,
    2.0,
    3.0,
    4.0,
    5.0,
    6.0,
    7.0,
    8.0,
    9.0,
    10.0,
    11.0,
    12.0,
    13.0,
    14.0,
    15.0,
    16.0,
    17.0,
    18.0,
    19.0,
    20.0,
    21.0,
    22.0,
    23.0,
    24.0,
    25.0,
    26.0,
    27.0,
    28.0,
    29.0,
    30.0,
    31.0,
    32.0,
    33.0,
    34.0,
    35.0,
    36.0,
    37.0,
    38.0,
    39.0
   ]
  ],
  "title": "Mean square contingency",
  "weighs": false
 },
 "positive_likelihood_ratio": {
  "better": "higher",
  "formula": "tp / (tp + fn) / (fp / (fp + tn))",
  "kind": "two-class",
  "name": "positive_likelihood_ratio",
  "range": [
   0.0,
   null
  ],
  "title": "Positive likelihood ratio",
  "weighs": false
 },
 "precision": {
  "better": "higher",
  "formula": "tp / (tp + fp)",
  "kind": "two-class",
  "name": "precision",
  "range": [
   0.0,
   1.0
  ],
  "title": "Precision",
  "weighs": false
 },
 "prevalence": {
  "better": "neither",
  "formula": "(tp + fn) / n",
  "kind": "two-class",
  "name": "prevalence",
  "range": [
   0.0,
   1.0
  ],
  "title": "Prevalence",
  "weighs": false
 },
 "prevalence_threshold": {
  "better": "lower",
  "formula": "sqrt(fp / (fp + tn)) / (sqrt(tp / (tp + fn)) + sqrt(fp / (fp + tn)))",
  "kind": "two-class",
  "name": "prevalence_threshold",
  "range": [
   0.0,
   1.0
  ],
  "title": "Prevalence threshold",
  "weighs": false
 },
 "quadratic_weighted_kappa": {
  "better": "higher",
  "formula": "(sum(abs(i - j)^2 * actual_i * predicted_j) - n * sum(abs(i - j)^2 * m)) / sum(abs(i - j)^2 * actual_i * predicted_j)",
  "kind": "multi-class",
  "name": "quadratic_weighted_kappa",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Kappa, weighted quadratically",
  "weighs": true
 },
 "recall": {
  "better": "higher",
  "formula": "tp / (tp + fn)",
  "kind": "two-class",
  "name": "recall",
  "range": [
   0.0,
   1.0
  ],
  "title": "Recall",
  "weighs": false
 },
 "relative_classifier_information": {
  "better": "higher",
  "formula": "(sum(actual * log(n / actual)) - sum(m * log(predicted_j / m))) / sum(actual * log(n / actual))",
  "kind": "multi-class",
  "name": "relative_classifier_information",
  "range": [
   0.0,
   1.0
  ],
  "title": "Relative classifier information",
  "weighs": false
 },
 "relative_risk": {
  "better": "higher",
  "formula": "tp / (tp + fp) / (fn / (tn + fn))",
  "kind": "two-class",
  "name": "relative_risk",
  "range": [
   0.0,
   null
  ],
  "title": "Relative risk",
  "weighs": false
 },
 "scott_pi": {
  "better": "higher",
  "formula": "(sum((actual + predicted) * (n - actual + n - predicted)) - 4 * n * sum(missed)) / sum((actual + predicted) * (n - actual + n - predicted))",
  "kind": "multi-class",
  "name": "scott_pi",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Scott's pi",
  "weighs": false
 },
 "sedi": {
  "better": "higher",
  "formula": "(fp * log((fp + tn) / fp) / fp - tp * log((tp + fn) / tp) / tp - tn * log((tn + fp) / tn) / tn + fn * log((fn + tp) / fn) / fn) / (fp * log((fp + tn) / fp) / fp + tp * log((tp + fn) / tp) / tp + tn * log((tn + fp) / tn) / tn + fn * log((fn + tp) / fn) / fn)",
  "kind": "two-class",
  "name": "sedi",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Symmetric extremal dependence index",
  "weighs": false
 },
 "similarity_index": {
  "better": "higher",
  "formula": "1 - sqrt(fn / (tp + fn) * fn / (tp + fn) + fp / (fp + tn) * fp / (fp + tn)) / sqrt(2)",
  "kind": "two-class",
  "name": "similarity_index",
  "range": [
   0.0,
   1.0
  ],
  "title": "Similarity index",
  "weighs": false
 },
 "specificity": {
  "better": "higher",
  "formula": "tn / (fp + tn)",
  "kind": "two-class",
  "name": "specificity",
  "range": [
   0.0,
   1.0
  ],
  "title": "Specificity",
  "weighs": false
 },
 "threat_score": {
  "better": "higher",
  "formula": "tp / (tp + fn + fp)",
  "kind": "two-class",
  "name": "threat_score",
  "range": [
   0.0,
   1.0
  ],
  "title": "Threat score (Jaccard index)",
  "weighs": false
 },
 "tversky": {
  "better": "higher",
  "formula": "tp / (tp + 0.3 * fp + 0.7 * fn)",
  "kind": "two-class",
  "name": "tversky(alpha=0.3, beta=0.7)",
  "range": [
   0.0,
   1.0
  ],
  "title": "Tversky index",
  "weighs": false
 },
 "weighted_f_beta": {
  "better": "higher",
  "formula": "mean(2 * hits / (2 * hits + missed + false_alarms), weights=actual)",
  "kind": "multi-class",
  "name": "weighted_f_beta",
  "range": [
   0.0,
   1.0
  ],
  "title": "F-measure, weighted by class frequency",
  "weighs": false
 },
 "weighted_precision": {
  "better": "higher",
  "formula": "mean(hits / (hits + false_alarms), weights=actual)",
  "kind": "multi-class",
  "name": "weighted_precision",
  "range": [
   0.0,
   1.0
  ],
  "title": "Precision, weighted by class frequency",
  "weighs": false
 },
 "yule_q": {
  "better": "higher",
  "formula": "(tp * tn - fn * fp) / (tp * tn + fn * fp)",
  "kind": "two-class",
  "name": "yule_q",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Yule's Q",
  "weighs": false
 },
 "yule_y": {
  "better": "higher",
  "formula": "(sqrt(tp * tn) - sqrt(fn * fp)) / (sqrt(tp * tn) + sqrt(fn * fp))",
  "kind": "two-class",
  "name": "yule_y",
  "range": [
   -1.0,
   1.0
  ],
  "title": "Yule's Y",
  "weighs": false
 }
};
const ALIASES = {
 "AC1": "gwet_ac1",
 "ACC": "accuracy",
 "ACSA": "macro_recall",
 "AGF": "adjusted_f",
 "AGm": "adjusted_gmean",
 "AUROC-OVA": "auroc_ova",
 "AUROC-OVO": "auroc_ovo",
 "AURPC": "aurpc_point",
 "AURPC-OVA": "aurpc_ova",
 "Acc": "accuracy",
 "AvAcc": "average_accuracy",
 "AvF_1": "macro_f_beta",
 "AvF_beta": "macro_f_beta",
 "AvF_\u03b2": "macro_f_beta",
 "BA": "balanced_accuracy",
 "BER": "balanced_error_rate",
 "CBA": "class_balance_accuracy",
 "CD": "correlation_distance",
 "CEN": "confusion_entropy",
 "CSI": "threat_score",
 "DOR": "diagnostic_odds_ratio",
 "Dom": "dominance",
 "ETS": "gilbert_skill_score",
 "Err": "error_rate",
 "F-measure": "f_beta",
 "FDR": "false_discovery_rate",
 "FM": "fowlkes_mallows",
 "FOR": "false_omission_rate",
 "F_1": "f_beta",
 "F_1M": "f_beta_of_macros",
 "F_1mu": "accuracy",
 "F_beta": "f_beta",
 "F_betaM": "f_beta_of_macros",
 "F_betamu": "accuracy",
 "F_mu": "accuracy",
 "F_\u03b2M": "f_beta_of_macros",
 "F_\u03b2\u03bc": "accuracy",
 "Fscore_B": "balanced_f_beta",
 "GM_r": "generalised_means",
 "GMean": "gmean",
 "GSS": "gilbert_skill_score",
 "Gm": "gmean",
 "Gmean": "gmean",
 "IAM": "imbalance_accuracy",
 "IBA_0.05(Gm)": "iba",
 "IBA_\u03b1(Gm)": "iba",
 "J": "informedness",
 "KL": "kl_divergence",
 "LR+": "positive_likelihood_ratio",
 "LR-": "negative_likelihood_ratio",
 "MAE_M": "macro_mae",
 "MAP": "macro_precision",
 "MAR": "macro_recall",
 "MAvA": "macro_recall",
 "MAvG": "gmean",
 "MCC": "mcc",
 "MCEN": "modified_confusion_entropy",
 "MI": "mutual_information",
 "NIR": "no_information_rate",
 "NMI": "normalised_mutual_information",
 "NPV": "negative_predictive_value",
 "OP": "optimized_precision",
 "PT": "prevalence_threshold",
 "Prec": "precision",
 "Prec_M": "macro_precision",
 "Prec_mu": "accuracy",
 "Prec_\u03bc": "accuracy",
 "Q": "yule_q",
 "QWK": "quadratic_weighted_kappa",
 "RCI": "relative_classifier_information",
 "RR": "relative_risk",
 "R_K": "mcc",
 "Rec_M": "macro_recall",
 "Rec_mu": "accuracy",
 "Rec_\u03bc": "accuracy",
 "SBA": "aurpc_ova",
 "SEDI": "sedi",
 "TNr": "specificity",
 "TPr": "recall",
 "TS": "threat_score",
 "V": "cramer_v",
 "acc": "accuracy",
 "acc_B": "balanced_accuracy",
 "adjusted_f_measure": "adjusted_f",
 "adjusted_f_score": "adjusted_f",
 "adjusted_geometric_mean": "adjusted_gmean",
 "alert_rate": "detection_prevalence",
 "amae": "macro_mae",
 "auc_of_one_point": "auc_point",
 "aurpc_of_one_point": "aurpc_point",
 "average_binary_accuracy": "mean_binary_accuracy",
 "average_class_specific_accuracy": "macro_recall",
 "bacc": "balanced_accuracy",
 "balanced_f1": "balanced_f_beta",
 "bangdiwalas_b": "bangdiwala_b",
 "bennetts_s": "bennett_s",
 "bookmaker_informedness": "informedness",
 "braun_blanquet_similarity": "braun_blanquet",
 "brennan_prediger": "bennett_s",
 "class_weighted_accuracy(w=0.5)": "class_weighted_accuracy",
 "closest_topleft": "distance_index",
 "coefficient_of_colligation": "yule_y",
 "cohen_kappa": "kappa",
 "cohens_kappa": "kappa",
 "completeness_score": "completeness",
 "contingency_coefficient": "pearson_c",
 "cramers_v": "cramer_v",
 "critical_success_index": "threat_score",
 "cwA": "class_weighted_accuracy",
 "dInd": "distance_index",
 "delta_p": "markedness",
 "delta_p'": "informedness",
 "dice": "f_beta",
 "equitable_threat_score": "gilbert_skill_score",
 "er": "error_rate",
 "er_B": "balanced_error_rate",
 "f1": "f_beta",
 "f1_of_macros": "f_beta_of_macros",
 "f1_score": "f_beta",
 "f1_weighted": "weighted_f_beta",
 "f_micro": "accuracy",
 "fall_out": "fpr",
 "false_negative_rate": "fnr",
 "false_positive_rate": "fpr",
 "fowlkes_mallows_index": "fowlkes_mallows",
 "g-mean_score": "gmean",
 "g_mean": "gmean",
 "gamma_C": "gmean",
 "generalized_means": "generalised_means",
 "geometric_mean": "gmean",
 "goodman_and_kruskal_lambda": "goodman_kruskal_lambda",
 "gwets_ac1": "gwet_ac1",
 "hanssen_kuipers": "informedness",
 "heidke_skill_score": "kappa",
 "hit_rate": "recall",
 "hss": "kappa",
 "iba(gmean, alpha=0.05)": "iba",
 "imbalance_accuracy_metric": "imbalance_accuracy",
 "index_of_balanced_accuracy": "iba",
 "intersection_over_union": "threat_score",
 "jaccard": "threat_score",
 "jaccard_index": "threat_score",
 "kappa_a": "aurpc_ova",
 "kappa_linear": "linear_weighted_kappa",
 "kappa_quadratic": "quadratic_weighted_kappa",
 "kappa_unbiased": "scott_pi",
 "krippendorffs_alpha": "krippendorff_alpha",
 "kullback_leibler_divergence": "kl_divergence",
 "lambda_a": "goodman_kruskal_lambda",
 "lambda_b": "goodman_kruskal_lambda_b",
 "linear_kappa": "linear_weighted_kappa",
 "mAURPC": "maurpc",
 "mAURPC-OVA": "maurpc_ova",
 "mPrecision": "balanced_precision",
 "macro_average_precision": "macro_precision",
 "macro_average_recall": "macro_recall",
 "macro_averaged_mean_absolute_error": "macro_mae",
 "macro_f1": "macro_f_beta",
 "macro_threat_score": "macro_jaccard",
 "matthews_correlation_coefficient": "mcc",
 "mean_f1": "macro_f_beta",
 "mean_intersection_over_union": "macro_jaccard",
 "mean_iou": "macro_jaccard",
 "mean_precision": "macro_precision",
 "mean_recall": "macro_recall",
 "mean_square_contingency": "phi_squared",
 "micro_f1": "accuracy",
 "micro_precision": "accuracy",
 "micro_recall": "accuracy",
 "miss_rate": "fnr",
 "mortaz_f_score": "macro_f_beta",
 "nAUROC-OVA": "nauroc_ova",
 "nlr": "negative_likelihood_ratio",
 "normalized_mutual_information": "normalised_mutual_information",
 "ochiai": "fowlkes_mallows",
 "odds_ratio": "diagnostic_odds_ratio",
 "one_versus_all_accuracy": "mean_binary_accuracy",
 "optimised_precision": "optimized_precision",
 "otsuka_ochiai": "fowlkes_mallows",
 "overall_accuracy": "accuracy",
 "overlap": "overlap_coefficient",
 "p4_metric": "p4",
 "pearsons_c": "pearson_c",
 "peirce_skill_score": "informedness",
 "phi_coefficient": "mcc",
 "plr": "positive_likelihood_ratio",
 "positive_predictive_value": "precision",
 "ppv": "precision",
 "pr": "precision",
 "pr_B": "balanced_precision",
 "prec_micro": "accuracy",
 "precision_weighted": "weighted_precision",
 "predicted_prevalence": "detection_prevalence",
 "quadratic_kappa": "quadratic_weighted_kappa",
 "re": "recall",
 "rec_micro": "accuracy",
 "relative_entropy": "kl_divergence",
 "rho_a": "auroc_ova",
 "rho_o": "auroc_ovo",
 "risk_ratio": "relative_risk",
 "roc_distance": "distance_index",
 "sInd": "similarity_index",
 "s_score": "bennett_s",
 "scotts_pi": "scott_pi",
 "selectivity": "specificity",
 "sensitivity": "recall",
 "single_point_auc": "auc_point",
 "sp": "specificity",
 "symmetric_balanced_accuracy": "aurpc_ova",
 "symmetric_extremal_dependence_index": "sedi",
 "szymkiewicz_simpson": "overlap_coefficient",
 "theils_u": "relative_classifier_information",
 "true_negative_rate": "specificity",
 "true_positive_rate": "recall",
 "true_skill_statistic": "informedness",
 "tversky(alpha=0.3, beta=0.7)": "tversky",
 "tversky_index": "tversky",
 "uncertainty_coefficient": "relative_classifier_information",
 "unweighted_average_recall": "macro_recall",
 "v_P": "prevalence",
 "v_measure": "normalised_mutual_information",
 "weighted_f1": "weighted_f_beta",
 "youden": "informedness",
 "youden_j": "informedness",
 "yules_q": "yule_q",
 "yules_y": "yule_y",
 "\u03b1": "macro_recall",
 "\u03b2": "recall",
 "\u03b3": "gmean",
 "\u03b3_2": "gmean",
 "\u03b3_C": "gmean",
 "\u03b6": "precision",
 "\u03ba_a": "aurpc_ova",
 "\u03bb": "goodman_kruskal_lambda",
 "\u03bd_P": "prevalence",
 "\u03be_TN": "specificity",
 "\u03be_TP": "recall",
 "\u03c0": "scott_pi",
 "\u03c1": "auc_point",
 "\u03c1_a": "auroc_ova",
 "\u03c1_o": "auroc_ovo",
 "\u03c6\u00b2": "phi_squared",
 "\u03c7\u00b2": "chi_squared"
};
// Confidence intervals and paired differences: the posterior draws of steelyard.uncertainty with the same numbers.
// A batch is a matrix of Float64Array, one number for each draw; a shorter run is the beginning of a longer one.

// Threefry4x32 of 13 rounds (Salmon et al. 2011): the words of `number` counters from the `first` on into `out`, always an
// Int32Array: a second kind of array makes every call three times slower.
function threefry(key, first, number, call, attempt, stream, out) {
  const k0 = key[0], k1 = key[1], k2 = key[2], k3 = key[3], k4 = 0x1bd11bda ^ k0 ^ k1 ^ k2 ^ k3;
  for (let i = 0; i < number; i++) {
    let a = (first + i + k0) | 0, b = (call + k1) | 0, c = (attempt + k2) | 0, d = (stream + k3) | 0;
    a = (a + b) | 0; b = ((b << 10) | (b >>> 22)) ^ a; c = (c + d) | 0; d = ((d << 26) | (d >>> 6)) ^ c;
    a = (a + d) | 0; d = ((d << 11) | (d >>> 21)) ^ a; c = (c + b) | 0; b = ((b << 21) | (b >>> 11)) ^ c;
    a = (a + b) | 0; b = ((b << 13) | (b >>> 19)) ^ a; c = (c + d) | 0; d = ((d << 27) | (d >>> 5)) ^ c;
    a = (a + d) | 0; d = ((d << 23) | (d >>> 9)) ^ a; c = (c + b) | 0; b = ((b << 5) | (b >>> 27)) ^ c;
    a = (a + k1) | 0; b = (b + k2) | 0; c = (c + k3) | 0; d = (d + k4 + 1) | 0;
    a = (a + b) | 0; b = ((b << 6) | (b >>> 26)) ^ a; c = (c + d) | 0; d = ((d << 20) | (d >>> 12)) ^ c;
    a = (a + d) | 0; d = ((d << 17) | (d >>> 15)) ^ a; c = (c + b) | 0; b = ((b << 11) | (b >>> 21)) ^ c;
    a = (a + b) | 0; b = ((b << 25) | (b >>> 7)) ^ a; c = (c + d) | 0; d = ((d << 10) | (d >>> 22)) ^ c;
    a = (a + d) | 0; d = ((d << 18) | (d >>> 14)) ^ a; c = (c + b) | 0; b = ((b << 20) | (b >>> 12)) ^ c;
    a = (a + k2) | 0; b = (b + k3) | 0; c = (c + k4) | 0; d = (d + k0 + 2) | 0;
    a = (a + b) | 0; b = ((b << 10) | (b >>> 22)) ^ a; c = (c + d) | 0; d = ((d << 26) | (d >>> 6)) ^ c;
    a = (a + d) | 0; d = ((d << 11) | (d >>> 21)) ^ a; c = (c + b) | 0; b = ((b << 21) | (b >>> 11)) ^ c;
    a = (a + b) | 0; b = ((b << 13) | (b >>> 19)) ^ a; c = (c + d) | 0; d = ((d << 27) | (d >>> 5)) ^ c;
    a = (a + d) | 0; d = ((d << 23) | (d >>> 9)) ^ a; c = (c + b) | 0; b = ((b << 5) | (b >>> 27)) ^ c;
    a = (a + k3) | 0; b = (b + k4) | 0; c = (c + k0) | 0; d = (d + k1 + 3) | 0;
    a = (a + b) | 0; c = (c + d) | 0;
    out[4 * i] = a; out[4 * i + 1] = ((b << 6) | (b >>> 26)) ^ a; out[4 * i + 2] = c; out[4 * i + 3] = ((d << 20) | (d >>> 12)) ^ c;
  }
}
const uniformOf = (word) => ((word >>> 0) + 0.5) * 2 ** -32;

// uniformOf(word) ** power to 1e-12 for powers of at least 0, by tables and short series: Math.pow takes five times as long.
const SMALL = Float64Array.from({ length: 1100 }, (_, k) => 2 ** -k), PARTS = Float64Array.from({ length: 256 }, (_, k) => 2 ** (k / 256));
const LOGS = Float64Array.from({ length: 513 }, (_, k) => Math.log1p(k / 512)), INVERSES = LOGS.map((_, k) => 512 / (512 + k));
function powerOf(word, power) {
  const zeros = Math.clz32(word), x = ((word >>> 0) + 0.5) * SMALL[31 - zeros], near = ((x - 1) * 512 + 0.5) | 0, r = x * INVERSES[near] - 1;
  const log = (LOGS[near] - (zeros + 1) * Math.LN2 + r * (1 - r * (1 / 2 - r * (1 / 3 - r * (1 / 4 - r / 5))))) * power;
  if (!(log > -700)) return 0;
  const whole = Math.floor(log * (256 / Math.LN2)), s = log - whole * (Math.LN2 / 256);
  return PARTS[whole & 255] * SMALL[-(whole >> 8)] * (1 + s * (1 + s * (1 / 2 + s * (1 / 6 + s / 24))));
}

// The ziggurat of the normal density: see threefry.py.
const BASE = 3.6554204190269415;
const [WIDTHS, DENSITIES, UNITS] = (() => {
  const widths = new Float64Array(257), density = Math.exp((-BASE * BASE) / 2), area = BASE * density + density / BASE;
  [widths[0], widths[1]] = [area / density, BASE];
  for (let k = 2; k < 256; k++) widths[k] = Math.sqrt(-2 * Math.log(area / widths[k - 1] + Math.exp((-widths[k - 1] * widths[k - 1]) / 2)));
  return [widths, widths.map((x) => Math.exp((-x * x) / 2)), widths.map((x) => x * 2 ** -23)];
})();
const STIRLING = Array.from({ length: 10 }, (_, k) => {
  let log = 0;
  for (let i = 2; i <= k; i++) log += Math.log(i);
  return log - (k + 0.5) * Math.log(k + 1) + (k + 1) - Math.log(2 * Math.PI) / 2;
});
const stirling = (k) => {
  const square = (k + 1) * (k + 1);
  return k < 10 ? STIRLING[k] : (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1);
};

class Random {
  constructor(seed, stream) {
    this.key = [seed % 2 ** 32 | 0, Math.floor(seed / 2 ** 32) | 0, 0, 0];
    this.stream = stream | 0;
    this.calls = 0;
    this.more = new Int32Array(4);
  }
  // The words of numbers first to first + number of a call, four from each counter; `first` begins a whole one.
  words(first, number, call, attempt, out = new Int32Array(4 * Math.ceil(number / 4))) {
    threefry(this.key, first / 4, Math.ceil(number / 4), call, attempt, this.stream, out);
    return out;
  }
  uniforms(number) {
    const out = new Float64Array(number), words = this.words(0, number, (this.calls += 1), 0);
    for (let i = 0; i < number; i++) out[i] = uniformOf(words[i]);
    return out;
  }
  // Gamma numbers of several shapes into out[shape][from + draw] (Marsaglia and Tsang 2000): shape by shape within so many
  // draws that their words stay in the cache. Of a shape below 1: X U^(1 / shape), where X has a shape greater by 1.
  gammas(shapes, draws, out, from = 0) {
    const number = shapes.length, call = (this.calls += 1), small = shapes.filter((shape) => shape < 1).length, tile = Math.max(16, Math.floor(256 / number) * 16);
    if (small) this.calls += 1;
    const words = new Int32Array(tile * number), packed = new Int32Array(words.length / 4), bytes = new Uint8Array(packed.buffer), chances = new Int32Array(tile * small);
    for (let start = 0; start < draws; start += tile) {
      const many = Math.min(tile, draws - start);
      this.words(start * number, many * number, call, 0, words);
      this.words((start * number) / 4, Math.ceil((many * number) / 4), call, 1, packed);
      this.words(start * small, many * small, call + 1, 0, chances);
      for (let k = 0, r = 0; k < number; k++) {
        const values = out[k], middle = (shapes[k] < 1 ? shapes[k] + 1 : shapes[k]) - 1 / 3, scale = 1 / Math.sqrt(9 * middle), squeeze = middle >= 13 ? 0.0157 / middle : 0.0331;
        for (let i = k, draw = from + start; draw < from + start + many; draw++, i += number) {
          const word = words[i], byte = bytes[i], layer = word & 255, normal = ((word >> 8) + 0.5) * UNITS[layer], root = 1 + normal * scale, square = normal * normal;
          if (Math.abs(normal) < WIDTHS[layer + 1] && square * square * squeeze + (byte + 1) * 2 ** -8 < 1 && root > 0) values[draw] = middle * root * root * root;
          else this.second(values, draw, start * number + i, call, word, byte, middle, scale);
        }
        if (shapes[k] >= 1) continue;
        const power = 1 / shapes[k];
        for (let i = r++, draw = from + start; draw < from + start + many; draw++, i += small) values[draw] *= powerOf(chances[i], power);
      }
    }
  }
  // What the first look did not accept: by the densities themselves, and tried again until one is accepted. It is written here:
  // a number that is returned or not makes an object of every number.
  second(values, draw, index, call, word, byte, middle, scale) {
    const more = this.more;
    for (let attempt = 0; ; attempt++) {
      threefry(this.key, index, 1, call, 2 + attempt, this.stream, more);
      const chance = attempt ? uniformOf(more[1]) : (byte + uniformOf(more[1])) / 256, first = uniformOf(more[2]);
      if (attempt) word = more[0];
      const layer = word & 255;
      let normal = ((word >> 8) + 0.5) * UNITS[layer], accepted = true;
      if (Math.abs(normal) >= WIDTHS[layer + 1]) {
        if (layer === 0) {
          const beyond = -Math.log(first) / BASE;
          normal = Math.sign(normal) * (BASE + beyond);
          accepted = uniformOf(more[3]) < Math.exp((-beyond * beyond) / 2);
        } else accepted = DENSITIES[layer] + first * (DENSITIES[layer + 1] - DENSITIES[layer]) < Math.exp((-normal * normal) / 2);
      }
      const root = 1 + scale * normal;
      if (!accepted || root <= 0) continue;
      const cube = root * root * root;
      if (Math.log(chance) < 0.5 * normal * normal + middle * (1 - cube + Math.log(cube))) { values[draw] = middle * cube; return; }
    }
  }
  // Binomial numbers of trials[i] of probability chances[i % chances.length]: inversion, or BTRS (Hörmann 1993).
  binomials(trials, chances) {
    const call = (this.calls += 1), counts = new Float64Array(trials.length), words = this.words(0, trials.length, call, 0);
    for (let i = 0; i < trials.length; i++) {
      const p = chances[i % chances.length], n = trials[i], turned = p > 0.5 + 1e-9, rare = turned ? 1 - p : p;
      let count = 0;
      if (n * rare >= 10) count = this.transformed(i, call, n, rare);
      else if (n * rare > 0) {
        let chance = uniformOf(words[i]), density = Math.exp(n * Math.log1p(-rare));
        const odds = rare / (1 - rare);
        while (chance > density && count < n) {
          count += 1;
          chance -= density;
          density *= ((n - count + 1) * odds) / count;
        }
      }
      counts[i] = turned ? n - count : count;
    }
    return counts;
  }
  transformed(index, call, n, p) {
    const spread = Math.sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p, words = this.more;
    const alpha = (2.83 + 5.1 / b) * spread, mode = Math.floor((n + 1) * p), odds = p / (1 - p);
    for (let trial = 0; ; trial++) {
      if (trial % 2 === 0) threefry(this.key, index, 1, call, 1 + trial / 2, this.stream, words);
      const centred = uniformOf(words[(trial % 2) * 2]) - 0.5, second = uniformOf(words[(trial % 2) * 2 + 1]), edge = 0.5 - Math.abs(centred);
      const k = Math.floor(((2 * a) / edge + b) * centred + n * p + 0.5);
      if (k < 0 || k > n) continue;
      if (edge >= 0.07 && second <= 0.92 - 4.2 / b) return k;
      const bound = (mode + 0.5) * Math.log((mode + 1) / (odds * (n - mode + 1))) + (n + 1) * Math.log((n - mode + 1) / (n - k + 1))
        + (k + 0.5) * Math.log((odds * (n - k + 1)) / (k + 1)) + stirling(mode) + stirling(n - mode) - stirling(k) - stirling(n - k);
      if (Math.log((second * alpha) / (a / (edge * edge) + b)) <= bound) return k;
    }
  }
  // Counts of n[i] examples by rows of probabilities: one array for each cell.
  multinomials(n, rows) {
    const cells = rows[0].length, left = Float64Array.from(n), chance = rows.map(() => 1), out = [];
    for (let k = 0; k + 1 < cells; k++) {
      const counts = this.binomials(left, rows.map((row, r) => (chance[r] > 0 ? Math.min(1, Math.max(0, row[k] / chance[r])) : 0)));
      for (let i = 0; i < left.length; i++) left[i] -= counts[i];
      rows.forEach((row, r) => { chance[r] -= row[k]; });
      out.push(counts);
    }
    return [...out, left];
  }
}

// ---- the Dirichlet posterior of the class rates (dirichlet_posterior.py)
const added = (numbers) => numbers.reduce((sum, x) => sum + x, 0);
const sizesOf = (m) => m.map(added);
const calledOf = (m) => m.map((_, j) => added(m.map((row) => row[j])));
const hitsOf = (m) => m.map((row, i) => row[i]);
const occurring = (sizes) => sizes.filter((size) => size > 0).length;
const table = (size, f) => Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => f(i, j)));
const quotient = (a, b) => (b > 0 ? a / b : 0);

function ownParts(sizes) {
  const count = occurring(sizes);
  if (count < 3) return sizes.map(() => 1);
  const all = added(sizes.map((size) => quotient(1, size)));
  return sizes.map((size) => (size > 0 ? Math.min(1, ((1 / size / all) * count) / (count - 1)) : 1));
}
const similarRecalls = (hits, sizes) => sizes.map((own, k) => {
  let recalls = 0, weights = 0;
  sizes.forEach((size, j) => {
    if (j === k || !size || !own) return;
    const weight = Math.min(size, own) / Math.max(size, own);
    recalls += (weight * hits[j]) / size;
    weights += weight;
  });
  return quotient(recalls, weights);
});
function recallCentres(hits, sizes) {
  if (occurring(sizes) < 3) return sizes.map(() => 0.5);
  const own = ownParts(sizes), similar = similarRecalls(hits, sizes);
  return sizes.map((size, k) => (size > 0 ? own[k] / 2 + (1 - own[k]) * similar[k] : 0.5));
}
function weightOfCounts(sizes) {
  const own = ownParts(sizes);
  return sizes.map((size, k) => (occurring(sizes) < 3 ? 1 : Math.max(size - 1 + 2 * own[k] - (1 - own[k]) * (size / (size + 1)) ** 2, 0.5) / (size + 1)));
}
function shrunk(numbers, expected, seen, trials) {
  const squares = numbers.map((x, k) => {
    const room = trials ? Math.max(1 - quotient(expected[k], trials[k]), 1e-12) : 1;
    return seen[k] && expected[k] > 0 ? (x - expected[k]) ** 2 / (expected[k] * room) : 0;
  });
  const total = added(squares), share = total > 0 ? Math.min(1, (seen.filter(Boolean).length - 1) / total) : 1;
  return numbers.map((x, k) => (seen[k] ? (1 - share) * x + share * expected[k] : x));
}
function attracted(m, errors) {
  const sizes = sizesOf(m), called = calledOf(m), seen = sizes.map((size) => size > 0), all = added(errors);
  const evenly = errors.map((x) => (all - x) / Math.max(occurring(sizes) - 1, 1));
  return [shrunk(called.map((x, k) => x - m[k][k]), evenly, seen, null), evenly];
}
const attractionShares = (attracting) => table(attracting.length, (i, j) => (i === j ? 0 : Math.max(attracting[j], 1e-12))).map((row) => {
  const all = added(row);
  return row.map((x) => x / all);
});
function errorShares(m, prior) {
  const size = m.length, even = () => table(size, (i, j) => (i === j ? 0 : 1 / Math.max(size - 1, 1)));
  if (prior === "shared") {
    if (occurring(sizesOf(m)) < 3) return even();
    const [number, evenly] = attracted(m, m.map((row, i) => added(row) - row[i]));
    return attractionShares(number.map((x, k) => (evenly[k] > 0 ? x / evenly[k] : 1)));
  }
  let errors = table(size, (i, j) => (i === j ? 0 : m[i][j]));
  if (!errors.some((row) => row.some(Boolean))) return even();
  errors = errors.map((row, i) => (row.some(Boolean) ? row : errors.map((other) => other[i])));
  return errors.map((row) => { const all = added(row); return row.map((x) => quotient(x, all)); });
}
function priorParameters(m, prior) {
  const sizes = sizesOf(m), centres = recallCentres(hitsOf(m), sizes), shares = errorShares(m, prior), count = m.length;
  const own = ownParts(sizes).map((x, k) => (sizes[k] > 0 ? x : 0)), alarms = prior === "shared" && occurring(sizes) > 2, all = added(sizes), owned = added(own);
  const wanted = own.map((x, k) => Math.max(0, x / 2 - (owned - x) / (2 * (count - 1))) / (all - sizes[k]));
  return table(count, (i, j) => (i === j ? centres[i] : (1 - centres[i]) * shares[i][j] + (alarms && wanted[j] > 0 ? sizes[i] * wanted[j] : 0)));
}
function parametersOf(m, prior) {
  const weights = weightOfCounts(sizesOf(m)), own = priorParameters(m, prior);
  return m.map((row, i) => row.map((x, j) => (x + own[i][j]) * weights[i]));
}
const shareParameters = (sizes) => sizes.map((size) => size + 1 / Math.max(1, occurring(sizes)));
// The cells of a batch lie in one piece of memory: many small ones keep the garbage collector busy.
const batchOf = (size, draws) => { const all = new Float64Array(size * size * draws); return table(size, (i, j) => all.subarray((i * size + j) * draws, (i * size + j + 1) * draws)); };
const blockSize = (cells) => Math.max(16, Math.min(1 << 14, Math.floor((1 << 18) / cells)));
const NOTHING = 1e-200, FEW_CLASSES = 12;

// Rows made to sum to the drawn sizes of their classes, or to those of the test set.
function scaledRows(random, batch, sizes, fixed, from, draws) {
  const seen = sizes.map((_, k) => k).filter((k) => sizes[k] > 0), all = added(sizes);
  const shares = sizes.map((size) => new Float64Array(draws).fill(fixed ? size : 0));
  if (!fixed) {
    const parameters = shareParameters(sizes);
    random.gammas(seen.map((k) => parameters[k]), draws, seen.map((k) => shares[k]));
    for (let d = 0; d < draws; d++) {
      let sum = 0;
      for (const k of seen) sum += shares[k][d];
      for (const k of seen) shares[k][d] *= all / sum;
    }
  }
  for (const matrix of batch) matrix.forEach((row, i) => scaleRow(row.map((cell) => cell.subarray(from, from + draws)), shares[i]));
}
// Cell by cell: one array at a time stays in the cache, which draw by draw leaves.
function scaleRow(cells, sizes) {
  const factors = new Float64Array(sizes.length);
  for (const cell of cells) for (let d = 0; d < factors.length; d++) {
    const x = cell[d];
    if (x >= NOTHING) factors[d] += x;
    else cell[d] = 0;
  }
  for (let d = 0; d < factors.length; d++) factors[d] = factors[d] > 0 ? sizes[d] / factors[d] : 0;
  for (const cell of cells) for (let d = 0; d < factors.length; d++) cell[d] *= factors[d];
}
// The lengths (draws x rows x pieces) of broken sticks of Gamma(worth) length.
function sticks(random, worths, left, draws) {
  const most = Math.max(...worths), pieces = Math.max(2, Math.ceil(Math.log(left) / Math.log(most / (1 + most)))), rows = worths.length;
  const chances = random.uniforms(draws * rows * (pieces - 1)), lengths = new Float64Array(draws * rows * pieces), whole = worths.map(() => new Float64Array(draws));
  random.gammas(worths, draws, whole);
  for (let d = 0, c = 0; d < draws; d++) for (let r = 0; r < rows; r++) {
    let remaining = 1;
    for (let p = 0; p < pieces; p++) {
      const next = p + 1 < pieces ? remaining * chances[c++] ** (1 / worths[r]) : 0;
      lengths[(d * rows + r) * pieces + p] = (remaining - next) * whole[r][d];
      remaining = next;
    }
  }
  return [lengths, pieces];
}
// Which place of its parts a uniform number falls on.
function chooser(parts) {
  const all = added(parts), until = [];
  parts.reduce((sum, x, k) => (until[k] = sum + x), 0);
  const last = parts.findLastIndex((x) => x > 0);
  return (chance) => { let k = 0; while (k < last && until[k] / all <= chance) k++; return k; };
}
function drawnMatrices(m, { fixed, prior, draws, seed }) {
  const count = m.length, parameters = parametersOf(m, prior), out = batchOf(count, draws), size = blockSize(count * count);
  const held = table(count, (i, j) => count <= FEW_CLASSES || i === j || m[i][j] > 0);
  const places = held.flatMap((row, i) => row.flatMap((is, j) => (is ? [[i, j]] : [])));
  for (let block = 0, from = 0; from < draws; block++, from += size) {
    const random = new Random(seed, block), number = Math.min(size, draws - from);
    random.gammas(places.map(([i, j]) => parameters[i][j]), number, places.map(([i, j]) => out[i][j]), from);
    const rows = m.map((_, i) => i).filter((i) => held[i].some((is, j) => !is && parameters[i][j] > 0));
    if (rows.length) {
      const empty = rows.map((i) => parameters[i].map((x, j) => (held[i][j] ? 0 : x))), choose = empty.map(chooser);
      const [lengths, pieces] = sticks(random, empty.map(added), 1e-4, number);
      for (let p = 0; p < pieces; p++) {
        const chances = random.uniforms(number * rows.length);
        for (let d = 0; d < number; d++) rows.forEach((i, r) => { out[i][choose[r](chances[d * rows.length + r])][from + d] += lengths[(d * rows.length + r) * pieces + p]; });
      }
    }
    scaledRows(random, [out], sizesOf(m), fixed, from, number);
  }
  return out;
}
function centreOf(m, fixed, prior) {
  const sizes = sizesOf(m), shares = shareParameters(sizes).map((x, k) => (sizes[k] > 0 ? x : 0)), all = added(shares), total = added(sizes);
  return parametersOf(m, prior).map((row, i) => {
    const sum = added(row), factor = fixed ? sizes[i] : (total * shares[i]) / all;
    return row.map((x) => quotient(x, sum) * factor);
  });
}

// ---- James-Stein shrinkage: test sets of smoothed rates (james_stein.py)
const SETS_STREAM = 2 ** 31;
function smoothedCounts(m) {
  const sizes = sizesOf(m), hits = hitsOf(m), wrong = sizes.map((size, k) => size - hits[k]), share = added(wrong) / Math.max(added(sizes), 1);
  const errors = shrunk(wrong, sizes.map((size) => size * share), sizes.map((size) => size > 0), sizes);
  return attractionShares(attracted(m, errors)[0]).map((row, i) => row.map((x, j) => (i === j ? sizes[i] - errors[i] : x * errors[i])));
}
function smoothedSets(m, fixed, seed) {
  const count = m.length, sets = Math.min(500, Math.max(200, Math.floor(2e6 / count ** 2))), sizes = sizesOf(m), total = added(sizes), random = new Random(seed, SETS_STREAM);
  const expected = smoothedCounts(m), rates = expected.map((row, i) => row.map((x, j) => (sizes[i] > 0 ? x / sizes[i] : Number(i === j))));
  const drawn = fixed ? sizes.map((size) => new Float64Array(sets).fill(size)) : random.multinomials(new Float64Array(sets).fill(total), [sizes.map((size) => size / total)]);
  const n = new Float64Array(sets * count);
  for (let s = 0; s < sets; s++) for (let k = 0; k < count; k++) n[s * count + k] = fixed ? sizes[k] : sizes[k] > 0 ? Math.max(drawn[k][s], 1) : 0;
  const cells = random.multinomials(n, rates);
  const batch = batchOf(count, sets);
  batch.forEach((row, i) => row.forEach((cell, j) => { for (let s = 0, counts = cells[j]; s < sets; s++) cell[s] = counts[s * count + i]; }));
  return [batch, expected];
}
function biasOf(drawn, expected, seen) {
  let number = 0, sum = 0, squares = 0;
  const possible = (x) => Number.isFinite(x) && !(Math.abs(x) < 1e-12 && Math.abs(seen) >= 1e-12);
  for (const x of drawn) if (possible(x)) { number++; sum += x; }
  if (!number || !Number.isFinite(expected)) return 0;
  const mean = sum / number;
  for (const x of drawn) if (possible(x)) squares += (x - mean) ** 2;
  const bias = mean - expected;
  return Math.sign(bias) * Math.max(Math.abs(bias) - Math.sqrt(squares / number) / Math.sqrt(number), 0);
}

// ---- confidence limits (confidence_limits.py)
function quantileOf(sorted, probability) {
  const last = sorted.length - 1, place = last * probability, k = Math.min(Math.floor(place), last), low = sorted[k], step = sorted[Math.min(k + 1, last)] - low, part = place - k;
  return part >= 0.5 ? low + step - step * (1 - part) : low + step * part;
}
const KINK = 2 + Math.SQRT2;
// The ends of an interval, and by how much they were moved; `sorted` are the draws that are defined.
function limitsOf(sorted, centre, level, ofTestSets = 0) {
  let low = quantileOf(sorted, (1 - level) / 2), high = quantileOf(sorted, (1 + level) / 2), sum = 0, squares = 0;
  for (const x of sorted) sum += x;
  const mean = sum / sorted.length;
  if (!Number.isFinite(mean - centre)) return [low, high, 0, 0];
  for (const x of sorted) squares += (x - mean) ** 2;
  const spread = Math.sqrt(squares / sorted.length), toward = (x, by) => Math.sign(x) * Math.max(Math.abs(x) - by, 0);
  let bias = toward(mean - centre, spread / Math.sqrt(sorted.length));
  const both = (bias + ofTestSets) / KINK;
  if (Math.abs(both) > Math.abs(bias)) bias = both;
  const followed = toward(bias, 0.25 * spread), above = high - mean, below = mean - low;
  const atLow = (bias > 0 ? KINK * bias : 2 * followed) + 0.05 * Math.max(above - below, 0);
  const atHigh = (bias > 0 ? 2 * followed : KINK * bias) - 0.05 * Math.max(below - above, 0);
  return [low - atLow, high - atHigh, atLow, atHigh];
}
const definedOf = (values) => values.filter((x) => !Number.isNaN(x)).sort();
function logGamma(x) {
  let shift = 0;
  for (; x < 15; x++) shift -= Math.log(x);
  const square = x * x;
  return shift + (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / x;
}
// The incomplete beta function by its continued fraction (Lentz), and its quantile by bisection.
function betaBelow(x, a, b) {
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(1 - x, b, a);
  if (x <= 0) return 0;
  let c = 1, d = 1 / (1 - ((a + b) * x) / (a + 1)), f = d;
  for (let m = 1; m < 10000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)), odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + even * d); c = 1 + even / c; f *= c * d;
    d = 1 / (1 + odd * d); c = 1 + odd / c; f *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return (Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) * f) / a;
}
function betaQuantile(probability, a, b) {
  let low = 0, high = 1;
  for (let k = 0; k < 200 && high - low > 1e-17; k++) {
    const middle = (low + high) / 2;
    if (betaBelow(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// ---- intervals of metrics of one matrix (intervals.py): method "auto"
function atShares(m, shares) {
  if (!shares) return m;
  if (typeof m[0][0] === "number") return m.map((row, i) => { const sum = added(row); return row.map((x) => (x * shares[i]) / sum); });
  const scaled = batchOf(m.length, m[0][0].length);
  m.forEach((row, i) => {
    const factors = new Float64Array(row[0].length);
    for (const cell of row) for (let d = 0; d < factors.length; d++) factors[d] += cell[d];
    for (let d = 0; d < factors.length; d++) factors[d] = shares[i] / factors[d];
    row.forEach((cell, j) => { for (let d = 0, into = scaled[i][j]; d < into.length; d++) into[d] = cell[d] * factors[d]; });
  });
  return scaled;
}
const firstOf = (batch, draws) => batch.map((row) => row.map((cell) => (cell.length > draws ? cell.subarray(0, draws) : cell)));
const againstRest2 = (m, at) => {
  const sizes = sizesOf(m), called = calledOf(m), hits = m[at][at];
  return [[hits, sizes[at] - hits], [called[at] - hits, added(sizes) - sizes[at] - called[at] + hits]];
};
const MOST_INTERVAL_CLASSES = 40;
const drawsFor = (classes) => Math.min(10000, Math.max(1000, Math.floor(5e6 / classes ** 2)));

// Draws are made once for all metrics and all class distributions; `metric` has drawn, value, kind, better, weighs, range.
class IntervalFinder {
  constructor(rows, { draws = drawsFor(rows.length), seed = 0, design = "sample", level = 0.95, positive = null, settings = {} } = {}) {
    Object.assign(this, { rows, draws, seed, level, positive, settings, fixed: design === "fixed", known: new Map() });
  }
  kept(name, make) {
    if (!this.known.has(name)) this.known.set(name, make());
    return this.known.get(name);
  }
  // The counts, prior and settings from which a metric is drawn: of one class, that class and the rest.
  groupOf(metric) {
    const two = this.rows.length === 2;
    if (!two && metric.kind === "two-class") return { name: "rest", rows: againstRest2(this.rows, this.positive), prior: "shared", settings: { labels: ["a", "b"], positive: 0 }, sides: true };
    return { name: !two && metric.weighs ? "observed" : "shared", rows: this.rows, prior: !two && metric.weighs ? "observed" : "shared", settings: { ...this.settings, ...(two && this.positive !== null ? { positive: this.positive } : {}) } };
  }
  batch(group, draws) {
    // As long as no more is asked for, no more is drawn. The same few draws are kept for all metrics and all moves of a slider.
    const number = Math.min(draws, this.draws);
    return this.kept(`${group.name} ${number}`, () => drawnMatrices(group.rows, { fixed: this.fixed, prior: group.prior, draws: number, seed: this.seed }));
  }
  // Float64Array of the metric on a batch at this class distribution, which is scaled once for all metrics.
  values(metric, group, batch, key, shares) {
    const name = `${group.name} ${key} ${batch[0][0].length}`;
    if (shares !== this.shares) { this.shares = shares; this.scaled = new Map(); }
    this.scaled ??= new Map();
    if (!this.scaled.has(name)) this.scaled.set(name, atShares(batch, shares));
    const values = metric.drawn(this.scaled.get(name), group.settings);
    return typeof values === "number" ? new Float64Array(batch[0][0].length).fill(values) : values;
  }
  interval(metric, { shares = null, draws = this.draws } = {}) {
    const given = shares, group = this.groupOf(metric), { fixed, level } = this;
    if (group.sides && shares) shares = [shares[this.positive], 1 - shares[this.positive]];
    const estimate = metric.value(atShares(group.rows, shares), group.settings), none = (why) => ({ estimate, low: NaN, high: NaN, level, draws: 0, undefined: 0, why });
    if (Number.isNaN(estimate)) return none("the metric is undefined here");
    if (this.rows.length > MOST_INTERVAL_CLASSES) return none(`intervals of more than ${MOST_INTERVAL_CLASSES} classes are computed by the Python package`);
    if (group.sides && given) return none("a class against the rest at other priors has its interval in the Python package");
    if (this.rows.some((row) => row.some((x) => !Number.isInteger(x)))) return none("sums of weights do not say how many examples there are");
    const batch = this.batch(group, draws), sorted = definedOf(this.values(metric, group, batch, "draws", shares)), left = draws - sorted.length;
    if (!sorted.length) return none("undefined in every draw");
    const centre = metric.value(atShares(this.kept(`centre ${group.name}`, () => centreOf(group.rows, fixed, group.prior)), shares), group.settings);
    const [least, greatest] = metric.range(group.rows.length), isRatio = metric.kind === "two-class" && least === 0 && greatest === Infinity;
    // Percentiles of a ratio are the same on every scale and stay as drawn (is_ratio in confidence_limits.py).
    let [low, high] = limitsOf(sorted, isRatio ? NaN : centre, level, this.biasOfSets(metric, group, shares, draws));
    high = Math.min(high, this.mostWithoutHits(metric, group, estimate, draws, shares));
    const width = high - low;
    if (!(Number.isFinite(width) ? width > 1e-12 * Math.max(1, Math.abs(low), Math.abs(high)) : low < high)) low = high = estimate;
    return { estimate, low: Math.max(least, Math.min(low, estimate)), high: Math.min(greatest, Math.max(high, estimate)), level, draws, undefined: left, why: null };
  }
  biasOfSets(metric, group, shares, draws) {
    if (this.rows.length < 3 || metric.kind !== "multi-class" || metric.weighs) return 0;
    const [sets, expected] = this.kept("sets", () => smoothedSets(this.rows, this.fixed, this.seed));
    const used = this.kept(`sets ${draws}`, () => firstOf(sets, draws < this.draws ? draws : Infinity));
    return biasOf(this.values(metric, group, used, "sets", shares), metric.value(atShares(expected, shares), group.settings), metric.value(atShares(this.rows, shares), group.settings));
  }
  // Where classes without a hit make the metric 0 (G-mean): its upper limit with their recalls at upper limits.
  mostWithoutHits(metric, group, estimate, draws, shares) {
    const sizes = sizesOf(this.rows), missed = sizes.map((_, k) => k).filter((k) => sizes[k] > 0 && !this.rows[k][k]);
    if (estimate !== 0 || metric.kind !== "multi-class" || metric.better !== "higher" || !missed.length) return Infinity;
    const limits = missed.map((k) => this.kept(`limit ${k}`, () => betaQuantile((1 + this.level) / 2, 0.5, sizes[k] + 0.5)));
    const shared = { name: "shared", rows: this.rows, prior: "shared" };
    const atLimits = (m) => {
      const moved = m.map((row) => row.map((cell) => cell.slice()));
      missed.forEach((k, r) => {
        for (let d = 0; d < m[0][0].length; d++) {
          let sum = 0;
          for (const cell of m[k]) sum += cell[d];
          const factor = (1 - limits[r]) / (1 - m[k][k][d] / sum);
          for (const cell of moved[k]) cell[d] *= factor;
          moved[k][k][d] = limits[r] * sum;
        }
      });
      return atShares(moved, shares);
    };
    const centre = centreOf(this.rows, this.fixed, "shared").map((row) => row.map((x) => Float64Array.of(x)));
    const values = metric.drawn(atLimits(this.batch(shared, draws)), group.settings);
    return limitsOf(definedOf(values), metric.drawn(atLimits(centre), group.settings)[0], this.level)[1];
  }
}

// ---- paired differences of two models on the same rows (differences.py): cells [truth, first, second, count]
const MOST_JOINT_CELLS = 4096;
const seenBy = (cells, size, model) => {
  const m = table(size, () => 0);
  for (const cell of cells) m[cell[0]][cell[1 + model]] += cell[3];
  return m;
};
function jointMatrices(cells, size, { fixed, prior, draws, seed }) {
  const seen = [0, 1].map((model) => seenBy(cells, size, model)), sizes = sizesOf(seen[0]), weights = weightOfCounts(sizes);
  const out = [batchOf(size, draws), batchOf(size, draws)], priors = seen.map((m) => priorParameters(m, prior)), block = blockSize(Math.max(2 * size * size, cells.length));
  for (let number = 0, from = 0; from < draws; number++, from += block) {
    const random = new Random(seed, number), many = Math.min(block, draws - from), masses = cells.map(() => new Float64Array(many));
    random.gammas(cells.map(([truth, , , count]) => count * weights[truth]), many, masses);
    cells.forEach(([truth, ...predicted], k) => out.forEach((batch, model) => {
      const into = batch[truth][predicted[model]];
      for (let d = 0; d < many; d++) into[from + d] += masses[k][d];
    }));
    for (let label = 0; label < size; label++) if (sizes[label] > 0) addPrior(random, label, priors.map((rows) => rows[label]), weights[label], many, out, from);
    scaledRows(random, out, sizes, fixed, from, many);
  }
  return out;
}
// The prior's mass of one class: pieces of a stick, each predicted by both models, rather differently than alike.
function addPrior(random, label, parameters, weight, draws, out, from) {
  const [lengths, pieces] = sticks(random, [weight * added(parameters[0])], 1e-4, draws), number = draws * pieces;
  const order = random.uniforms(2 * number), within = random.uniforms(2 * number), apart = random.uniforms(number), free = random.uniforms(2 * number);
  const places = [label, ...parameters[0].map((_, k) => k).filter((k) => k !== label)], choose = parameters.map((row) => chooser(places.map((k) => row[k])));
  for (let d = 0, i = 0; d < draws; d++) for (let p = 0; p < pieces; p++, i++) {
    const turned = order[2 * i] > order[2 * i + 1] ? 1 : 0;
    for (let model = 0; model < 2; model++) {
      const chance = apart[i] < 0.5 ? ((model ^ turned) + within[2 * i + model]) / 2 : free[2 * i + model];
      out[model][label][places[choose[model](chance)]][from + d] += lengths[i];
    }
  }
}
// Draws of both models are made once for all metrics and class distributions that need them.
class DifferenceFinder {
  constructor(cells, size, { draws = drawsFor(size), seed = 0, design = "sample", level = 0.95, positive = null, settings = {} } = {}) {
    Object.assign(this, { cells, size, draws, seed, level, positive, settings, fixed: design === "fixed", known: new Map() });
  }
  // The cells from which a metric is drawn: of one class of several, that class and the rest.
  groupOf(metric) {
    const { size, positive, settings } = this;
    if (metric.kind !== "two-class" || size === 2) {
      const prior = size > 2 && metric.weighs ? "observed" : "shared";
      return { name: prior, cells: this.cells, size, prior, settings: metric.kind === "two-class" ? { ...settings, positive } : settings };
    }
    const sums = new Map();
    for (const [t, a, b, n] of this.cells) { const key = [t, a, b].map((k) => Number(k !== positive)).join(); sums.set(key, (sums.get(key) ?? 0) + n); }
    const cells = [...sums].map(([key, n]) => [...key.split(",").map(Number), n]).sort((x, y) => x[0] - y[0] || x[1] - y[1] || x[2] - y[2]);
    return { name: "rest", cells, size: 2, prior: "shared", settings: { labels: ["a", "b"], positive: 0 } };
  }
  batches({ name, cells, size, prior }, draws) {
    const { fixed, seed, known } = this, make = () => jointMatrices(cells, size, { fixed, prior, draws, seed });
    if (known.has(name) && known.get(name)[0][0][0].length >= draws) return known.get(name).map((batch) => firstOf(batch, draws));
    return known.set(name, make()).get(name);
  }
  // The values of both models at this class distribution, which scales the draws once for all metrics.
  scaled(group, draws, shares) {
    if (!shares) return this.batches(group, draws);
    const key = `${group.name} ${draws} ${shares.join()}`;
    if (this.last?.key !== key) this.last = { key, batches: this.batches(group, draws).map((batch) => atShares(batch, shares)) };
    return this.last.batches;
  }
  difference(metric, { shares = null, draws = this.draws } = {}) {
    const group = this.groupOf(metric), { cells, size, prior, settings } = group, { fixed, level } = this, seen = [0, 1].map((model) => seenBy(cells, size, model));
    const [first, second] = seen.map((m) => metric.value(atShares(m, shares), settings)), value = first - second, none = (why) => ({ value, low: NaN, high: NaN, better: NaN, p: NaN, level, draws: 0, undefined: 0, why });
    if (Number.isNaN(value)) return none("undefined for at least one of the models");
    if (size > MOST_INTERVAL_CLASSES || cells.length >= MOST_JOINT_CELLS) return none("comparisons of so many classes or joint cells are computed by the Python package");
    if (cells.every(([, a, b]) => a === b)) return { value, low: 0, high: 0, better: metric.better === "neither" ? NaN : 0.5, p: 1, level, draws, undefined: 0, why: "the models are identical on this test set" };
    const values = this.scaled(group, draws, shares).map((batch) => metric.drawn(batch, settings));
    const sorted = definedOf(values[0].map((x, d) => x - values[1][d])), number = sorted.length;
    if (!number) return none("undefined in every draw");
    const centres = seen.map((m) => metric.value(atShares(centreOf(m, fixed, prior), shares), settings));
    const [low, high, atLow, atHigh] = limitsOf(sorted, centres[0] - centres[1], level), shift = (atLow + atHigh) / 2, count = (test) => sorted.reduce((sum, x) => sum + test(x), 0);
    const tail = Math.min(count((x) => x <= atLow + 1e-12), count((x) => x >= atHigh - 1e-12)), lower = count((x) => x - shift <= -1e-12), higher = count((x) => x - shift >= 1e-12);
    const better = metric.better === "neither" ? NaN : (metric.better === "lower" ? lower : higher) / number + (number - higher - lower) / number / 2;
    return { value, low: Math.min(low, value), high: Math.max(high, value), better, p: Math.min(1, (2 * (tail + 1)) / (number + 1)), level, draws, undefined: draws - number, why: null };
  }
}
/** The order of classes: numbers by value, text by letters, as Python has it. */
const inOrder = (labels) =>
  labels.every((label) => typeof label === "number")
    ? [...labels].sort((a, b) => a - b)
    : [...labels].sort((a, b) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0));

const refuse = (message) => {
  throw new RangeError(message);
};

/** Count true against predicted labels: { labels, rows }, rows are truth. */
export function confusion(truth, predicted, labels = undefined) {
  if (truth.length !== predicted.length) refuse(`truth has ${truth.length} labels and predictions have ${predicted.length}`);
  if (!truth.length) refuse("there are no rows to count");
  const names = labels === undefined ? inOrder([...new Set([...truth, ...predicted])]) : [...labels];
  const place = new Map(names.map((name, k) => [name, k]));
  const rows = names.map(() => new Array(names.length).fill(0));
  for (let k = 0; k < truth.length; k++) {
    const [row, column] = [place.get(truth[k]), place.get(predicted[k])];
    if (row === undefined || column === undefined) refuse(`row ${k} has a label that is not among labels: ${row === undefined ? truth[k] : predicted[k]}`);
    rows[row][column] += 1;
  }
  return { labels: names, rows };
}

const checked = (matrix) => {
  const { rows, labels } = Array.isArray(matrix) ? { rows: matrix } : matrix;
  const size = rows?.length ?? 0;
  if (!size || rows.some((row) => !Array.isArray(row) || row.length !== size)) refuse("a confusion matrix has C rows of C counts");
  if (rows.some((row) => row.some((count) => !(count >= 0 && count < Infinity)))) refuse("counts are finite numbers of at least 0");
  return { rows, labels: labels ?? rows.map((_, k) => `c${k + 1}`) };
};

const asked = (name) => {
  const found = METRICS[ALIASES[name] ?? name];
  return found ?? refuse(`there is no metric ${name}; see METRICS`);
};

/** The place of the positive class, where the metric needs one. */
const placeOf = (wanted, rows, labels, positive) => {
  if (wanted.kind !== "two-class") return labels.length - 1;
  if (positive === undefined) {
    if (labels.length !== 2) refuse(`${wanted.name} needs a positive class: { positive: ... }`);
    return conventional(rows, labels);
  }
  const place = labels.indexOf(positive);
  return place < 0 ? refuse(`there is no class ${positive}`) : place;
};
const named = (matrix, labels) => (Array.isArray(matrix) || matrix.labels === undefined ? {} : { labels: labels.map(String) });

/** The value of a metric and, where it is undefined, why: { value, why }. */
export function metric(name, matrix, { positive = undefined } = {}) {
  const wanted = asked(name);
  const { rows, labels } = checked(matrix);
  return weigh[wanted.name](rows, { ...named(matrix, labels), positive: placeOf(wanted, rows, labels, positive) });
}

/** A metric as intervals need it. */
const asDrawn = ({ name, kind, better, weighs, range }) => ({
  kind, better, weighs,
  drawn: weigh[name].drawn,
  value: (rows, options) => weigh[name](rows, options).value,
  range: (classes) => range.map((end, k) => (Array.isArray(end) ? end[classes - 2] : end ?? (k ? Infinity : -Infinity))),
});

const wanted = (names) => (names ?? Object.keys(METRICS)).map((name) => [name, asked(name)]);

const drawing = ({ level = 0.95, draws = undefined, seed = 0, design = "sample" }, classes) => {
  if (!(level > 0 && level < 1)) refuse("the level is a number between 0 and 1, such as 0.95");
  if (draws !== undefined && !(Number.isInteger(draws) && draws >= 100 && draws <= 1e7)) refuse("draws is a whole number from 100 to 10,000,000");
  if (!(Number.isSafeInteger(seed) && seed >= 0)) refuse("the seed is a whole number from 0 on");
  if (design !== "sample" && design !== "fixed") refuse('the design is "sample" or "fixed"');
  return { level, draws: draws ?? drawsFor(classes), seed, design };
};

/** Confidence intervals by metric, equal to Python's sy.interval with the same seed: all metrics that apply, or `metrics`. */
export function intervals(matrix, { metrics: names = undefined, positive = undefined, priors = undefined, ...options } = {}) {
  let { rows, labels } = checked(matrix);
  if (!rows.flat().some((count) => count > 0)) refuse("there are no examples");
  const two = labels.length === 2 || positive !== undefined;
  const all = wanted(names).filter(([, one]) => names !== undefined || two || one.kind === "multi-class");
  const place = all.some(([, one]) => one.kind === "two-class") ? placeOf({ kind: "two-class", name: "a metric of one class" }, rows, labels, positive) : null;
  const label = place === null ? null : labels[place];
  if (priors !== undefined && !(Array.isArray(priors) && priors.length === labels.length && priors.every((p) => p >= 0) && Math.abs(added(priors) - 1) < 1e-6)) refuse("priors are one number for each class, 1 together");
  if (labels.length > 2 && named(matrix, labels).labels === undefined) {
    // Without labels a class with neither examples nor predictions does not exist.
    const kept = labels.map((_, k) => k).filter((k) => rows.some((row, i) => row[k] || rows[k][i]));
    priors = priors && kept.map((k) => priors[k]);
    labels = kept.map((k) => labels[k]);
    rows = kept.map((i) => kept.map((j) => rows[i][j]));
  }
  const finder = new IntervalFinder(rows, { ...drawing(options, rows.length), positive: label === null ? null : labels.indexOf(label), settings: { labels: labels.map(String) } });
  return Object.fromEntries(all.map(([name, one]) => [name, finder.interval(asDrawn(one), { shares: priors ?? null })]));
}

/** The confidence interval of one metric. */
export const interval = (name, matrix, options = {}) => intervals(matrix, { ...options, metrics: [name] })[name];

/** The first model's value less the second's on the same rows, by metric: value, low, high, better (a probability), p. */
export function differences(truth, first, second, { metrics: names = ["gmean"], positive = undefined, labels = undefined, ...options } = {}) {
  if (truth.length !== first.length || truth.length !== second.length) refuse(`truth, first and second have ${truth.length}, ${first.length} and ${second.length} labels`);
  if (!truth.length) refuse("there are no rows to count");
  const known = labels === undefined ? inOrder([...new Set([...truth, ...first, ...second])]) : [...labels];
  const placeIn = new Map(known.map((name, k) => [name, k])), size = known.length, counts = new Map();
  for (let k = 0; k < truth.length; k++) {
    const cell = [truth[k], first[k], second[k]].map((label) => placeIn.get(label) ?? refuse(`row ${k} has a label that is not among labels: ${label}`));
    const key = (cell[0] * size + cell[1]) * size + cell[2];
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const cells = [...counts].sort((a, b) => a[0] - b[0]).map(([key, count]) => [Math.floor(key / size / size), Math.floor(key / size) % size, key % size, count]);
  const chosen = wanted(names), rows = seenBy(cells, size, 0), ofClass = chosen.find(([, one]) => one.kind === "two-class");
  const place = ofClass ? placeOf(ofClass[1], rows, known, positive) : null;
  const finder = new DifferenceFinder(cells, size, { ...drawing(options, size), positive: place, settings: { labels: known.map(String) } });
  return Object.fromEntries(chosen.map(([name, one]) => [name, finder.difference(asDrawn(one))]));
}

/** Every metric that the matrix has a value for, by id. */
export function metrics(matrix, options = {}) {
  const { labels } = checked(matrix);
  const two = labels.length === 2 || options.positive !== undefined;
  const all = Object.entries(METRICS).filter(([, one]) => two || one.kind === "multi-class");
  const values = all.map(([id]) => [id, metric(id, matrix, options).value]);
  return Object.fromEntries(values.filter(([, value]) => !Number.isNaN(value)));
}

const folded = (label) => {
  const text = String(label).trim().toLowerCase();
  return /^-?\d+(\.0+)?$/.test(text) ? String(Number(text)) : text;
};
const CONVENTIONS = ["1 0", "1 -1", "true false"];

/** The place of the positive class of two: by convention (1, true, "positive"), else the rarer, else the last. */
const conventional = (rows, labels) => {
  const [a, b] = labels.map(folded);
  for (const [place, own, other] of [[0, a, b], [1, b, a]]) {
    if (CONVENTIONS.includes(`${own} ${other}`) || (own === "positive" && other !== "positive")) return place;
  }
  const [first, second] = rows.map((row) => row.reduce((sum, count) => sum + count, 0));
  return first < second ? 0 : 1;
};

/** The matrix at every threshold, descending: an example is predicted positive if its score is at least that. */
export function sweep(truth, scores, positive) {
  if (truth.length !== scores.length) refuse(`truth has ${truth.length} labels and there are ${scores.length} scores`);
  if (scores.some((score) => typeof score !== "number" || Number.isNaN(score))) refuse("scores are numbers");
  const order = scores.map((_, k) => k).sort((a, b) => scores[b] - scores[a]);
  const all = truth.filter((label) => label === positive).length;
  const others = truth.length - all;
  if (!all || !others) refuse(`scores need examples of ${positive} and of others`);
  const points = [{ threshold: Infinity, rows: [[0, all], [0, others]] }];
  let [tp, fp] = [0, 0];
  for (let k = 0; k < order.length; k++) {
    if (truth[order[k]] === positive) tp += 1;
    else fp += 1;
    const score = scores[order[k]];
    if (k + 1 === order.length || scores[order[k + 1]] !== score) {
      points.push({ threshold: score, rows: [[tp, all - tp], [fp, others - fp]] });
    }
  }
  return points;
}

/** The threshold that makes a metric best (the highest of equals), its value and its matrix. */
export function bestThreshold(truth, scores, { positive, maximise = "gmean" }) {
  const wanted = asked(maximise);
  if (wanted.better === "neither") refuse(`${maximise} cannot say which threshold is better`);
  const sign = wanted.better === "lower" ? -1 : 1;
  let best;
  for (const { threshold, rows } of sweep(truth, scores, positive)) {
    const { value } = metric(maximise, { rows, labels: ["positive", "other"] }, { positive: "positive" });
    if (!Number.isNaN(value) && (best === undefined || sign * value > sign * best.value)) best = { threshold, value, rows };
  }
  return best ?? refuse(`${maximise} is undefined at every threshold`);
}
