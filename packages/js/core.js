// Confusion matrices, metrics, intervals and thresholds. tools/write_js.py puts `weigh`, `METRICS` and intervals.js before it.

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
