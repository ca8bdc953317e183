// What would the counts be there? The rates of the classes stay as they are; the shares of the classes change.

const expanded = new WeakMap();

const rowsOf = (model, size) => {
  if (model.rows) return model.rows.map((row) => row.slice()); // what was computed is kept by matrix, so none may change
  const known = expanded.get(model);
  if (known) return known;
  const rows = Array.from({ length: size }, () => new Array(size).fill(0));
  for (let k = 0; k < model.cells.length; k += 3) rows[model.cells[k]][model.cells[k + 1]] = model.cells[k + 2];
  expanded.set(model, rows);
  return rows;
};

const atThreshold = (data, at) => {
  const { tp, fp, positives, negatives } = data.curve;
  const cells = [
    [tp[at], positives - tp[at]],
    [fp[at], negatives - fp[at]],
  ];
  const [first, second] = data.positive === 0 ? [0, 1] : [1, 0];
  return [first, second].map((i) => [cells[i][first], cells[i][second]]);
};

const sumOf = (numbers) => numbers.reduce((a, b) => a + b, 0);

// Each row scaled to the share of its class, as Measure.at_priors does; and why that cannot be done, in words.
const atPriors = (rows, priors, data) => {
  const sizes = rows.map(sumOf);
  const known = data.listed ? sizes.map(() => true) : sizes.map((t, i) => t > 0 || rows.some((row) => row[i] > 0));
  const empty = sizes.findIndex((t, i) => t === 0 && (known[i] || priors[i] > 0));
  if (empty >= 0) {
    const name = data.labels[empty];
    return { rows, why: `there are no examples of class '${name}', so nothing is known about it at other priors` };
  }
  return { rows: rows.map((row, i) => row.map((x) => (sizes[i] ? x * (priors[i] * (1 / sizes[i])) : 0))), why: null };
};

// Shares of a balanced test set: of all classes, or of those that are there where the others were not named.
const evenShares = (data) => {
  const rows = rowsOf(data.models[0], data.labels.length);
  const there = rows.map((row, i) => data.listed || sumOf(row) > 0 || rows.some((other) => other[i] > 0));
  const many = there.filter(Boolean).length || 1;
  return there.map((is) => (is ? 1 / many : 0));
};

const relevanceOf = (data, order) => {
  if (!order) return null;
  if (order === "given") return data.relevance;
  const scores = new Array(order.length);
  order.forEach((i, k) => (scores[i] = (order.length - k) / order.length));
  return scores;
};

const worldOf = (data, state) => {
  const weights = relevanceOf(data, state.order);
  const models = data.models.map((model) => {
    const own = state.at === null || !data.curve ? rowsOf(model, data.labels.length) : atThreshold(data, state.at);
    const there = state.priors ? atPriors(own, state.priors, data) : { rows: own, why: null };
    return { name: model.name, own, ...there };
  });
  return { models, weights };
};

// Options of every function of a measure, and its value with the words of why there is none; found once for a model in a world.
const found = new WeakMap();

const valueOf = (data, functions, about, model, weights) => {
  if (!found.has(model)) found.set(model, new Map());
  const known = found.get(model);
  const seen = known.get(about);
  if (seen && seen.weights === weights) return seen.result;
  const result = computed(data, functions, about, model, weights);
  known.set(about, { weights, result });
  return result;
};

const computed = (data, functions, about, model, weights) => {
  if (model.why) return { value: NaN, why: model.why };
  const options = { labels: data.labels, listed: data.listed };
  if (data.positive !== null) options.positive = data.positive;
  if (weights && about.over) options.weights = weights;
  const weigh = functions[about.name];
  return weigh ? weigh(model.rows, options) : about.own(model.rows, options);
};

const costOf = (rows, costs) => {
  const whole = sumOf(rows.map(sumOf));
  const spent = Object.entries(costs).map(([pair, cost]) => {
    const [truth, called] = pair.split("-").map(Number);
    return cost * rows[truth][called];
  });
  return whole ? sumOf(spent) / whole : NaN;
};
