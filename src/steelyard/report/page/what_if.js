// What if: prevalence, threshold and costs of one or several models; everything marked as live follows. The state stands in the address.
const same = (a, b) => Math.abs(a - b) < 1e-6;
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const logit = (p) => Math.log(p / (1 - p));
const LEAST = logit(0.0001), MOST = logit(0.9), EXPECTED = 10000, SCALE = [0.0001, 0.001, 0.01, 0.1, 0.5, 0.9];
const signed = (x) => (x < 0 ? MINUS : "+") + Math.abs(x).toFixed(3);
const quoted = (text) => (/^[\w.,:=>\/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const expected = (rows, shares) => rows.map((row, i) => { const size = sum(row); return row.map((cell) => (size ? (cell / size) * shares[i] : 0)); });
// Draws while a slider moves, as many as ten metrics and six models take 16 ms for; all of them follow when it rests.
const fewDraws = (classes) => Math.round(Math.max(100, Math.min(200, 1000 / classes))), REST = 250;
const MARKS = ["value", "b", "m2", "m3", "m4", "m5"];
// The height of a model's line among several: that of .stack in the style.
const LINE = 18;

const setAddress = (parts) => { try { history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search); } catch { /* a frame without an address */ } };
// A mark of the k-th model at a place of a strip: the second is a square.
const markOf = (k, ghost, height) => element("svg", { class: ghost ? `ghost ${MARKS[k]}` : `pt ${MARKS[k]}`, y: `${height}%`, overflow: "visible" },
  k === 1 ? element("rect", { x: -4.5, y: -4.5, width: 9, height: 9 }) : element("circle", { r: 5 }));
const strip = (height, ...marks) => element("svg", { class: "strip", width: "100%", height, "aria-hidden": "true" },
  ...[0, 25, 50, 75, 100].map((x) => element("line", { class: "grid", x1: `${x}%`, x2: `${x}%`, y1: 0, y2: "100%" })), ...marks);
const plotHead = (ticks = ["0", ".25", ".5", ".75", "1"]) => element("th", { scope: "col", class: "plot" },
  element("span", { class: "axisrow", "aria-hidden": "true" }, ...ticks.map((tick) => element("span", {}, tick))), element("span", { class: "vh" }, `Plot from ${ticks[0]} to ${ticks.at(-1)}`));
const term = (words, help) => element("button", { type: "button", class: "term", "data-tip": help }, words);
const copyButton = () => element("button", { type: "button", class: "icon", "data-copy": "", "aria-label": "Copy command", title: "Copy" },
  element("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true", fill: "none", stroke: "currentColor", "stroke-width": 1.4 }, element("rect", { x: 4.5, y: 4.5, width: 8, height: 8, rx: 1.5 }), element("path", { d: "M2.5 9.5h-1v-8h8v1" })));
const forestOf = (heads, rows) => element("div", { class: "table", tabindex: 0, role: "group", "aria-label": "metrics" }, element("table", { class: "forest" },
  element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "metric"), plotHead(), ...heads.map(([words, css]) => element("th", { scope: "col", class: css }, words)))),
  element("tbody", {}, ...rows)));

let whatIf = null;
function startWhatIf(place, data, address = () => []) {
  const two = data.positive !== null, several = data.models.length > 1;
  // The values of many models stand below each other, each beside its mark: a column for each is wider than the panel.
  const stacked = data.models.length > 2;
  const start = () => ({ shares: [...data.shares], step: data.step, cost: [...data.costs] });
  const state = start();
  const outputs = {}, bars = {};
  let written = "";
  const output = (name, tag = "b", attributes = {}) => { const made = element(tag, { "data-out": name, ...attributes }); (outputs[name] ||= []).push(made); return made; };
  const put = (name, text) => { for (const made of outputs[name] ?? []) if (made.textContent !== text) made.textContent = text; };
  const button = (words, attributes) => element("button", { type: "button", class: "btn", ...attributes }, words);
  const presetsOf = (names) => element("div", { class: "row" }, ...names.map(([key, words]) => button(words, { "data-preset": key, "aria-pressed": "false", click: () => preset(key) })));

  // ---- controls
  const slider = (id, words, max, input) => [element("label", { for: id }, element("span", {}, words), output(id, "output")), element("input", { type: "range", id, min: 0, max, input })];
  const prevalence = two ? slider("pi", `Prevalence of ${data.labels[0]}`, 1000, () => {
    const share = 1 / (1 + Math.exp(-(LEAST + (prevalence[1].value / 1000) * (MOST - LEAST))));
    state.shares = [share, 1 - share];
    changed();
  }) : [];
  const threshold = data.steps ? slider("thr", "Decision threshold", data.steps.length - 1, () => { state.step = +threshold[1].value; changed(); }) : [];
  const shareSliders = two ? [] : data.sliders.map((k) => element("input", { type: "range", min: 1, max: 999, "data-share": k, input: (event) => {
    const share = event.target.value / 1000, rest = 1 - state.shares[k];
    state.shares = state.shares.map((old, j) => (j === k ? share : rest > 1e-9 ? (old / rest) * (1 - share) : (1 - share) / (state.shares.length - 1)));
    syncShares(event.target);
    changed();
  } }));
  const costBoxes = two ? [`missed ${data.labels[0]}`, "false alarm"].map((words, k) => element("input", { type: "number", min: 0, step: "any", "data-cost": k, placeholder: k ? "e.g. 4" : "e.g. 200", "aria-label": `cost of a ${words}`, input: () => {
    const cost = costBoxes[k].value === "" ? null : +costBoxes[k].value;
    costBoxes[k].setCustomValidity(cost === null || cost >= 0 ? "" : "a cost is a number from 0 on");
    put("wrong", costBoxes.some((box) => !box.validity.valid) ? "A cost is a number from 0 on; the last one is kept." : "");
    if (costBoxes[k].validity.valid) state.cost[k] = cost;
    changed();
  } })) : [];
  const useCheapest = button("Use it", { hidden: true });
  const controls = two ? [
    element("div", { class: "ctl" }, ...prevalence, element("svg", { class: "scale", width: "100%", height: 16, "aria-hidden": "true" },
      ...SCALE.map((share) => element("text", { x: `${(100 * (logit(share) - LEAST)) / (MOST - LEAST)}%`, y: 12, "text-anchor": "middle" }, `${+(100 * share).toPrecision(1)}%`))), presetsOf(data.presets)),
    data.steps && element("div", { class: "ctl" }, ...threshold, presetsOf(data.threshold_presets), element("p", { class: "small muted" }, "flags ", output("flag", "span"), " of rows")),
    element("fieldset", { class: "ctl" }, element("legend", {}, "Cost of an error"), element("div", { class: "costs" },
      ...costBoxes.map((box, k) => element("label", {}, k ? "false alarm" : `missed ${data.labels[0]}`, box)))),
    element("p", { class: "small muted" }, output("cheap", "span"), " ", useCheapest, output("wrong", "span", { class: "bad", role: "alert" })),
  ] : [
    element("fieldset", { class: "ctl" }, element("legend", {}, "Class distribution"),
      ...data.sliders.map((k, i) => element("label", { class: "share" }, element("span", {}, data.labels[k]), shareSliders[i], output(`share${k}`, "output"))), presetsOf(data.presets)),
    data.sliders.length < data.labels.length && element("p", { class: "small muted" }, `The rarest ${data.sliders.length} of ${data.labels.length} classes; the others keep their proportions.`),
  ];

  // ---- results
  const bar = (k, name, first, second, text) => {
    const parts = [element("rect", { class: first, height: 20, rx: 2 }), element("rect", { class: second, height: 20, rx: 2 })];
    bars[name + k] = parts;
    return element("dd", {}, element("svg", { class: "bar", width: "100%", height: 20, "aria-hidden": "true" }, element("rect", { class: "track", width: "100%", height: 20, rx: 2 }), ...parts), text);
  };
  const flow = data.models.flatMap((model, k) => (several
    ? [element("dt", {}, named(k)), bar(k, "alerts", "value", "error", element("span", {}, output(`tp${k}`), " of ", output(`actual${k}`, "span"), ` ${data.labels[0]}, `, output(`fp${k}`), " false alarms"))]
    : [element("dt", {}, `Actual ${data.labels[0]} `, output("actual0")), bar(0, "actual", "value", "base", element("span", {}, output("tp0"), " detected, ", output("fn0"), " missed")),
      element("dt", {}, "Alerts ", output("alerts0")), bar(0, "alerts", "value", "error", element("span", {}, output("tp0"), " true, ", output("fp0"), " false (", output("fdr0"), ")"))]));
  function named(k) {
    const sign = element("svg", { width: 12, height: 12, overflow: "visible", "aria-hidden": "true" }, markOf(k, false, 50));
    set(sign.firstChild, { x: 6, y: 6 });
    return element("span", { class: "model", title: data.models[k].name }, sign, " ", data.models[k].name);
  }
  const heights = data.models.map((_, k) => (stacked ? (100 * (k + 0.5)) / data.models.length : several ? 50 + (k - (data.models.length - 1) / 2) * Math.min(32, 84 / data.models.length) : 50));
  const metricRows = data.rows.map((metric) => {
    const parts = data.models.map((_, k) => ({
      ghost: markOf(several ? k : 0, several, heights[k]),
      path: element("line", { class: `live shift ${several ? MARKS[k] : ""}`, y1: `${heights[k]}%`, y2: `${heights[k]}%` }),
      dot: several ? markOf(k, false, heights[k]) : element("svg", { class: "live pt whatif", y: "50%", overflow: "visible" }, element("circle", { r: 5 })),
      now: element(several ? "span" : "td", { class: stacked ? `now${k ? "" : " strong"}` : several ? `now ${"ab"[k]}` : "strong now" }),
      ci: element("line", { class: `${several ? `ci ${MARKS[k]}` : "live ci whatif"} absent`, y1: `${heights[k]}%`, y2: `${heights[k]}%` }),
      ends: element("span", { class: "muted opt ends" }),
      was: metric.starts[k],
    }));
    const change = element("td", { class: several ? "l who" : "chg" }), gap = element("td", { class: "strong apart" });
    const row = element("tr", { "data-metric": metric.name }, element("th", { scope: "row" }, term(metric.short, metric.tip)),
      element("td", { class: "plot" }, strip(stacked ? LINE * data.models.length : several ? 26 + 8 * data.models.length : 32, ...parts.flatMap((part) => (data.drawing ? [part.ghost, part.path, part.ci, part.dot] : [part.ghost, part.path, part.dot])))),
      several ? null : element("td", { class: "muted opt" }, metric.texts[0]),
      ...(stacked ? [element("td", { class: "stack" }, ...parts.map((part, k) => element("div", {}, named(k), part.now, data.drawing ? part.ends : null)))] : several ? [element("td", { class: "both" }, ...parts.map((part) => part.now))] : [parts[0].now]),
      data.drawing && !several ? element("td", { class: "opt" }, parts[0].ends) : null, data.joint ? gap : null, change);
    return { metric, parts, change, row, gap };
  });
  const heads = several ? [["value", ""], ...(data.joint ? [["difference", ""]] : []), ["better", "l"]] : [["test set", "opt"], ["what if", ""], ...(data.drawing ? [[`${+(100 * data.drawing.level).toPrecision(4)}% CI`, "opt"]] : []), ["change", ""]];
  const code = element("code", { "data-cmd": "state" });
  place.replaceChildren(element("div", { class: "try" },
    element("div", { class: "controls" }, ...controls, element("div", {}, button("Reset all", { "data-reset": "" }))),
    element("div", { class: "results" },
      two && element("h3", {}, several ? "Expected alerts in 10,000 rows" : "Expected in 10,000 rows"),
      two && element("dl", { class: "flow" }, ...flow, element("dt", {}, "Cost of errors"), element("dd", {}, output("cost", "b", { class: "muted" }))),
      several && !stacked && !two && element("p", { class: "legend" }, ...data.models.map((_, k) => named(k))),
      forestOf(heads, metricRows.map((one) => one.row)),
      element("p", { class: "small muted" }, data.drawing
        ? "Intervals are those of the test set's rows at this state, by the method of the report; – where there is none. The recall of each class and the false positive rate of each threshold stay as measured."
        : "Point values; the recall of each class and the false positive rate of each threshold stay as measured." + (data.command ? " Run this for intervals at the state above:" : "")),
      data.command ? element("div", { class: "cmd" }, code, copyButton()) : element("p", { class: "small muted" }, code))));
  tipsIn(place);

  // ---- what the state means
  const cellsOf = (model) => {
    if (data.steps && state.step !== data.step) {
      const [, tp, fp] = data.steps[state.step];
      return [[tp, data.sizes[0] - tp], [fp, data.sizes[1] - fp]];
    }
    if (model.rows) return model.rows;
    const rows = data.labels.map(() => new Float64Array(data.labels.length));
    for (let k = 0; k < model.cells.length; k += 3) rows[model.cells[k]][model.cells[k + 1]] = model.cells[k + 2];
    return (model.rows = rows.map((row) => [...row]));
  };
  const sharesMoved = () => !state.shares.every((share, i) => same(share, data.shares[i]));
  const costsMoved = () => !state.cost.every((cost, i) => cost === data.costs[i]);
  const stepMoved = () => Boolean(data.steps) && state.step !== data.step;
  const settings = data.settings ?? { labels: data.labels, listed: data.listed, ...(two ? { positive: 0 } : {}) };
  const value = (name, rows) => {
    const [kind, at] = name.split(":");
    if (kind === "class precision") { const called = sum(rows.map((row) => row[at])); return called ? rows[at][at] / called : NaN; }
    return (data.own?.[name] ?? steelyardMeasures[name])(rows, settings).value;
  };
  // ---- intervals: the draws of a matrix are kept while only the class distribution moves. Draws belong to places, so the
  // classes stand in the order that Python drew them in, not with the positive one first.
  const order = data.order ?? data.labels.map((_, k) => k), back = order.map((_, k) => order.indexOf(k));
  const howDrawn = { ...data.drawing, positive: settings.positive === undefined ? null : order[settings.positive], settings: { ...settings, labels: back.map((k) => data.labels[k]), listed: true } };
  const between = data.joint && data.drawing && new DifferenceFinder(data.joint, data.labels.length, howDrawn);
  const finders = [];
  let resting = 0;
  function finderOf(k) {
    if (finders[k]?.step !== state.step) {
      const cells = cellsOf(data.models[k]);
      finders[k] = Object.assign(new IntervalFinder(back.map((i) => back.map((j) => cells[i][j])), howDrawn), { step: state.step });
    }
    return finders[k];
  }
  const asDrawn = ({ name, kind, better, weighs, range }) => ({
    kind, better, weighs, drawn: steelyardMeasures[name].drawn, value: (rows, options) => steelyardMeasures[name](rows, options).value, range: () => [range[0] ?? -Infinity, range[1] ?? Infinity],
  });
  const costOf = () => {
    const [miss, alarm] = state.cost, [p, q] = order, each = (m, at) => (at(m[p][q]) * miss + at(m[q][p]) * alarm) / (at(m[0][0]) + at(m[0][1]) + at(m[1][0]) + at(m[1][1]));
    return { kind: "two-class", better: "lower", weighs: false, value: (m) => each(m, (x) => x), drawn: (m) => m[0][0].map((_, d) => each(m, (cell) => cell[d])), range: () => [0, Math.max(miss, alarm)] };
  };
  const there = (draws) => ({ draws, shares: sharesMoved() ? back.map((k) => state.shares[k]) : null });
  function drawInterval({ metric, parts, gap, change }, draws) {
    const known = metric.name in steelyardMeasures, drawn = known && asDrawn(metric);
    parts.forEach((part, k) => {
      const { low, high, why } = known ? finderOf(k).interval(drawn, there(draws)) : { low: NaN, why: "this row has its interval in the table of classes" };
      part.ci.classList.toggle("absent", Number.isNaN(low));
      if (!Number.isNaN(low)) set(part.ci, { x1: along(metric, low), x2: along(metric, high) });
      part.ends.textContent = Number.isNaN(low) ? "–" : `${number(low)} to ${number(high)}`;
      part.now.title = why ?? part.ends.textContent;
    });
    if (!between || !known) return;
    // Drawn in the order in which the models were given, which the ranking may turn around.
    const { value, low: least, high: most, why } = between.difference(drawn, there(draws)), [difference, low, high] = data.turned ? [-value, -most, -least] : [value, least, most];
    gap.replaceChildren(signed(difference), element("span", { class: "sub" }, Number.isNaN(low) ? why : `${signed(low)} to ${signed(high)}`));
    const clear = low > 0 || high < 0;
    change.title = change.textContent = Number.isNaN(low) ? "" : clear ? data.models[Number((difference > 0) === (metric.better === "lower"))].name : "not signif.";
    change.classList.toggle("muted", !clear);
  }
  function drawCost(draws) {
    if (!two || !priced()) return;
    put("cost", data.models.map((model, k) => {
      const { estimate, low, high } = finderOf(k).interval(costOf(), there(draws)), at = (x) => whole(x * EXPECTED);
      return (several ? `${model.name} ` : "") + (Number.isNaN(low) ? at(estimate) : `${at(estimate)} (${at(low)} to ${at(high)})`);
    }).join(", "));
  }
  // Few draws at once; when the state rests all of them, one row after the other.
  function drawIntervals() {
    if (!data.drawing) return;
    const all = finderOf(0).draws, few = Math.min(fewDraws(data.labels.length), all), steps = [...metricRows.map((row) => (draws) => drawInterval(row, draws)), drawCost];
    for (const step of steps) step(few);
    clearTimeout(resting);
    place.dataset.draws = few;
    const next = (k) => {
      if (k === steps.length) { place.dataset.draws = all; return; }
      steps[k](all);
      resting = setTimeout(next, 0, k + 1);
    };
    resting = setTimeout(next, REST, 0);
  }
  const along = (metric, v) => `${Math.min(1, Math.max(0, (v - metric.low) / (metric.high - metric.low))) * 100}%`;
  const priced = () => state.cost.every((cost) => cost !== null);
  const thresholdOf = (step) => (data.steps[step][0] === null ? "none flagged" : String(+data.steps[step][0].toPrecision(4)));
  function move(name, mark, x, y) {
    const chart = charts[name], drawn = chart?.seen && chart.live[mark]; // charts out of sight are drawn when they come into sight
    if (!drawn) return;
    if (drawn.tagName === "path") drawn.setAttribute("d", pathOf(chart, x, y));
    else if (drawn.tagName === "circle") set(drawn, { cx: chart.x(x), cy: chart.y(y) });
    else set(drawn, { x1: chart.x(x), x2: chart.x(x) });
  }
  function commandNow() {
    let text = stepMoved() ? `${data.command_scores} --threshold ${data.steps[state.step][0]}` : data.command;
    if (sharesMoved() && data.range) {
      const moves = state.shares.map((share, i) => Math.abs(share - data.shares[i])), k = moves.indexOf(Math.max(...moves));
      const ends = [state.shares[k], data.shares[k]].map((v) => +v.toPrecision(3)).sort((a, b) => a - b);
      text += ` --priors-range ${quoted(`${data.labels[k]}=${ends[0]}..${ends[1]}`)}`;
    } else if (sharesMoved() && two) text += ` --priors ${+state.shares[0].toPrecision(3)}`;
    else if (sharesMoved()) {
      const rounded = state.shares.map((share) => Math.max(1, Math.round(share * 1e4)));
      rounded[rounded.indexOf(Math.max(...rounded))] += 1e4 - sum(rounded);
      text += ` --priors ${quoted(data.labels.map((label, i) => `${label}=${rounded[i] / 1e4}`).join(", "))}`;
    }
    if (two && priced() && costsMoved()) text += ` --cost ${quoted(`${data.labels[0]}>${data.labels[1]}=${state.cost[0]}, ${data.labels[1]}>${data.labels[0]}=${state.cost[1]}`)}`;
    return text;
  }

  function drawTwo(matrices) {
    const most = Math.max(...matrices.map((m) => m[0][0] + Math.max(m[0][1], m[1][0]))) || 1;
    const fill = (parts, first, second) => { set(parts[0], { width: `${(first / most) * 100}%` }); set(parts[1], { x: `${(first / most) * 100}%`, width: `${(second / most) * 100}%` }); };
    matrices.forEach((matrix, k) => {
      const [tp, fn, fp] = [matrix[0][0], matrix[0][1], matrix[1][0]];
      fill(bars[`alerts${k}`], tp, fp);
      if (bars[`actual${k}`]) fill(bars[`actual${k}`], tp, fn);
      // Parts of rounded totals add up to them: what is missed and what is false is the rest of each total.
      const [actual, alerts, hits] = [tp + fn, tp + fp, tp].map((v) => Math.round(v * EXPECTED));
      for (const [name, v] of Object.entries({ actual, alerts, tp: hits, fn: actual - hits, fp: alerts - hits })) put(name + k, whole(v));
      put(`fdr${k}`, tp + fp ? percentOf(fp / (tp + fp)) : "no alerts");
    });
    put("pi", percentOf(state.shares[0]));
    const cost = (m) => (m[0][1] * state.cost[0] + m[1][0] * state.cost[1]) * EXPECTED;
    put("cost", priced() ? matrices.map((m, k) => (several ? `${data.models[k].name} ` : "") + whole(cost(m))).join(", ") : "enter both costs");
    put("cheap", priced() ? "" : `Enter both costs to see ${data.steps ? "the cheapest threshold" : "what errors cost"}.`);
    useCheapest.hidden = !priced() || !data.steps;
    if (useCheapest.hidden) return;
    const [positives, negatives] = data.sizes;
    const at = ([, tp, fp]) => ((positives - tp) / positives) * state.shares[0] * state.cost[0] + (fp / negatives) * state.shares[1] * state.cost[1];
    const cheapest = data.steps.reduce((best, step, k) => (at(step) < at(data.steps[best]) ? k : best), 0);
    put("cheap", `Cheapest threshold at these costs: ${thresholdOf(cheapest)}`);
    useCheapest.onclick = () => { state.step = cheapest; changed(); sync(); };
  }
  function drawCurves() {
    if (data.steps) {
      const [at, tp, fp] = data.steps[state.step], [positives, negatives] = data.sizes, [pi, rest] = state.shares;
      const recall = data.steps.map((step) => step[1] / positives), rate = data.steps.map((step) => step[2] / negatives);
      const precision = recall.map((r, k) => (r || rate[k] ? (r * pi) / (r * pi + rate[k] * rest) : NaN));
      put("thr", thresholdOf(state.step));
      put("flag", percentOf((tp / positives) * pi + (fp / negatives) * rest));
      move("roc", "op", fp / negatives, tp / positives);
      move("pr", "curve", recall, precision);
      move("pr", "op", tp / positives, precision[state.step]);
      move("threshold", "at", (tp + fp) / (positives + negatives));
      for (const name of ["scores-0", "scores-1"]) if (at !== null) move(name, "thr", at);
    }
    for (const name in charts) if (name.startsWith("prevalence")) { move(name, "at", state.shares[0]); move(name, "here", data.shares[0]); }
    if (state.cost[1]) move("costs", "at", state.cost[0] / state.cost[1]);
    const chart = charts.prevalence;
    if (!chart?.seen || (chart.step === state.step && !data.edited)) return;
    chart.step = state.step;
    // The curves of the first class (of several: of the last model) at each share, the others in proportion.
    const grid = Array.from({ length: 40 }, (_, i) => 10 ** (-4 + (i / 39) * 3.69897)), rows = cellsOf(data.models.at(-1)), rest = 1 - data.shares[0];
    const there = grid.map((pi) => expected(rows, data.shares.map((share, k) => (k ? (share / rest) * (1 - pi) : pi))));
    for (const name in chart.live) if (name in steelyardMeasures) move("prevalence", name, grid, there.map((m) => value(name, m)));
  }
  function draw() {
    const moved = sharesMoved() || stepMoved(), on = moved || costsMoved();
    page.classList.toggle("on", on);
    const matrices = data.models.map((model) => expected(cellsOf(model), state.shares));
    for (const { metric, parts, change } of metricRows) {
      const values = matrices.map((matrix) => value(metric.name, matrix));
      parts.forEach((part, k) => {
        const v = values[k], known = Number.isFinite(v);
        part.dot.classList.toggle("absent", !known);
        part.ghost.classList.toggle("absent", !Number.isFinite(part.was));
        if (Number.isFinite(part.was)) set(part.ghost, { x: along(metric, part.was) });
        if (known) set(part.dot, { x: along(metric, v) });
        if (known && Number.isFinite(part.was)) set(part.path, { x1: along(metric, part.was), x2: along(metric, v) });
        part.now.textContent = moved ? number(v) : metric.texts[k];
      });
      const difference = values[0] - parts[0].was;
      if (several && !between) change.title = change.textContent = betterOf(metric, values);
      else if (!several) change.textContent = on && Math.abs(difference) >= 0.0005 ? signed(difference) : "–";
    }
    if (two) drawTwo(matrices);
    else for (const k of data.sliders) put(`share${k}`, percentOf(state.shares[k]));
    drawIntervals();
    drawCurves();
    const text = commandNow();
    if (text !== written) code.replaceChildren(...text.split(/ (?=--)/).flatMap((part) => [element("span", {}, part), " "]));
    written = text;
    $("[data-out=state]").textContent = [two ? `prevalence ${percentOf(state.shares[0])}` : "class distribution changed", data.steps && `threshold ${thresholdOf(state.step)}`].filter(Boolean).join(", ");
    for (const one of $$("[data-preset]", place)) one.setAttribute("aria-pressed", String(Boolean(presetOn(one.dataset.preset))));
    for (const one of [prevalence[1], threshold[1]]) if (one) one.setAttribute("aria-valuetext", outputs[one.id][0].textContent);
  }
  function betterOf(metric, values) {
    const known = values.map((v, k) => [v, k]).filter(([v]) => Number.isFinite(v)).sort((a, b) => (metric.better === "lower" ? a[0] - b[0] : b[0] - a[0]));
    if (known.length < 2) return "";
    return Math.abs(known[0][0] - known[1][0]) < 0.0005 ? "equal" : data.models[known[0][1]].name;
  }

  // ---- presets, the state in the address: numbers only; what is not understood is left out
  const shareSets = { test: data.shares, balanced: data.shares.map(() => 1 / data.shares.length), yours: data.yours };
  const stepSets = { labelled: data.step, best: data.best };
  const presetOn = (name) => (name in stepSets ? state.step === stepSets[name] : shareSets[name]?.every((share, i) => same(share, state.shares[i])));
  function preset(name) {
    if (name in stepSets) state.step = stepSets[name];
    else state.shares = [...shareSets[name]];
    changed();
    sync();
  }
  function keep() {
    const parts = address();
    if (sharesMoved()) parts.push(`p=${(two ? state.shares.slice(0, 1) : state.shares).map((share) => +share.toPrecision(6)).join(",")}`);
    if (stepMoved()) parts.push(`t=${state.step}`);
    if (two && costsMoved()) parts.push(`c=${state.cost.map((cost) => cost ?? "").join(",")}`);
    setAddress(parts);
  }
  function recall() {
    Object.assign(state, start());
    const given = new URLSearchParams(location.hash.slice(1)), numbers = (name) => (given.get(name) ?? "").split(",").map((text) => (/^\d+(\.\d+)?(e-?\d{1,3})?$/i.test(text) ? Number(text) : NaN));
    const shares = numbers("p"), [step] = numbers("t"), cost = numbers("c");
    if (two && shares.length === 1 && shares[0] > 0 && shares[0] < 1) state.shares = [shares[0], 1 - shares[0]];
    if (!two && shares.length === data.labels.length && shares.every((share) => share >= 0) && Math.abs(sum(shares) - 1) < 1e-3) state.shares = shares.map((share) => share / sum(shares));
    if (data.steps && Number.isInteger(step) && step < data.steps.length) state.step = step;
    if (two && given.has("c") && cost.length === 2) state.cost = cost.map((one) => (Number.isFinite(one) && one < 1e12 ? one : null));
    sync();
    draw();
  }
  const syncShares = (except) => { for (const one of shareSliders) if (one !== except) one.value = Math.round(state.shares[+one.dataset.share] * 1000); };
  function sync() {
    if (prevalence[1]) prevalence[1].value = ((logit(state.shares[0]) - LEAST) / (MOST - LEAST)) * 1000;
    if (threshold[1]) threshold[1].value = state.step;
    syncShares();
    costBoxes.forEach((box, k) => { box.value = state.cost[k] ?? ""; });
  }
  let queued = false, keeping = 0;
  function redraw() {
    if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; draw(); }); }
  }
  function changed() {
    redraw();
    clearTimeout(keeping); // browsers refuse an address that changes a hundred times a second
    keeping = setTimeout(keep, 200);
  }
  const reset = () => { Object.assign(state, start()); sync(); draw(); keep(); };
  recall();
  whatIf = { draw, keep, recall, reset, redraw, changed, stop: () => { clearTimeout(keeping); clearTimeout(resting); }, value, settings };
  return whatIf;
}
const watchCharts = new IntersectionObserver((entries) => {
  for (const entry of entries) charts[entry.target.id.replace("chart-", "")].seen = entry.isIntersecting;
  whatIf?.redraw();
});
for (const chart of Object.values(charts)) watchCharts.observe(chart.svg);
addEventListener("hashchange", () => { if (location.hash.includes("=")) whatIf?.recall(); });
document.addEventListener("click", (event) => { if (event.target.closest("[data-reset]")) whatIf?.reset(); });
const given = JSON.parse($("#data").textContent);
if (given.models) startWhatIf($("#what-if .body"), given);
