// @steelyard/core: written by tools/write_js.py from the graphs of the metrics. Do not edit.

const weigh = (() => {
  const zip = (f, a, b) => {
    if (!Array.isArray(a)) return Array.isArray(b) ? b.map((y) => zip(f, a, y)) : f(a, b);
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
  const each = (f, a) => (Array.isArray(a) ? a.map((x) => each(f, x)) : f(a));
  const add = (a, b) => a + b;
  const sub = (a, b) => a - b;
  const mul = (a, b) => a * b;
  const div = (a, b) => a / b;
  const both = (a, b) => a && b;
  const either = (a, b) => a || b;
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
    if (!Array.isArray(a[0])) return inPairs(a, 0, a.length);
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
    const sums = a.map((x) => each(() => 0, x));
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
  const choose = (condition, yes, no) =>
    zip((pair, n) => (pair[0] ? pair[1] : n), zip((c, y) => ({ 0: c, 1: y }), condition, yes), no);
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
        (rows, options = {}) => told(seen(view, rows, options, unit), body),
      ]),
    );
  };
  return weigher([
    ["recall", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 0, 0); note(found, t1, "there are no examples of {positive}", namesOf(seen)); return over(seen.m[0][0], t1); }]],
    ["specificity", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 1, 0); note(found, t1, "there are no examples of {negative}", namesOf(seen)); return over(seen.m[1][1], t1); }]],
    ["fnr", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 0, 0); note(found, t1, "there are no examples of {positive}", namesOf(seen)); return over(seen.m[0][1], t1); }]],
    ["fpr", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 1, 0); note(found, t1, "there are no examples of {negative}", namesOf(seen)); return over(seen.m[1][0], t1); }]],
    ["precision", [asSides, false, (seen, found) => { const t1 = (seen.m[0][0] + seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); return over(seen.m[0][0], t1); }]],
    ["f_beta", [asSides, false, (seen, found) => { const t1 = (1.0 * 1.0); const t2 = ((1 + t1) * seen.m[0][0]); const t3 = ((t2 + (t1 * seen.m[0][1])) + seen.m[1][0]); note(found, t3, "there is no {positive}, neither true nor predicted", namesOf(seen)); return over(t2, t3); }]],
    ["auc_point", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); return ((over(seen.m[0][0], t2) + over(seen.m[1][1], t4)) / 2); }]],
    ["aurpc_point", [asSides, false, (seen, found) => { const t1 = takeAxis(rowSums(seen.m), 0, 0); note(found, t1, "there are no examples of {positive}", namesOf(seen)); const t3 = (seen.m[0][0] + seen.m[1][0]); note(found, t3, "nothing was predicted as {positive}", namesOf(seen)); return ((over(seen.m[0][0], t1) + over(seen.m[0][0], t3)) / 2); }]],
    ["optimized_precision", [asSides, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); const t3 = rowSums(seen.m); const t4 = takeAxis(t3, 1, 0); const t5 = over(seen.m[1][1], t4); note(found, t4, "there are no examples of {negative}", namesOf(seen)); const t7 = takeAxis(t3, 0, 0); const t8 = over(seen.m[0][0], t7); note(found, t7, "there are no examples of {positive}", namesOf(seen)); const t10 = (t5 + t8); note(found, t10, "no example of either class was predicted right", namesOf(seen)); return (over((seen.m[0][0] + seen.m[1][1]), t1) - over(Math.abs((t5 - t8)), t10)); }]],
    ["class_weighted_accuracy(w=0.5)", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); return ((0.5 * over(seen.m[0][0], t2)) + ((1 - 0.5) * over(seen.m[1][1], t4))); }]],
    ["adjusted_gmean", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); const t3 = over(seen.m[0][0], t2); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t5 = takeAxis(t1, 1, 0); const t6 = over(seen.m[1][1], t5); note(found, t5, "there are no examples of {negative}", namesOf(seen)); const t8 = total(rowSums(seen.m)); const t9 = over(t5, t8); note(found, t8, "the matrix is empty", namesOf(seen)); const t11 = (1 + t9); const t12 = over((Math.sqrt((t3 * t6)) + (t6 * t9)), t11); note(found, t11, "the matrix is empty", namesOf(seen)); return choose(((t3 === 0) && (!Number.isNaN(t12))), 0, t12); }]],
    ["negative_predictive_value", [asSides, false, (seen, found) => { const t1 = (seen.m[1][1] + seen.m[0][1]); note(found, t1, "nothing was predicted as {negative}", namesOf(seen)); return over(seen.m[1][1], t1); }]],
    ["false_discovery_rate", [asSides, false, (seen, found) => { const t1 = (seen.m[0][0] + seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); return over(seen.m[1][0], t1); }]],
    ["false_omission_rate", [asSides, false, (seen, found) => { const t1 = (seen.m[1][1] + seen.m[0][1]); note(found, t1, "nothing was predicted as {negative}", namesOf(seen)); return over(seen.m[0][1], t1); }]],
    ["informedness", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); return ((over(seen.m[0][0], t2) + over(seen.m[1][1], t4)) - 1); }]],
    ["markedness", [asSides, false, (seen, found) => { const t1 = (seen.m[0][0] + seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); const t3 = (seen.m[1][1] + seen.m[0][1]); note(found, t3, "nothing was predicted as {negative}", namesOf(seen)); return ((over(seen.m[0][0], t1) + over(seen.m[1][1], t3)) - 1); }]],
    ["positive_likelihood_ratio", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); const t5 = over(seen.m[1][0], t4); note(found, t4, "there are no examples of {negative}", namesOf(seen)); note(found, t5, "no example of {negative} was predicted as {positive}", namesOf(seen)); return over(over(seen.m[0][0], t2), t5); }]],
    ["negative_likelihood_ratio", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); const t5 = over(seen.m[1][1], t4); note(found, t4, "there are no examples of {negative}", namesOf(seen)); note(found, t5, "no example of {negative} was predicted right", namesOf(seen)); return over(over(seen.m[0][1], t2), t5); }]],
    ["diagnostic_odds_ratio", [asSides, false, (seen, found) => { note(found, seen.m[0][1], "no example of {positive} was missed", namesOf(seen)); note(found, seen.m[1][0], "no example of {negative} was predicted as {positive}", namesOf(seen)); return (over(seen.m[0][0], seen.m[0][1]) * over(seen.m[1][1], seen.m[1][0])); }]],
    ["threat_score", [asSides, false, (seen, found) => { const t1 = ((seen.m[0][0] + seen.m[0][1]) + seen.m[1][0]); note(found, t1, "there is no {positive}, neither true nor predicted", namesOf(seen)); return over(seen.m[0][0], t1); }]],
    ["fowlkes_mallows", [asSides, false, (seen, found) => { const t1 = (seen.m[0][0] + seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); const t3 = takeAxis(rowSums(seen.m), 0, 0); note(found, t3, "there are no examples of {positive}", namesOf(seen)); return Math.sqrt((over(seen.m[0][0], t1) * over(seen.m[0][0], t3))); }]],
    ["lift", [asSides, false, (seen, found) => { const t1 = (seen.m[0][0] + seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); const t3 = total(rowSums(seen.m)); const t4 = over(takeAxis(rowSums(seen.m), 0, 0), t3); note(found, t3, "the matrix is empty", namesOf(seen)); note(found, t4, "there are no examples of {positive}", namesOf(seen)); return over(over(seen.m[0][0], t1), t4); }]],
    ["prevalence", [asSides, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return over(takeAxis(rowSums(seen.m), 0, 0), t1); }]],
    ["dominance", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); return (over(seen.m[0][0], t2) - over(seen.m[1][1], t4)); }]],
    ["accuracy", [asClasses, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return over(total(diagonal(seen.m)), t1); }]],
    ["error_rate", [asClasses, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return over(total(missed(seen.m)), t1); }]],
    ["macro_recall", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, diagonal(seen.m), t1), seen.weights); }]],
    ["gmean", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return geometricMean(zip(over, diagonal(seen.m), t1), seen.weights); }]],
    ["macro_precision", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = zip(add, t1, falseAlarms(seen.m)); note(found, t2, "nothing was predicted as {positive}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t1, t2), seen.weights); }]],
    ["f_beta_of_macros", [asClasses, false, (seen, found) => { const t1 = (1.0 * 1.0); const t2 = diagonal(seen.m); const t3 = total(seen.m); note(found, t3, "nothing was predicted as {label}", namesOf(seen)); const t5 = mean(zip(over, t2, t3), seen.weights); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); const t7 = rowSums(seen.m); note(found, t7, "there are no examples of {label}", namesOf(seen)); const t9 = mean(zip(over, t2, t7), seen.weights); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); const t11 = ((t1 * t5) + t9); note(found, t11, "macro precision and macro recall are both 0", namesOf(seen)); return over((((1 + t1) * t5) * t9), t11); }]],
    ["macro_f_beta", [asClasses, false, (seen, found) => { const t1 = (1.0 * 1.0); const t2 = zip(mul, (1 + t1), diagonal(seen.m)); const t3 = zip(add, zip(add, t2, zip(mul, t1, missed(seen.m))), falseAlarms(seen.m)); note(found, t3, "there is no {positive}, neither true nor predicted", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t2, t3), seen.weights); }]],
    ["average_accuracy", [asClasses, false, (seen, found) => { const t1 = total(diagonal(seen.m)); const t2 = zip(add, zip(add, t1, missed(seen.m)), falseAlarms(seen.m)); note(found, t2, "{label} has neither examples nor predictions, and nothing was predicted right", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t1, t2), seen.weights); }]],
    ["mean_binary_accuracy", [asClasses, false, (seen, found) => { const t1 = total(rowSums(againstRest(seen.m))); note(found, t1, "the matrix is empty", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, zip(add, diagonal(seen.m), rejected(seen.m)), t1), seen.weights); }]],
    ["class_balance_accuracy", [asClasses, false, (seen, found) => { const t1 = zip(Math.max, rowSums(seen.m), total(seen.m)); note(found, t1, "{label} has neither examples nor predictions", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, diagonal(seen.m), t1), seen.weights); }]],
    ["imbalance_accuracy", [asClasses, false, (seen, found) => { const t1 = zip(Math.max, rowSums(seen.m), total(seen.m)); note(found, t1, "{label} has neither examples nor predictions", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, zip(sub, diagonal(seen.m), zip(Math.max, missed(seen.m), falseAlarms(seen.m))), t1), seen.weights); }]],
    ["kappa", [asClasses, false, (seen, found) => { const t1 = total(zip(mul, rowSums(seen.m), ofOthers(total(seen.m)))); note(found, t1, "truth and prediction are one and the same single class", namesOf(seen)); return over(aboveChance(seen.m), t1); }]],
    ["mcc", [asClasses, false, (seen, found) => { const t1 = rootOfProduct(total(zip(mul, rowSums(seen.m), ofOthers(rowSums(seen.m)))), total(zip(mul, total(seen.m), ofOthers(total(seen.m))))); note(found, t1, "the truth holds one class only, or one class only is predicted", namesOf(seen)); return over(aboveChance(seen.m), t1); }]],
    ["auroc_ovo", [asClasses, false, (seen, found) => { if ((seen.m.length < 2)) { note(found, 0, "there is one class only", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(newAxis(NaN, 0), seen.weights); } const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {label}", namesOf(seen)); const t3 = newAxis(t1, 1); note(found, t3, "there are no examples of {label}", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(div, zip(sub, zip(add, 1, zip(over, diagonal(seen.m), t1)), zip(div, total(withoutOwn(zip(over, seen.m, t3))), (seen.m.length - 1))), 2), seen.weights); }]],
    ["auroc_ova", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {positive}", restNames(namesOf(seen))); const t3 = ofOthers(rowSums(seen.m)); note(found, t3, "there are no examples of {negative}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(div, zip(add, zip(over, diagonal(seen.m), t1), zip(over, rejected(seen.m), t3)), 2), seen.weights); }]],
    ["nauroc_ova", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {positive}", restNames(namesOf(seen))); const t3 = ofOthers(rowSums(seen.m)); note(found, t3, "there are no examples of {negative}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); const t6 = seen.m.length; const t7 = ((t6 - 2) / (2 * t6)); const t8 = (1 - t7); note(found, t8, "with this many classes the range is a single value", namesOf(seen)); return over((mean(zip(div, zip(add, zip(over, diagonal(seen.m), t1), zip(over, rejected(seen.m), t3)), 2), seen.weights) - t7), t8); }]],
    ["aurpc_ova", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = rowSums(seen.m); note(found, t2, "there are no examples of {positive}", restNames(namesOf(seen))); const t4 = zip(add, t1, falseAlarms(seen.m)); note(found, t4, "nothing was predicted as {positive}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(div, zip(add, zip(over, t1, t2), zip(over, t1, t4)), 2), seen.weights); }]],
    ["weighted_precision", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = zip(add, t1, falseAlarms(seen.m)); note(found, t2, "nothing was predicted as {positive}", restNames(namesOf(seen))); note(found, total(rowSums(seen.m)), "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t1, t2), rowSums(seen.m)); }]],
    ["weighted_f_beta", [asClasses, false, (seen, found) => { const t1 = (1.0 * 1.0); const t2 = zip(mul, (1 + t1), diagonal(seen.m)); const t3 = zip(add, zip(add, t2, zip(mul, t1, missed(seen.m))), falseAlarms(seen.m)); note(found, t3, "there is no {positive}, neither true nor predicted", restNames(namesOf(seen))); note(found, total(rowSums(seen.m)), "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t2, t3), rowSums(seen.m)); }]],
    ["macro_jaccard", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = zip(add, zip(add, t1, missed(seen.m)), falseAlarms(seen.m)); note(found, t2, "there is no {positive}, neither true nor predicted", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, t1, t2), seen.weights); }]],
    ["relative_classifier_information", [asClasses, false, (seen, found) => { const t1 = total(zip(entropy, rowSums(seen.m), ofOthers(rowSums(seen.m)))); note(found, t1, "one class holds every example", namesOf(seen)); return over((t1 - everySum(zip(entropy, seen.m, withoutEach(seen.m)))), t1); }]],
    ["confusion_entropy", [asClasses, false, (seen, found) => { if ((seen.m.length < 2)) { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return over((t1 * 0), t1); } const t1 = withoutOwn(seen.m); const t2 = ((2 * total(rowSums(seen.m))) * logarithm((2 * (seen.m.length - 1)))); note(found, t2, "the matrix is empty", namesOf(seen)); return over((everySum(zip(entropy, t1, zip(add, elsewhere(seen.m), newAxis(total(seen.m), 1)))) + everySum(zip(entropy, t1, zip(add, withoutEach(seen.m), newAxis(rowSums(seen.m), 0))))), t2); }]],
    ["mutual_information", [asClasses, false, (seen, found) => { const t1 = (total(rowSums(seen.m)) * logarithm(2)); note(found, t1, "the matrix is empty", namesOf(seen)); return over((total(zip(entropy, rowSums(seen.m), ofOthers(rowSums(seen.m)))) - everySum(zip(entropy, seen.m, withoutEach(seen.m)))), t1); }]],
    ["normalised_mutual_information", [asClasses, false, (seen, found) => { const t1 = total(zip(entropy, rowSums(seen.m), ofOthers(rowSums(seen.m)))); const t2 = (t1 + total(zip(entropy, total(seen.m), ofOthers(total(seen.m))))); note(found, t2, "truth and prediction hold one class only", namesOf(seen)); return over((2 * (t1 - everySum(zip(entropy, seen.m, withoutEach(seen.m))))), t2); }]],
    ["completeness", [asClasses, false, (seen, found) => { const t1 = total(zip(entropy, total(seen.m), ofOthers(total(seen.m)))); note(found, t1, "one class only is predicted", namesOf(seen)); return over((t1 - everySum(zip(entropy, seen.m, elsewhere(seen.m)))), t1); }]],
    ["kl_divergence", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = total(seen.m); note(found, t2, "nothing was predicted as {label}", namesOf(seen)); const t4 = (total(rowSums(seen.m)) * logarithm(2)); note(found, t4, "the matrix is empty", namesOf(seen)); return over((total(zip(over, zip(mul, t1, zip(entropy, t2, ofOthers(total(seen.m)))), t2)) - total(zip(entropy, t1, ofOthers(rowSums(seen.m))))), t4); }]],
    ["modified_confusion_entropy", [asClasses, false, (seen, found) => { if ((seen.m.length === 2)) { if ((seen.m.length < 2)) { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return over((t1 * 0), t1); } const t1 = withoutOwn(seen.m); const t2 = ((2 * total(rowSums(seen.m))) * logarithm((2 * (seen.m.length - 1)))); note(found, t2, "the matrix is empty", namesOf(seen)); return over((everySum(zip(entropy, t1, zip(add, elsewhere(t1), newAxis(total(seen.m), 1)))) + everySum(zip(entropy, t1, zip(add, withoutEach(t1), newAxis(rowSums(seen.m), 0))))), t2); } if ((seen.m.length < 2)) { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return over((t1 * 0), t1); } const t1 = withoutOwn(seen.m); const t2 = ((total(rowSums(seen.m)) + total(missed(seen.m))) * logarithm((2 * (seen.m.length - 1)))); note(found, t2, "the matrix is empty", namesOf(seen)); return over((everySum(zip(entropy, t1, zip(add, elsewhere(t1), newAxis(total(seen.m), 1)))) + everySum(zip(entropy, t1, zip(add, withoutEach(t1), newAxis(rowSums(seen.m), 0))))), t2); }]],
    ["balanced_accuracy", [asClasses, false, (seen, found) => { const t1 = atPriors(seen.m, (1 / seen.m.length)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = total(rowSums(t1)); note(found, t3, "the matrix is empty", namesOf(seen)); return over(total(diagonal(t1)), t3); }]],
    ["balanced_error_rate", [asClasses, false, (seen, found) => { const t1 = atPriors(seen.m, (1 / seen.m.length)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = total(rowSums(t1)); note(found, t3, "the matrix is empty", namesOf(seen)); return over(total(missed(t1)), t3); }]],
    ["balanced_precision", [asSides, false, (seen, found) => { const t1 = atPriors(seen.m, (1 / 2)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = (t1[0][0] + t1[1][0]); note(found, t3, "nothing was predicted as {positive}", namesOf(seen)); return over(t1[0][0], t3); }]],
    ["balanced_f_beta", [asSides, false, (seen, found) => { const t1 = (1.0 * 1.0); const t2 = atPriors(seen.m, (1 / 2)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t4 = ((1 + t1) * t2[0][0]); const t5 = ((t4 + (t1 * t2[0][1])) + t2[1][0]); note(found, t5, "there is no {positive}, neither true nor predicted", namesOf(seen)); return over(t4, t5); }]],
    ["maurpc", [asSides, false, (seen, found) => { const t1 = atPriors(seen.m, (1 / 2)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = takeAxis(rowSums(t1), 0, 0); note(found, t3, "there are no examples of {positive}", namesOf(seen)); const t5 = (t1[0][0] + t1[1][0]); note(found, t5, "nothing was predicted as {positive}", namesOf(seen)); return ((over(t1[0][0], t3) + over(t1[0][0], t5)) / 2); }]],
    ["maurpc_ova", [asClasses, false, (seen, found) => { const t1 = atPriors(seen.m, (1 / seen.m.length)); note(found, rowSums(seen.m), "there are no examples of {label}, so nothing is known about it at other priors", namesOf(seen)); const t3 = diagonal(t1); const t4 = rowSums(t1); note(found, t4, "there are no examples of {positive}", restNames(namesOf(seen))); const t6 = zip(add, t3, falseAlarms(t1)); note(found, t6, "nothing was predicted as {positive}", restNames(namesOf(seen))); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(div, zip(add, zip(over, t3, t4), zip(over, t3, t6)), 2), seen.weights); }]],
    ["iba(gmean, alpha=0.05)", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t4 = takeAxis(t1, 1, 0); note(found, t4, "there are no examples of {negative}", namesOf(seen)); note(found, t1, "there are no examples of {label}", namesOf(seen)); return ((1 + (0.05 * (over(seen.m[0][0], t2) - over(seen.m[1][1], t4)))) * geometricMean(zip(over, diagonal(seen.m), t1), null)); }]],
    ["scott_pi", [asClasses, false, (seen, found) => { const t1 = total(zip(mul, zip(add, rowSums(seen.m), total(seen.m)), zip(add, ofOthers(rowSums(seen.m)), ofOthers(total(seen.m))))); note(found, t1, "truth and prediction are one and the same single class", namesOf(seen)); return over((t1 - ((4 * total(rowSums(seen.m))) * total(missed(seen.m)))), t1); }]],
    ["gwet_ac1", [asClasses, false, (seen, found) => { if ((seen.m.length < 2)) { note(found, 0, "there is one class only", namesOf(seen)); return NaN; } const t1 = total(rowSums(seen.m)); const t2 = ((4 * (seen.m.length - 1)) * t1); const t3 = total(zip(mul, zip(add, rowSums(seen.m), total(seen.m)), zip(add, ofOthers(rowSums(seen.m)), ofOthers(total(seen.m))))); const t4 = ((t2 * t1) - t3); note(found, t4, "the matrix is empty", namesOf(seen)); return over(((t2 * total(diagonal(seen.m))) - t3), t4); }]],
    ["bennett_s", [asClasses, false, (seen, found) => { if ((1 < seen.m.length)) { const t1 = total(rowSums(seen.m)); const t2 = ((seen.m.length - 1) * t1); note(found, t2, "the matrix is empty", namesOf(seen)); return over(((seen.m.length * total(diagonal(seen.m))) - t1), t2); } const t1 = total(rowSums(seen.m)); const t2 = ((seen.m.length - 1) * t1); note(found, t2, "there is one class only", namesOf(seen)); return over(((seen.m.length * total(diagonal(seen.m))) - t1), t2); }]],
    ["krippendorff_alpha", [asClasses, true, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); const t3 = total(zip(mul, zip(add, rowSums(seen.m), total(seen.m)), zip(over, zip(add, ofOthers(rowSums(seen.m)), ofOthers(total(seen.m))), t1))); note(found, t1, "the matrix is empty", namesOf(seen)); note(found, t3, "truth and prediction are one and the same single class", namesOf(seen)); return over((t3 - ((2 * ((2 * t1) - 1)) * over(total(missed(seen.m)), t1))), t3); }]],
    ["linear_weighted_kappa", [asClasses, false, (seen, found) => { const t1 = steps(seen.m.length, 1); const t2 = everySum(zip(mul, zip(mul, t1, newAxis(rowSums(seen.m), 1)), newAxis(total(seen.m), 0))); note(found, t2, "truth and prediction are one and the same single class", namesOf(seen)); return over((t2 - (total(rowSums(seen.m)) * everySum(zip(mul, t1, seen.m)))), t2); }]],
    ["quadratic_weighted_kappa", [asClasses, false, (seen, found) => { const t1 = steps(seen.m.length, 2); const t2 = everySum(zip(mul, zip(mul, t1, newAxis(rowSums(seen.m), 1)), newAxis(total(seen.m), 0))); note(found, t2, "truth and prediction are one and the same single class", namesOf(seen)); return over((t2 - (total(rowSums(seen.m)) * everySum(zip(mul, t1, seen.m)))), t2); }]],
    ["macro_mae", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, seen.weights ? total(seen.weights) : 1, "no class with a defined term has any weight", namesOf(seen)); return mean(zip(over, rowSums(zip(mul, steps(seen.m.length, 1), seen.m)), t1), seen.weights); }]],
    ["bangdiwala_b", [asClasses, false, (seen, found) => { const t1 = diagonal(seen.m); const t2 = total(zip(mul, rowSums(seen.m), total(seen.m))); note(found, t2, "no class that has examples was predicted", namesOf(seen)); return over(total(zip(mul, t1, t1)), t2); }]],
    ["phi_squared", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = total(seen.m); const t3 = total(rowSums(seen.m)); note(found, t3, "the matrix is empty", namesOf(seen)); const t5 = zip(sub, seen.m, zip(mul, newAxis(t1, 1), newAxis(zip(over, t2, t3), 0))); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, t2, "nothing was predicted as {label}", namesOf(seen)); return everySum(zip(mul, zip(mul, t5, newAxis(zip(over, 1, t1), 1)), zip(mul, t5, newAxis(zip(over, 1, t2), 0)))); }]],
    ["chi_squared", [asClasses, true, (seen, found) => { const t1 = total(rowSums(seen.m)); const t2 = rowSums(seen.m); const t3 = total(seen.m); note(found, t1, "the matrix is empty", namesOf(seen)); const t5 = zip(sub, seen.m, zip(mul, newAxis(t2, 1), newAxis(zip(over, t3, t1), 0))); note(found, t2, "there are no examples of {label}", namesOf(seen)); note(found, t3, "nothing was predicted as {label}", namesOf(seen)); return (t1 * everySum(zip(mul, zip(mul, t5, newAxis(zip(over, 1, t2), 1)), zip(mul, t5, newAxis(zip(over, 1, t3), 0))))); }]],
    ["cramer_v", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = total(seen.m); const t3 = total(rowSums(seen.m)); note(found, t3, "the matrix is empty", namesOf(seen)); const t5 = zip(sub, seen.m, zip(mul, newAxis(t1, 1), newAxis(zip(over, t2, t3), 0))); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, t2, "nothing was predicted as {label}", namesOf(seen)); const t8 = ((t3 * 0) + (seen.m.length - 1)); note(found, t8, "there is one class only", namesOf(seen)); return Math.sqrt(over(everySum(zip(mul, zip(mul, t5, newAxis(zip(over, 1, t1), 1)), zip(mul, t5, newAxis(zip(over, 1, t2), 0)))), t8)); }]],
    ["pearson_c", [asClasses, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = total(seen.m); const t3 = total(rowSums(seen.m)); note(found, t3, "the matrix is empty", namesOf(seen)); const t5 = zip(sub, seen.m, zip(mul, newAxis(t1, 1), newAxis(zip(over, t2, t3), 0))); note(found, t1, "there are no examples of {label}", namesOf(seen)); note(found, t2, "nothing was predicted as {label}", namesOf(seen)); const t8 = everySum(zip(mul, zip(mul, t5, newAxis(zip(over, 1, t1), 1)), zip(mul, t5, newAxis(zip(over, 1, t2), 0)))); const t9 = (1 + t8); note(found, t9, "the matrix is empty", namesOf(seen)); return Math.sqrt(over(t8, t9)); }]],
    ["goodman_kruskal_lambda", [asClasses, false, (seen, found) => { const t1 = (-greatest(each(minus, ofOthers(rowSums(seen.m))))); note(found, t1, "one class holds every example", namesOf(seen)); return over((t1 - total(each(minus, greatest(each(minus, withoutEach(seen.m)))))), t1); }]],
    ["goodman_kruskal_lambda_b", [asClasses, false, (seen, found) => { const t1 = (-greatest(each(minus, ofOthers(total(seen.m))))); note(found, t1, "one class only is predicted", namesOf(seen)); return over((t1 - total(each(minus, greatest(each(minus, turned(elsewhere(seen.m))))))), t1); }]],
    ["no_information_rate", [asClasses, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return over(greatest(rowSums(seen.m)), t1); }]],
    ["yule_q", [asSides, false, (seen, found) => { const t1 = (seen.m[0][0] * seen.m[1][1]); const t2 = (seen.m[0][1] * seen.m[1][0]); const t3 = (t1 + t2); note(found, t3, "one of the right cells and one of the wrong ones are empty", namesOf(seen)); return over((t1 - t2), t3); }]],
    ["yule_y", [asSides, false, (seen, found) => { const t1 = rootOfProduct(seen.m[0][0], seen.m[1][1]); const t2 = rootOfProduct(seen.m[0][1], seen.m[1][0]); const t3 = (t1 + t2); note(found, t3, "one of the right cells and one of the wrong ones are empty", namesOf(seen)); return over((t1 - t2), t3); }]],
    ["relative_risk", [asSides, false, (seen, found) => { const t1 = (seen.m[0][0] + seen.m[1][0]); note(found, t1, "nothing was predicted as {positive}", namesOf(seen)); const t3 = (seen.m[1][1] + seen.m[0][1]); const t4 = over(seen.m[0][1], t3); note(found, t3, "nothing was predicted as {negative}", namesOf(seen)); note(found, t4, "no example of {positive} was missed", namesOf(seen)); return over(over(seen.m[0][0], t1), t4); }]],
    ["overlap_coefficient", [asSides, false, (seen, found) => { const t1 = (-Math.max((-takeAxis(rowSums(seen.m), 0, 0)), (-(seen.m[0][0] + seen.m[1][0])))); note(found, t1, "there are no examples of {positive}, or nothing was predicted as it", namesOf(seen)); return over(seen.m[0][0], t1); }]],
    ["braun_blanquet", [asSides, false, (seen, found) => { const t1 = Math.max(takeAxis(rowSums(seen.m), 0, 0), (seen.m[0][0] + seen.m[1][0])); note(found, t1, "there is no {positive}, neither true nor predicted", namesOf(seen)); return over(seen.m[0][0], t1); }]],
    ["tversky(alpha=0.3, beta=0.7)", [asSides, false, (seen, found) => { const t1 = ((seen.m[0][0] + (0.3 * seen.m[1][0])) + (0.7 * seen.m[0][1])); note(found, t1, "there is no {positive}, neither true nor predicted", namesOf(seen)); return over(seen.m[0][0], t1); }]],
    ["p4", [asSides, false, (seen, found) => { const t1 = ((4 * seen.m[0][0]) * seen.m[1][1]); const t2 = (t1 + ((seen.m[0][0] + seen.m[1][1]) * (seen.m[1][0] + seen.m[0][1]))); note(found, t2, "no example was predicted right, or none of one class and nothing wrong", namesOf(seen)); return over(t1, t2); }]],
    ["gilbert_skill_score", [asSides, false, (seen, found) => { const t1 = (seen.m[0][0] * seen.m[1][1]); const t2 = rowSums(seen.m); const t3 = (((seen.m[0][1] * ((takeAxis(t2, 0, 0) + seen.m[1][0]) + seen.m[1][1])) + (seen.m[1][0] * (seen.m[0][0] + takeAxis(t2, 1, 0)))) + t1); note(found, t3, "there is no {positive}, neither true nor predicted, or nothing else", namesOf(seen)); return over((t1 - (seen.m[0][1] * seen.m[1][0])), t3); }]],
    ["sedi", [asSides, false, (seen, found) => { const t1 = over(entropy(seen.m[1][0], seen.m[1][1]), seen.m[1][0]); note(found, seen.m[1][0], "no example of {negative} was predicted as {positive}", namesOf(seen)); const t3 = over(entropy(seen.m[0][0], seen.m[0][1]), seen.m[0][0]); note(found, seen.m[0][0], "no example of {positive} was detected", namesOf(seen)); const t5 = over(entropy(seen.m[1][1], seen.m[1][0]), seen.m[1][1]); note(found, seen.m[1][1], "no example of {negative} was correctly rejected", namesOf(seen)); const t7 = over(entropy(seen.m[0][1], seen.m[0][0]), seen.m[0][1]); note(found, seen.m[0][1], "no example of {positive} was missed", namesOf(seen)); const t9 = (((t1 + t3) + t5) + t7); note(found, t9, "the matrix is empty", namesOf(seen)); return over((((t1 - t3) - t5) + t7), t9); }]],
    ["adjusted_f", [asSides, false, (seen, found) => { const t1 = (5 * seen.m[0][0]); const t2 = (4 * seen.m[0][1]); const t3 = ((t1 + t2) + seen.m[1][0]); note(found, t3, "there is no {positive}, neither true nor predicted", namesOf(seen)); const t5 = (5 * seen.m[1][1]); const t6 = ((t5 + seen.m[1][0]) + t2); note(found, t6, "there is no {negative}, neither true nor predicted", namesOf(seen)); return Math.sqrt((over(t1, t3) * over(t5, t6))); }]],
    ["distance_index", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); const t3 = over(seen.m[0][1], t2); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t5 = takeAxis(t1, 1, 0); const t6 = over(seen.m[1][0], t5); note(found, t5, "there are no examples of {negative}", namesOf(seen)); return Math.sqrt(((t3 * t3) + (t6 * t6))); }]],
    ["similarity_index", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 0, 0); const t3 = over(seen.m[0][1], t2); note(found, t2, "there are no examples of {positive}", namesOf(seen)); const t5 = takeAxis(t1, 1, 0); const t6 = over(seen.m[1][0], t5); note(found, t5, "there are no examples of {negative}", namesOf(seen)); return (1 - (Math.sqrt(((t3 * t3) + (t6 * t6))) / Math.sqrt(2))); }]],
    ["prevalence_threshold", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = takeAxis(t1, 1, 0); note(found, t2, "there are no examples of {negative}", namesOf(seen)); const t4 = Math.sqrt(over(seen.m[1][0], t2)); const t5 = takeAxis(t1, 0, 0); note(found, t5, "there are no examples of {positive}", namesOf(seen)); const t7 = (Math.sqrt(over(seen.m[0][0], t5)) + t4); note(found, t7, "nothing was predicted as {positive}", namesOf(seen)); return over(t4, t7); }]],
    ["detection_prevalence", [asSides, false, (seen, found) => { const t1 = total(rowSums(seen.m)); note(found, t1, "the matrix is empty", namesOf(seen)); return over((seen.m[0][0] + seen.m[1][0]), t1); }]],
    ["correlation_distance", [asClasses, false, (seen, found) => { const t1 = rootOfProduct(total(zip(mul, rowSums(seen.m), ofOthers(rowSums(seen.m)))), total(zip(mul, total(seen.m), ofOthers(total(seen.m))))); note(found, t1, "the truth holds one class only, or one class only is predicted", namesOf(seen)); return each(halfTurns, zip(over, aboveChance(seen.m), t1)); }]],
    ["generalised_means", [asSides, false, (seen, found) => { const t1 = rowSums(seen.m); const t2 = ((takeAxis(t1, 0, 0) * takeAxis(t1, 1, 0)) + ((seen.m[0][0] + seen.m[1][0]) * (seen.m[0][1] + seen.m[1][1]))); note(found, t2, "truth and prediction hold one class each", namesOf(seen)); return over((2 * ((seen.m[0][0] * seen.m[1][1]) - (seen.m[0][1] * seen.m[1][0]))), t2); }]],
  ]);
})();
/** The metrics by id: name with parameters, title, kind, which end is better, formula. */
export const METRICS = {
 "accuracy": {
  "better": "higher",
  "formula": "sum(hits) / n",
  "kind": "multi-class",
  "name": "accuracy",
  "title": "Accuracy"
 },
 "adjusted_f": {
  "better": "higher",
  "formula": "sqrt(5 * tp / (5 * tp + 4 * fn + fp) * 5 * tn / (5 * tn + fp + 4 * fn))",
  "kind": "two-class",
  "name": "adjusted_f",
  "title": "Adjusted F-score"
 },
 "adjusted_gmean": {
  "better": "higher",
  "formula": "where(tp / (tp + fn) == 0, 0, (sqrt(tp / (tp + fn) * tn / (fp + tn)) + tn / (fp + tn) * (fp + tn) / n) / (1 + (fp + tn) / n))",
  "kind": "two-class",
  "name": "adjusted_gmean",
  "title": "Adjusted geometric mean"
 },
 "auc_point": {
  "better": "higher",
  "formula": "(tp / (tp + fn) + tn / (fp + tn)) / 2",
  "kind": "two-class",
  "name": "auc_point",
  "title": "AUC of a single operating point"
 },
 "auroc_ova": {
  "better": "higher",
  "formula": "mean((hits / actual + rejected / (n - actual)) / 2)",
  "kind": "multi-class",
  "name": "auroc_ova",
  "title": "AUROC, one versus all, of a single operating point"
 },
 "auroc_ovo": {
  "better": "higher",
  "formula": "mean((1 + hits / actual - sum(off_diagonal(m / actual_i), axis=0) / (C - 1)) / 2)",
  "kind": "multi-class",
  "name": "auroc_ovo",
  "title": "AUROC, one versus one, of a single operating point"
 },
 "aurpc_ova": {
  "better": "higher",
  "formula": "mean((hits / actual + hits / (hits + false_alarms)) / 2)",
  "kind": "multi-class",
  "name": "aurpc_ova",
  "title": "Area under the recall-precision curve, one versus all"
 },
 "aurpc_point": {
  "better": "higher",
  "formula": "(tp / (tp + fn) + tp / (tp + fp)) / 2",
  "kind": "two-class",
  "name": "aurpc_point",
  "title": "Area under the recall-precision curve of a single point"
 },
 "average_accuracy": {
  "better": "higher",
  "formula": "mean(sum(hits) / (sum(hits) + missed + false_alarms))",
  "kind": "multi-class",
  "name": "average_accuracy",
  "title": "Average accuracy (branco2017)"
 },
 "balanced_accuracy": {
  "better": "higher",
  "formula": "sum(hits) / n, with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "multi-class",
  "name": "balanced_accuracy",
  "title": "Balanced accuracy"
 },
 "balanced_error_rate": {
  "better": "lower",
  "formula": "sum(missed) / n, with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "multi-class",
  "name": "balanced_error_rate",
  "title": "Balanced error rate"
 },
 "balanced_f_beta": {
  "better": "higher",
  "formula": "2 * tp / (2 * tp + fn + fp), with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "two-class",
  "name": "balanced_f_beta",
  "title": "Balanced F-measure"
 },
 "balanced_precision": {
  "better": "higher",
  "formula": "tp / (tp + fp), with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "two-class",
  "name": "balanced_precision",
  "title": "Balanced precision"
 },
 "bangdiwala_b": {
  "better": "higher",
  "formula": "sum(hits * hits) / sum(actual * predicted)",
  "kind": "multi-class",
  "name": "bangdiwala_b",
  "title": "Bangdiwala's B"
 },
 "bennett_s": {
  "better": "higher",
  "formula": "(C * sum(hits) - n) / ((C - 1) * n)",
  "kind": "multi-class",
  "name": "bennett_s",
  "title": "Bennett's S"
 },
 "braun_blanquet": {
  "better": "higher",
  "formula": "tp / max(tp + fn, tp + fp)",
  "kind": "two-class",
  "name": "braun_blanquet",
  "title": "Braun-Blanquet similarity"
 },
 "chi_squared": {
  "better": "higher",
  "formula": "n * sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j)",
  "kind": "multi-class",
  "name": "chi_squared",
  "title": "Pearson's chi-squared"
 },
 "class_balance_accuracy": {
  "better": "higher",
  "formula": "mean(hits / max(actual, predicted))",
  "kind": "multi-class",
  "name": "class_balance_accuracy",
  "title": "Class balance accuracy"
 },
 "class_weighted_accuracy": {
  "better": "higher",
  "formula": "0.5 * tp / (tp + fn) + 0.5 * tn / (fp + tn)",
  "kind": "two-class",
  "name": "class_weighted_accuracy(w=0.5)",
  "title": "Class-weighted accuracy"
 },
 "completeness": {
  "better": "higher",
  "formula": "(sum(predicted * log(n / predicted)) - sum(m * log(actual_i / m))) / sum(predicted * log(n / predicted))",
  "kind": "multi-class",
  "name": "completeness",
  "title": "Completeness"
 },
 "confusion_entropy": {
  "better": "lower",
  "formula": "where(C < 2, n * 0 / n, (sum(off_diagonal(m) * log((off_diagonal(m) + elsewhere + predicted_i) / off_diagonal(m))) + sum(off_diagonal(m) * log((off_diagonal(m) + of_others + actual_j) / off_diagonal(m)))) / (2 * n * log(2 * (C - 1))))",
  "kind": "multi-class",
  "name": "confusion_entropy",
  "title": "Confusion entropy"
 },
 "correlation_distance": {
  "better": "lower",
  "formula": "arccos((n * sum(hits) - sum(actual * predicted)) / sqrt(sum(actual * (n - actual)) * sum(predicted * (n - predicted)))) / pi",
  "kind": "multi-class",
  "name": "correlation_distance",
  "title": "Correlation distance"
 },
 "cramer_v": {
  "better": "higher",
  "formula": "sqrt(sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j) / (n * 0 + C - 1))",
  "kind": "multi-class",
  "name": "cramer_v",
  "title": "Cram\u00e9r's V"
 },
 "detection_prevalence": {
  "better": "neither",
  "formula": "(tp + fp) / n",
  "kind": "two-class",
  "name": "detection_prevalence",
  "title": "Detection prevalence"
 },
 "diagnostic_odds_ratio": {
  "better": "higher",
  "formula": "tp / fn * tn / fp",
  "kind": "two-class",
  "name": "diagnostic_odds_ratio",
  "title": "Diagnostic odds ratio"
 },
 "distance_index": {
  "better": "lower",
  "formula": "sqrt(fn / (tp + fn) * fn / (tp + fn) + fp / (fp + tn) * fp / (fp + tn))",
  "kind": "two-class",
  "name": "distance_index",
  "title": "Distance to the corner of the ROC plane"
 },
 "dominance": {
  "better": "neither",
  "formula": "tp / (tp + fn) - tn / (fp + tn)",
  "kind": "two-class",
  "name": "dominance",
  "title": "Dominance"
 },
 "error_rate": {
  "better": "lower",
  "formula": "sum(missed) / n",
  "kind": "multi-class",
  "name": "error_rate",
  "title": "Error rate"
 },
 "f_beta": {
  "better": "higher",
  "formula": "2 * tp / (2 * tp + fn + fp)",
  "kind": "two-class",
  "name": "f_beta",
  "title": "F-measure"
 },
 "f_beta_of_macros": {
  "better": "higher",
  "formula": "2 * mean(hits / predicted) * mean(hits / actual) / (mean(hits / predicted) + mean(hits / actual))",
  "kind": "multi-class",
  "name": "f_beta_of_macros",
  "title": "F-measure of macro precision and macro recall"
 },
 "false_discovery_rate": {
  "better": "lower",
  "formula": "fp / (tp + fp)",
  "kind": "two-class",
  "name": "false_discovery_rate",
  "title": "False discovery rate"
 },
 "false_omission_rate": {
  "better": "lower",
  "formula": "fn / (tn + fn)",
  "kind": "two-class",
  "name": "false_omission_rate",
  "title": "False omission rate"
 },
 "fnr": {
  "better": "lower",
  "formula": "fn / (tp + fn)",
  "kind": "two-class",
  "name": "fnr",
  "title": "False negative rate"
 },
 "fowlkes_mallows": {
  "better": "higher",
  "formula": "sqrt(tp / (tp + fp) * tp / (tp + fn))",
  "kind": "two-class",
  "name": "fowlkes_mallows",
  "title": "Fowlkes-Mallows index"
 },
 "fpr": {
  "better": "lower",
  "formula": "fp / (fp + tn)",
  "kind": "two-class",
  "name": "fpr",
  "title": "False positive rate"
 },
 "generalised_means": {
  "better": "higher",
  "formula": "2 * (tp * tn - fn * fp) / ((tp + fn) * (fp + tn) + (tp + fp) * (fn + tn))",
  "kind": "two-class",
  "name": "generalised_means",
  "title": "Generalised means of the variances"
 },
 "gilbert_skill_score": {
  "better": "higher",
  "formula": "(tp * tn - fn * fp) / (fn * (tp + fn + fp + tn) + fp * (tp + fp + tn) + tp * tn)",
  "kind": "two-class",
  "name": "gilbert_skill_score",
  "title": "Gilbert skill score"
 },
 "gmean": {
  "better": "higher",
  "formula": "geometric_mean(hits / actual)",
  "kind": "multi-class",
  "name": "gmean",
  "title": "Geometric mean of the class recalls"
 },
 "goodman_kruskal_lambda": {
  "better": "higher",
  "formula": "(least(n - actual) - sum(least(of_others))) / least(n - actual)",
  "kind": "multi-class",
  "name": "goodman_kruskal_lambda",
  "title": "Goodman and Kruskal's lambda"
 },
 "goodman_kruskal_lambda_b": {
  "better": "higher",
  "formula": "(least(n - predicted) - sum(least(transpose(elsewhere)))) / least(n - predicted)",
  "kind": "multi-class",
  "name": "goodman_kruskal_lambda_b",
  "title": "Goodman and Kruskal's lambda of the prediction"
 },
 "gwet_ac1": {
  "better": "higher",
  "formula": "(4 * (C - 1) * n * sum(hits) - sum((actual + predicted) * (n - actual + n - predicted))) / (4 * (C - 1) * n * n - sum((actual + predicted) * (n - actual + n - predicted)))",
  "kind": "multi-class",
  "name": "gwet_ac1",
  "title": "Gwet's AC1"
 },
 "iba": {
  "better": "higher",
  "formula": "(1 + 0.05 (TPr - TNr)) times gmean",
  "kind": "two-class",
  "name": "iba(gmean, alpha=0.05)",
  "title": "Index of balanced accuracy of gmean with alpha = 0.05"
 },
 "imbalance_accuracy": {
  "better": "higher",
  "formula": "mean((hits - max(missed, false_alarms)) / max(actual, predicted))",
  "kind": "multi-class",
  "name": "imbalance_accuracy",
  "title": "Imbalance accuracy metric"
 },
 "informedness": {
  "better": "higher",
  "formula": "tp / (tp + fn) + tn / (fp + tn) - 1",
  "kind": "two-class",
  "name": "informedness",
  "title": "Informedness (Youden's J)"
 },
 "kappa": {
  "better": "higher",
  "formula": "(n * sum(hits) - sum(actual * predicted)) / sum(actual * (n - predicted))",
  "kind": "multi-class",
  "name": "kappa",
  "title": "Cohen's kappa"
 },
 "kl_divergence": {
  "better": "lower",
  "formula": "(sum(actual * predicted * log(n / predicted) / predicted) - sum(actual * log(n / actual))) / (n * log(2))",
  "kind": "multi-class",
  "name": "kl_divergence",
  "title": "Kullback-Leibler divergence of the class shares"
 },
 "krippendorff_alpha": {
  "better": "higher",
  "formula": "(sum((actual + predicted) * (n - actual + n - predicted) / n) - 2 * (2 * n - 1) * sum(missed) / n) / sum((actual + predicted) * (n - actual + n - predicted) / n)",
  "kind": "multi-class",
  "name": "krippendorff_alpha",
  "title": "Krippendorff's alpha"
 },
 "lift": {
  "better": "higher",
  "formula": "tp / (tp + fp) / ((tp + fn) / n)",
  "kind": "two-class",
  "name": "lift",
  "title": "Lift"
 },
 "linear_weighted_kappa": {
  "better": "higher",
  "formula": "(sum(abs(i - j) * actual_i * predicted_j) - n * sum(abs(i - j) * m)) / sum(abs(i - j) * actual_i * predicted_j)",
  "kind": "multi-class",
  "name": "linear_weighted_kappa",
  "title": "Kappa, weighted linearly"
 },
 "macro_f_beta": {
  "better": "higher",
  "formula": "mean(2 * hits / (2 * hits + missed + false_alarms))",
  "kind": "multi-class",
  "name": "macro_f_beta",
  "title": "Macro F-measure"
 },
 "macro_jaccard": {
  "better": "higher",
  "formula": "mean(hits / (hits + missed + false_alarms))",
  "kind": "multi-class",
  "name": "macro_jaccard",
  "title": "Macro Jaccard index"
 },
 "macro_mae": {
  "better": "lower",
  "formula": "mean(sum(abs(i - j) * m, axis=1) / actual)",
  "kind": "multi-class",
  "name": "macro_mae",
  "title": "Macro-averaged mean absolute error"
 },
 "macro_precision": {
  "better": "higher",
  "formula": "mean(hits / (hits + false_alarms))",
  "kind": "multi-class",
  "name": "macro_precision",
  "title": "Macro precision"
 },
 "macro_recall": {
  "better": "higher",
  "formula": "mean(hits / actual)",
  "kind": "multi-class",
  "name": "macro_recall",
  "title": "Macro recall"
 },
 "markedness": {
  "better": "higher",
  "formula": "tp / (tp + fp) + tn / (tn + fn) - 1",
  "kind": "two-class",
  "name": "markedness",
  "title": "Markedness"
 },
 "maurpc": {
  "better": "higher",
  "formula": "(tp / (tp + fn) + tp / (tp + fp)) / 2, with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "two-class",
  "name": "maurpc",
  "title": "Modified area under the recall-precision curve of a single point"
 },
 "maurpc_ova": {
  "better": "higher",
  "formula": "mean((hits / actual + hits / (hits + false_alarms)) / 2), with m_ij replaced by w_i m_ij / t_i, w_i = 1/C",
  "kind": "multi-class",
  "name": "maurpc_ova",
  "title": "Modified area under the recall-precision curve, one versus all"
 },
 "mcc": {
  "better": "higher",
  "formula": "(n * sum(hits) - sum(actual * predicted)) / sqrt(sum(actual * (n - actual)) * sum(predicted * (n - predicted)))",
  "kind": "multi-class",
  "name": "mcc",
  "title": "Matthews correlation coefficient"
 },
 "mean_binary_accuracy": {
  "better": "higher",
  "formula": "mean((hits + rejected) / n)",
  "kind": "multi-class",
  "name": "mean_binary_accuracy",
  "title": "Mean accuracy of each class against the rest"
 },
 "modified_confusion_entropy": {
  "better": "lower",
  "formula": "where(C < 2, n * 0 / n, where(C == 2, (sum(off_diagonal(m) * log((off_diagonal(m) + sum_of_others(off_diagonal(m)) + predicted_i) / off_diagonal(m))) + sum(off_diagonal(m) * log((off_diagonal(m) + sum_of_others(off_diagonal(m)) + actual_j) / off_diagonal(m)))) / (2 * n * log(2 * (C - 1))), (sum(off_diagonal(m) * log((off_diagonal(m) + sum_of_others(off_diagonal(m)) + predicted_i) / off_diagonal(m))) + sum(off_diagonal(m) * log((off_diagonal(m) + sum_of_others(off_diagonal(m)) + actual_j) / off_diagonal(m)))) / ((n + sum(missed)) * log(2 * (C - 1)))))",
  "kind": "multi-class",
  "name": "modified_confusion_entropy",
  "title": "Modified confusion entropy"
 },
 "mutual_information": {
  "better": "higher",
  "formula": "(sum(actual * log(n / actual)) - sum(m * log(predicted_j / m))) / (n * log(2))",
  "kind": "multi-class",
  "name": "mutual_information",
  "title": "Mutual information of truth and prediction"
 },
 "nauroc_ova": {
  "better": "higher",
  "formula": "(mean((hits / actual + rejected / (n - actual)) / 2) - (C - 2) / (2 * C)) / (1 - (C - 2) / (2 * C))",
  "kind": "multi-class",
  "name": "nauroc_ova",
  "title": "Normalised AUROC, one versus all"
 },
 "negative_likelihood_ratio": {
  "better": "lower",
  "formula": "fn / (tp + fn) / (tn / (fp + tn))",
  "kind": "two-class",
  "name": "negative_likelihood_ratio",
  "title": "Negative likelihood ratio"
 },
 "negative_predictive_value": {
  "better": "higher",
  "formula": "tn / (tn + fn)",
  "kind": "two-class",
  "name": "negative_predictive_value",
  "title": "Negative predictive value"
 },
 "no_information_rate": {
  "better": "neither",
  "formula": "greatest(actual) / n",
  "kind": "multi-class",
  "name": "no_information_rate",
  "title": "No-information rate"
 },
 "normalised_mutual_information": {
  "better": "higher",
  "formula": "2 * (sum(actual * log(n / actual)) - sum(m * log(predicted_j / m))) / (sum(actual * log(n / actual)) + sum(predicted * log(n / predicted)))",
  "kind": "multi-class",
  "name": "normalised_mutual_information",
  "title": "Normalised mutual information"
 },
 "optimized_precision": {
  "better": "higher",
  "formula": "(tp + tn) / n - abs(tn / (fp + tn) - tp / (tp + fn)) / (tn / (fp + tn) + tp / (tp + fn))",
  "kind": "two-class",
  "name": "optimized_precision",
  "title": "Optimized precision"
 },
 "overlap_coefficient": {
  "better": "higher",
  "formula": "tp / min(tp + fn, tp + fp)",
  "kind": "two-class",
  "name": "overlap_coefficient",
  "title": "Overlap coefficient"
 },
 "p4": {
  "better": "higher",
  "formula": "4 * tp * tn / (4 * tp * tn + (tp + tn) * (fp + fn))",
  "kind": "two-class",
  "name": "p4",
  "title": "P4"
 },
 "pearson_c": {
  "better": "higher",
  "formula": "sqrt(sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j) / (1 + sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j)))",
  "kind": "multi-class",
  "name": "pearson_c",
  "title": "Pearson's contingency coefficient"
 },
 "phi_squared": {
  "better": "higher",
  "formula": "sum((m - actual_i * predicted_j / n) * 1 / actual_i * (m - actual_i * predicted_j / n) * 1 / predicted_j)",
  "kind": "multi-class",
  "name": "phi_squared",
  "title": "Mean square contingency"
 },
 "positive_likelihood_ratio": {
  "better": "higher",
  "formula": "tp / (tp + fn) / (fp / (fp + tn))",
  "kind": "two-class",
  "name": "positive_likelihood_ratio",
  "title": "Positive likelihood ratio"
 },
 "precision": {
  "better": "higher",
  "formula": "tp / (tp + fp)",
  "kind": "two-class",
  "name": "precision",
  "title": "Precision"
 },
 "prevalence": {
  "better": "neither",
  "formula": "(tp + fn) / n",
  "kind": "two-class",
  "name": "prevalence",
  "title": "Prevalence"
 },
 "prevalence_threshold": {
  "better": "lower",
  "formula": "sqrt(fp / (fp + tn)) / (sqrt(tp / (tp + fn)) + sqrt(fp / (fp + tn)))",
  "kind": "two-class",
  "name": "prevalence_threshold",
  "title": "Prevalence threshold"
 },
 "quadratic_weighted_kappa": {
  "better": "higher",
  "formula": "(sum(abs(i - j)^2 * actual_i * predicted_j) - n * sum(abs(i - j)^2 * m)) / sum(abs(i - j)^2 * actual_i * predicted_j)",
  "kind": "multi-class",
  "name": "quadratic_weighted_kappa",
  "title": "Kappa, weighted quadratically"
 },
 "recall": {
  "better": "higher",
  "formula": "tp / (tp + fn)",
  "kind": "two-class",
  "name": "recall",
  "title": "Recall"
 },
 "relative_classifier_information": {
  "better": "higher",
  "formula": "(sum(actual * log(n / actual)) - sum(m * log(predicted_j / m))) / sum(actual * log(n / actual))",
  "kind": "multi-class",
  "name": "relative_classifier_information",
  "title": "Relative classifier information"
 },
 "relative_risk": {
  "better": "higher",
  "formula": "tp / (tp + fp) / (fn / (tn + fn))",
  "kind": "two-class",
  "name": "relative_risk",
  "title": "Relative risk"
 },
 "scott_pi": {
  "better": "higher",
  "formula": "(sum((actual + predicted) * (n - actual + n - predicted)) - 4 * n * sum(missed)) / sum((actual + predicted) * (n - actual + n - predicted))",
  "kind": "multi-class",
  "name": "scott_pi",
  "title": "Scott's pi"
 },
 "sedi": {
  "better": "higher",
  "formula": "(fp * log((fp + tn) / fp) / fp - tp * log((tp + fn) / tp) / tp - tn * log((tn + fp) / tn) / tn + fn * log((fn + tp) / fn) / fn) / (fp * log((fp + tn) / fp) / fp + tp * log((tp + fn) / tp) / tp + tn * log((tn + fp) / tn) / tn + fn * log((fn + tp) / fn) / fn)",
  "kind": "two-class",
  "name": "sedi",
  "title": "Symmetric extremal dependence index"
 },
 "similarity_index": {
  "better": "higher",
  "formula": "1 - sqrt(fn / (tp + fn) * fn / (tp + fn) + fp / (fp + tn) * fp / (fp + tn)) / sqrt(2)",
  "kind": "two-class",
  "name": "similarity_index",
  "title": "Similarity index"
 },
 "specificity": {
  "better": "higher",
  "formula": "tn / (fp + tn)",
  "kind": "two-class",
  "name": "specificity",
  "title": "Specificity"
 },
 "threat_score": {
  "better": "higher",
  "formula": "tp / (tp + fn + fp)",
  "kind": "two-class",
  "name": "threat_score",
  "title": "Threat score (Jaccard index)"
 },
 "tversky": {
  "better": "higher",
  "formula": "tp / (tp + 0.3 * fp + 0.7 * fn)",
  "kind": "two-class",
  "name": "tversky(alpha=0.3, beta=0.7)",
  "title": "Tversky index"
 },
 "weighted_f_beta": {
  "better": "higher",
  "formula": "mean(2 * hits / (2 * hits + missed + false_alarms), weights=actual)",
  "kind": "multi-class",
  "name": "weighted_f_beta",
  "title": "F-measure, weighted by class frequency"
 },
 "weighted_precision": {
  "better": "higher",
  "formula": "mean(hits / (hits + false_alarms), weights=actual)",
  "kind": "multi-class",
  "name": "weighted_precision",
  "title": "Precision, weighted by class frequency"
 },
 "yule_q": {
  "better": "higher",
  "formula": "(tp * tn - fn * fp) / (tp * tn + fn * fp)",
  "kind": "two-class",
  "name": "yule_q",
  "title": "Yule's Q"
 },
 "yule_y": {
  "better": "higher",
  "formula": "(sqrt(tp * tn) - sqrt(fn * fp)) / (sqrt(tp * tn) + sqrt(fn * fp))",
  "kind": "two-class",
  "name": "yule_y",
  "title": "Yule's Y"
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

/** The value of a metric and, where it is undefined, why: { value, why }. */
export function metric(name, matrix, { positive = undefined } = {}) {
  const wanted = asked(name);
  const { rows, labels } = checked(matrix);
  let place = labels.length - 1;
  if (wanted.kind === "two-class") {
    if (positive === undefined) {
      if (labels.length !== 2) refuse(`${name} needs a positive class: { positive: ... }`);
      place = conventional(rows, labels);
    } else {
      place = labels.indexOf(positive);
      if (place < 0) refuse(`there is no class ${positive}`);
    }
  }
  const named = Array.isArray(matrix) || matrix.labels === undefined ? {} : { labels: labels.map(String) };
  return weigh[wanted.name](rows, { ...named, positive: place });
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
