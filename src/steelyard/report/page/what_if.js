// What if: prevalence, threshold and costs; everything marked as live follows. The state stands in the address.
const data = JSON.parse($("#data").textContent);
const two = data.labels.length === 2;
const start = () => ({ shares: [...data.shares], step: data.step, cost: [...data.costs] });
const state = start();
const logit = (p) => Math.log(p / (1 - p));
const LEAST = logit(0.0001), MOST = logit(0.9);
const same = (a, b) => Math.abs(a - b) < 1e-6;
const outputs = {};
const put = (name, text) => { for (const element of (outputs[name] ||= $$(`[data-out="${name}"]`))) if (element.textContent !== text) element.textContent = text; };
const bars = Object.fromEntries($$("[data-bar]").map((element) => [element.dataset.bar, element]));
const presets = $$("[data-preset]"), commands = $$("[data-cmd=state]");
const metricRows = $$("tr[data-metric]").map((row, k) => ({ ...data.rows[k], dot: $("[data-part=dot]", row), shift: $("[data-part=shift]", row), now: $(".now", row), change: $(".chg", row) }));
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

const cellsOfModel = (model) => {
  if (data.steps && state.step !== data.step) {
    const [, tp, fp] = data.steps[state.step];
    return [[tp, data.sizes[0] - tp], [fp, data.sizes[1] - fp]];
  }
  if (model.rows) return model.rows;
  const rows = data.labels.map(() => new Float64Array(data.labels.length));
  for (let k = 0; k < model.cells.length; k += 3) rows[model.cells[k]][model.cells[k + 1]] = model.cells[k + 2];
  return (model.rows = rows.map((row) => [...row]));
};
const expected = (rows, shares) => rows.map((row, i) => { const size = sum(row); return row.map((cell) => (size ? (cell / size) * shares[i] : 0)); });
const isTestSet = () => state.shares.every((share, i) => same(share, data.shares[i])) && state.step === data.step;
const options = { labels: data.labels, listed: data.listed, ...(data.positive === null ? {} : { positive: 0 }) };
const value = (name, rows) => {
  const [kind, place] = name.split(":");
  if (kind === "class precision") { const called = sum(rows.map((row) => row[place])); return called ? rows[place][place] / called : NaN; }
  return steelyardMeasures[name](rows, options).value;
};
const place = (row, v) => `${Math.min(1, Math.max(0, (v - row.low) / (row.high - row.low))) * 100}%`;
const priced = () => state.cost.every((cost) => cost !== null);
const quoted = (text) => (/^[\w.,:=>\/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function move(name, mark, x, y) {
  const chart = charts[name], element = chart?.seen && chart.live[mark]; // charts out of sight are drawn when they come into sight
  if (!element) return;
  if (element.tagName === "path") element.setAttribute("d", pathOf(chart, x, y));
  else if (element.tagName === "circle") set(element, { cx: chart.x(x), cy: chart.y(y) });
  else set(element, { x1: chart.x(x), x2: chart.x(x) });
}
function commandNow() {
  const moved = data.steps && state.step !== data.step;
  let text = moved ? `${data.command_scores} --threshold ${data.steps[state.step][0]}` : data.command;
  if (!state.shares.every((share, i) => same(share, data.shares[i]))) {
    if (data.range) { const [a, b] = [state.shares[0], data.shares[0]].map((v) => +v.toPrecision(3)).sort((x, y) => x - y); text += ` --priors-range ${quoted(`${data.labels[0]}=${a}..${b}`)}`; }
    else if (two) text += ` --priors ${+state.shares[0].toPrecision(3)}`;
    else {
      const rounded = state.shares.map((share) => Math.max(1, Math.round(share * 1e4)));
      rounded[rounded.indexOf(Math.max(...rounded))] += 1e4 - sum(rounded);
      text += ` --priors ${quoted(data.labels.map((label, i) => `${label}=${rounded[i] / 1e4}`).join(", "))}`;
    }
  }
  if (two && priced() && !state.cost.every((cost, i) => cost === data.costs[i])) text += ` --cost ${quoted(`${data.labels[0]}>${data.labels[1]}=${state.cost[0]}, ${data.labels[1]}>${data.labels[0]}=${state.cost[1]}`)}`;
  return text;
}
const presetOn = (name) => ({
  test: state.shares.every((share, i) => same(share, data.shares[i])),
  balanced: state.shares.every((share) => same(share, 1 / state.shares.length)),
  yours: data.yours && state.shares.every((share, i) => same(share, data.yours[i])),
  labelled: state.step === data.step,
  best: state.step === data.best,
}[name]);

function drawTwo(matrices) {
  const rows = 10000;
  const most = Math.max(...matrices.map((m) => m[0][0] + Math.max(m[0][1], m[1][0]))) * rows;
  const share = (v) => `${(v / most) * 100}%`;
  matrices.forEach((matrix, k) => {
    const [tp, fn, fp] = [matrix[0][0], matrix[0][1], matrix[1][0]].map((v) => v * rows);
    set(bars[`tp1-${k}`], { width: share(tp) });
    set(bars[`fn-${k}`], { x: share(tp), width: share(fn) });
    set(bars[`tp2-${k}`], { width: share(tp) });
    set(bars[`fp-${k}`], { x: share(tp), width: share(fp) });
    for (const [name, v] of Object.entries({ actual: tp + fn, alerts: tp + fp, tp, fn, fp })) put(name + k, whole(v));
    put(`fdr${k}`, tp + fp ? percentOf(fp / (tp + fp)) : "no alerts");
  });
  put("pi", percentOf(state.shares[0]));
  const cost = (m) => (m[0][1] * state.cost[0] + m[1][0] * state.cost[1]) * rows;
  put("cost", priced() ? matrices.map((m, k) => (matrices.length > 1 ? `${data.models[k].name} ` : "") + whole(cost(m))).join(", ") : "enter both costs");
  if (!priced() || !data.steps) return;
  const [positives, negatives] = data.sizes;
  const at = ([, tp, fp]) => ((positives - tp) / positives) * state.shares[0] * state.cost[0] + (fp / negatives) * state.shares[1] * state.cost[1];
  const cheapest = data.steps.reduce((best, step, k) => (at(step) < at(data.steps[best]) ? k : best), 0);
  put("cheap", `Cheapest threshold at these costs: ${thresholdOf(cheapest)}`);
  $("#usecheap").hidden = false;
  $("#usecheap").onclick = () => { state.step = cheapest; sync(); changed(); };
}
const thresholdOf = (step) => (data.steps[step][0] === null ? "none flagged" : String(+data.steps[step][0].toPrecision(4)));
function drawCurves(matrices) {
  if (data.steps) {
    const [threshold, tp, fp] = data.steps[state.step], [positives, negatives] = data.sizes, [pi, rest] = state.shares;
    const recall = data.steps.map((step) => step[1] / positives), rate = data.steps.map((step) => step[2] / negatives);
    const precision = recall.map((r, k) => (r || rate[k] ? (r * pi) / (r * pi + rate[k] * rest) : NaN));
    put("thr", thresholdOf(state.step));
    put("flag", percentOf((tp / positives) * pi + (fp / negatives) * rest));
    move("roc", "op", fp / negatives, tp / positives);
    move("pr", "curve", recall, precision);
    move("pr", "op", tp / positives, precision[state.step]);
    move("threshold", "at", (tp + fp) / (positives + negatives));
    for (const name of ["scores-0", "scores-1"]) if (threshold !== null) move(name, "thr", threshold);
  }
  if (two) move("prevalence", "at", state.shares[0]);
  const chart = charts.prevalence;
  if (!two || !chart?.seen || !data.steps || chart.step === state.step) return;
  chart.step = state.step;
  const grid = Array.from({ length: 40 }, (_, i) => 10 ** (-4 + (i / 39) * 3.69897)), rows = cellsOfModel(data.models[0]);
  const there = grid.map((pi) => expected(rows, [pi, 1 - pi]));
  for (const name in chart.live) if (name in steelyardMeasures) move("prevalence", name, grid, there.map((m) => value(name, m)));
}
function draw() {
  const on = !isTestSet() || !state.cost.every((cost, i) => cost === data.costs[i]);
  page.classList.toggle("on", on);
  const matrices = data.models.map((model) => expected(cellsOfModel(model), state.shares));
  const values = metricRows.map((row) => value(row.name, matrices[row.model]));
  metricRows.forEach((row, k) => {
    const v = values[k];
    row.dot.classList.toggle("absent", !Number.isFinite(v));
    if (Number.isFinite(v)) { set(row.dot, { cx: place(row, v) }); set(row.shift, { x1: place(row, row.start), x2: place(row, v) }); }
    row.now.textContent = isTestSet() ? row.value : number(v);
    const change = v - row.start;
    row.change.textContent = on && Math.abs(change) >= 0.0005 ? (change > 0 ? "+" : MINUS) + Math.abs(change).toFixed(3) : "–";
  });
  if (data.models.length > 1) {
    const first = metricRows.map((row, k) => [row, values[k]]).filter(([row]) => row.name === data.rows[0].name);
    const [best, second] = [...first].sort((a, b) => b[1] - a[1]);
    put("better", same(best[1], second[1]) ? "equal" : data.models[best[0].model].name);
  }
  if (two) drawTwo(matrices);
  else for (const k of data.sliders) put(`share${k}`, percentOf(state.shares[k]));
  drawCurves(matrices);
  const text = commandNow();
  for (const element of commands) if (element.textContent.trim() !== text) element.replaceChildren(...text.split(/ (?=--)/).flatMap((part) => {
    const span = document.createElement("span");
    span.textContent = part;
    return [span, " "];
  }));
  put("state", [two ? `prevalence ${percentOf(state.shares[0])}` : "class shares changed", data.steps && `threshold ${thresholdOf(state.step)}`].filter(Boolean).join(", "));
  for (const button of presets) button.setAttribute("aria-pressed", String(Boolean(presetOn(button.dataset.preset))));
}

// ---- the state in the address: numbers only; what is not understood is left out
function keep() {
  const parts = [];
  if (!state.shares.every((share, i) => same(share, data.shares[i]))) parts.push(`p=${(two ? state.shares.slice(0, 1) : state.shares).map((share) => +share.toPrecision(6)).join(",")}`);
  if (data.steps && state.step !== data.step) parts.push(`t=${state.step}`);
  if (two && !state.cost.every((cost, i) => cost === data.costs[i])) parts.push(`c=${state.cost.map((cost) => cost ?? "").join(",")}`);
  try {
    history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search);
  } catch {
    // a frame without an address
  }
}
function recall() {
  const given = new URLSearchParams(location.hash.slice(1)), numbers = (name) => (given.get(name) ?? "").split(",").map((text) => (/^\d+(\.\d+)?(e-?\d{1,3})?$/i.test(text) ? Number(text) : NaN));
  const shares = numbers("p");
  if (two && shares[0] > 0 && shares[0] < 1) state.shares = [shares[0], 1 - shares[0]];
  if (!two && shares.length === data.labels.length && shares.every((share) => share >= 0) && Math.abs(sum(shares) - 1) < 1e-3) state.shares = shares.map((share) => share / sum(shares));
  const [step] = numbers("t");
  if (data.steps && Number.isInteger(step) && step < data.steps.length) state.step = step;
  const cost = numbers("c");
  if (two && given.has("c") && cost.length === 2) state.cost = cost.map((one) => (Number.isFinite(one) && one < 1e12 ? one : null));
}
const prevalence = $("#pi"), threshold = $("#thr"), shareSliders = $$("input[data-share]"), costBoxes = $$("input[data-cost]");
const slidersOfShares = (except) => { for (const slider of shareSliders) if (slider !== except) slider.value = Math.round(state.shares[+slider.dataset.share] * 1000); };
function sync() {
  if (prevalence) { prevalence.value = ((logit(state.shares[0]) - LEAST) / (MOST - LEAST)) * 1000; prevalence.setAttribute("aria-valuetext", percentOf(state.shares[0])); }
  if (threshold) { threshold.value = state.step; threshold.setAttribute("aria-valuetext", thresholdOf(state.step)); }
  slidersOfShares();
  costBoxes.forEach((box, k) => { box.value = state.cost[k] ?? ""; });
}
let queued = false, keeping = 0;
function changed() {
  if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; draw(); }); }
  clearTimeout(keeping); // browsers refuse an address that changes a hundred times a second
  keeping = setTimeout(keep, 200);
}
prevalence?.addEventListener("input", () => {
  const share = 1 / (1 + Math.exp(-(LEAST + (prevalence.value / 1000) * (MOST - LEAST))));
  state.shares = [share, 1 - share];
  prevalence.setAttribute("aria-valuetext", percentOf(share));
  changed();
});
threshold?.addEventListener("input", () => { state.step = +threshold.value; threshold.setAttribute("aria-valuetext", thresholdOf(state.step)); changed(); });
for (const slider of shareSliders) slider.addEventListener("input", () => {
  const k = +slider.dataset.share, share = slider.value / 1000, rest = 1 - state.shares[k];
  state.shares = state.shares.map((old, j) => (j === k ? share : rest > 1e-9 ? (old / rest) * (1 - share) : (1 - share) / (state.shares.length - 1)));
  slidersOfShares(slider);
  changed();
});
costBoxes.forEach((box, k) => box.addEventListener("input", () => { state.cost[k] = box.value === "" || !(+box.value >= 0) ? null : +box.value; changed(); }));
for (const button of presets) button.addEventListener("click", () => {
  const name = button.dataset.preset;
  if (name === "test") state.shares = [...data.shares];
  if (name === "balanced") state.shares = state.shares.map(() => 1 / state.shares.length);
  if (name === "yours") state.shares = [...data.yours];
  if (name === "labelled") state.step = data.step;
  if (name === "best") state.step = data.best;
  sync();
  changed();
});
for (const button of $$("[data-reset]")) button.addEventListener("click", () => { Object.assign(state, start()); sync(); draw(); keep(); });
const watchCharts = new IntersectionObserver((entries) => {
  for (const entry of entries) charts[entry.target.id.replace("chart-", "")].seen = entry.isIntersecting;
  if (page.classList.contains("on")) changed();
});
for (const chart of Object.values(charts)) watchCharts.observe(chart.svg);
const fromAddress = () => { if (location.hash.includes("=")) { Object.assign(state, start()); recall(); sync(); draw(); } };
addEventListener("hashchange", fromAddress);
recall();
sync();
draw();
