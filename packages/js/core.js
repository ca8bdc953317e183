// Confusion matrices, metrics and thresholds. `weigh` and `METRICS` are written below by tools/write_js.py.

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
