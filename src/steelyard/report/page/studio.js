// The studio: a case, a pasted matrix or a table is changed and evaluated in the page; What if, forest rows and charts are those of a report.
const MOST_EDITED = 12, MOST_PAIRED = 4;
const GUESSES = { truth: /^(y_?true|truth|true|actual|label|target|class)$/i, called: /^(y_?pred|pred|predicted|prediction|called)/i };
const cut = (name, most = 28) => { const letters = [...String(name)], head = Math.floor((most - 1) / 2); return letters.length <= most ? String(name) : [...letters.slice(0, head), "…", ...letters.slice(letters.length - (most - 1 - head))].join(""); };
// Names are encoded twice: a comma that a browser decodes in an address parts no names.
const writtenNames = (names) => names.map((name) => encodeURIComponent(encodeURIComponent(name))).join(",");
const namesOf = (text) => text.split(",").map((name) => { try { return decodeURIComponent(name); } catch { return name; } });

const catalogue = JSON.parse($("#data").textContent);
const place = $("#what-if .body"), matrixPanel = element("div"), forestPanel = $(".first .forest").closest(".panel"), everything = $("#all tbody");
$(".first .panel").replaceChildren(matrixPanel);
let matrix = null, formula = null; // matrix: labels, listed, rows, start (rows), positive
const status = element("p", { class: "bad", role: "status" });
const complain = (error) => { status.textContent = String(error.message ?? error); };
const attempt = (what) => { status.textContent = ""; try { what(); } catch (error) { complain(error); } };
const button = (words, click) => element("button", { type: "button", class: "btn", click }, words);
const panel = (title, ...parts) => element("div", { class: "panel" }, element("h3", {}, title), ...parts);

// ---- the metrics of a matrix
const endsOf = (m) => m.ends[Math.min(matrix.labels.length, m.ends.length) - 1];
// Plots run from 0 to 1 as their heads say, unless a value is below 0.
const plotEnds = (m, ...values) => { const [low, high] = endsOf(m); return [values.some((v) => v < 0) ? low ?? -1 : Math.max(0, low ?? 0), high ?? 1]; };
const settingsOf = () => ({ labels: matrix.labels, listed: matrix.listed, ...(matrix.positive === null ? {} : { positive: matrix.positive }) });
const valueOf = (name, rows) => (name === "own" ? formulaValue(formula, rows, settingsOf(), steelyardMeasures.operations) : steelyardMeasures[name](rows, settingsOf()));
const ownMetric = () => ({ name: "own", short: cut(formula.text, 24), question: "Your own formula", better: "neither", two: formula.ofCells, ends: [[0, 1]] });
const metricsOf = () => [...(formula ? [ownMetric()] : []), ...catalogue.measures].filter((m) => !m.two || matrix.positive !== null);

function show() {
  const known = metricsOf(), first = ["own", ...catalogue.first].map((name) => known.find((m) => m.name === name)).filter(Boolean);
  const edited = matrix.rows.some((row, i) => row.some((x, j) => x !== matrix.start[i][j]));
  const found = new Map(known.map((m) => { const now = valueOf(m.name, matrix.rows), was = valueOf(m.name, matrix.start).value; return [m.name, { now, was, change: Math.abs(now.value - was) || 0 }]; }));
  showForest(first, found, edited);
  showAll(known, found);
  showMatrix(edited);
  const order = matrix.labels.map((_, k) => k), two = matrix.labels.length === 2 && matrix.positive !== null;
  if (two) order.sort((a, b) => (a !== matrix.positive) - (b !== matrix.positive));
  const rows = order.map((i) => order.map((j) => matrix.rows[i][j])), sizes = rows.map(sum), total = sum(sizes), labels = order.map((k) => matrix.labels[k]);
  if (sizes.some((size) => !size)) {
    whatIf?.stop();
    place.replaceChildren(element("p", { class: "empty" }, "A class without rows has no recall: What if needs a count in every row."));
    setAddress(addressParts());
    return;
  }
  const metric = (m) => { const [low, high] = plotEnds(m, found.get(m.name).now.value); return { name: m.name, short: m.short, tip: m.question, better: m.better, kind: m.two ? "two-class" : "multi-class", weighs: m.weighs, range: m.ends?.[m.ends.length > 1 ? labels.length - 1 : 0], low, high, starts: [found.get(m.name).now.value], texts: [number(found.get(m.name).now.value)] }; };
  const shares = sizes.map((size) => size / total), rarest = labels.map((_, k) => k).sort((a, b) => sizes[a] - sizes[b]).slice(0, 12).sort((a, b) => a - b);
  const positive = matrix.positive === null ? "" : ` --positive ${quoted(matrix.labels[matrix.positive])}`;
  startWhatIf(place, {
    labels, listed: matrix.listed, positive: two ? 0 : null, settings: { labels, listed: matrix.listed, ...(matrix.positive === null ? {} : { positive: order.indexOf(matrix.positive) }) },
    models: [{ name: "matrix", rows }], shares, sizes, rows: first.map(metric), steps: null, step: 0, best: null, costs: [null, null], yours: null, sliders: two ? [] : rarest, edited: true,
    presets: [["test", two ? `Counts ${percentOf(shares[0])}` : "Counts"], ["balanced", two ? "Balanced 50%" : "Balanced"]], threshold_presets: [], range: false, drawing: labels.length <= 20 ? { level: 0.95, seed: 0, design: "sample" } : null,
    own: { own: (cells, options) => formulaValue(formula, cells, options, steelyardMeasures.operations) },
    command: `steelyard metrics ${quoted(JSON.stringify(matrix.rows))} --labels ${quoted(matrix.labels.join(","))}${positive}`,
  }, addressParts);
  whatIf.keep();
}

function showForest(first, found, edited) {
  const rows = (edited ? [...first].sort((a, b) => found.get(b.name).change - found.get(a.name).change) : first).map((m) => {
    const { now, was } = found.get(m.name), [low, high] = plotEnds(m, now.value, was);
    const at = (mark, v) => { if (Number.isFinite(v)) set(mark, { x: `${Math.min(1, Math.max(0, (v - low) / (high - low))) * 100}%` }); else mark.classList.add("absent"); return mark; };
    const change = now.value - was;
    return element("tr", { "data-forest": m.name }, element("th", { scope: "row" }, term(m.short, m.question)),
      element("td", { class: "plot" }, strip(30, at(markOf(0, true, 50), was), at(markOf(0, false, 50), now.value))),
      element("td", { class: "muted" }, number(was)), element("td", { class: "strong" }, number(now.value)),
      element("td", { class: "muted" }, Math.abs(change) >= 0.0005 ? (change > 0 ? "+" : MINUS) + Math.abs(change).toFixed(3) : "–"));
  });
  const heading = element("h2", { class: "h3" }, "Metrics ", element("small", {}, edited ? "largest change first" : "hollow: at the start"));
  forestPanel.replaceChildren(heading, forestOf([["start", ""], ["now", ""], ["change", ""]], rows));
  tipsIn(forestPanel);
}

function showAll(known, found) {
  $("#all tr[data-own]")?.remove();
  if (formula) everything.prepend(element("tr", { "data-own": "", "data-words": formula.text.toLowerCase(), "data-kind": "moves" }, element("th", { scope: "row" }, formula.text), element("td", {}, "own"), element("td"), element("td"), ...[...$$("#all thead th")].slice(4).map(() => element("td"))));
  for (const row of everything.rows) {
    const name = row.cells[1].textContent, one = found.get(name), bar = $("rect.value", row);
    const why = one ? one.now.why ?? "" : "of a positive class: choose one";
    const text = one ? number(one.now.value) : "undefined";
    row.cells[3].replaceChildren(element("span", { class: "strong" }, text), text === "undefined" && why ? element("span", { class: "sub" }, why) : "");
    const m = known.find((one) => one.name === name), ends = m && m.name !== "own" ? endsOf(m) : [];
    const share = one && Number.isFinite(ends[0]) && Number.isFinite(ends[1]) ? (one.now.value - ends[0]) / (ends[1] - ends[0]) : NaN;
    if (bar) bar.setAttribute("width", Number.isFinite(share) ? `${100 * Math.min(1, Math.max(0, m.better === "lower" ? 1 - share : share))}%` : "0%");
  }
}

// ---- the counts: those of the start beside those that can be typed
function showMatrix(edited) {
  const size = matrix.labels.length, { rows, labels } = matrix;
  if (size > MOST_EDITED) {
    matrixPanel.replaceChildren(heading(), element("p", { class: "soft matrix" }, `${size} classes: their counts are too many to be typed; the shares can be changed below.`));
    return;
  }
  if ($(".typed", matrixPanel)?.dataset.shape === shapeOf()) { refresh(document.activeElement); return; }
  const paired = size <= MOST_PAIRED;
  const cell = (content) => element("td", {}, content);
  const input = (i, j) => element("input", { type: "number", min: 0, step: "any", "data-cell": `${i},${j}`, "aria-label": `examples of ${labels[i]} called ${labels[j]}`, input: (event) => {
    const x = event.target.value === "" ? NaN : Number(event.target.value);
    if (!(x >= 0 && x < 1e300)) { complain("a count is a number from 0 to 1e300; the last one is kept."); return; }
    status.textContent = "";
    matrix.rows[i][j] = x;
    show();
  } });
  const slider = (i) => element("input", { type: "range", min: 0, max: 1, step: 0.001, "data-found": i, "aria-label": `share of ${labels[i]} that is found`, input: (event) => {
    const row = matrix.rows[i], all = sum(row), rest = all - row[i], share = Number(event.target.value);
    matrix.rows[i] = row.map((x, j) => (j === i ? all * share : all * (1 - share) * (rest ? x / rest : 1 / (size - 1))));
    show();
  } });
  const name = (i) => element("input", { type: "text", maxlength: 200, value: labels[i], "aria-label": `name of class ${i + 1}`, change: (event) => {
    const names = matrix.labels.map((label, k) => (k === i ? event.target.value || label : label));
    if (new Set(names).size < size) { event.target.value = labels[i]; complain("two classes cannot have the same name."); return; }
    take({ ...matrix, labels: names });
  } });
  const heads = (css) => labels.map((label) => element("th", { scope: "col", title: label, class: css }, element("span", { class: "w" }, "predicted"), element("b", {}, cut(label, 12))));
  const head = element("thead", {}, paired ? element("tr", {}, element("td"), element("th", { scope: "colgroup", colspan: size, class: "was" }, element("b", {}, "At the start")), element("th", { scope: "colgroup", colspan: size }, element("b", {}, "Now")), element("td")) : null,
    element("tr", {}, element("th", { scope: "col" }, "actual"), ...(paired ? heads("was") : []), ...heads(""), element("th", { scope: "col" }, "recall")));
  const body = rows.map((row, i) => element("tr", {}, element("th", { scope: "row" }, name(i)),
    ...(paired ? row.map((_, j) => cell(element("strong", { "data-start": `${i},${j}` }))) : []), ...row.map((_, j) => cell(input(i, j))), element("td", {}, slider(i))));
  const choice = element("select", { "aria-label": "positive class", change: (event) => take({ ...matrix, positive: event.target.value === "" ? null : Number(event.target.value) }) },
    element("option", { value: "" }, "none"), ...labels.map((label, i) => element("option", { value: i }, cut(label))));
  choice.value = matrix.positive ?? "";
  const resize = (more) => {
    let k = size + 1;
    while (labels.includes(`c${k}`)) k += 1;
    const names = more ? [...labels, `c${k}`] : labels.slice(0, -1);
    const sized = (all) => (more ? [...all.map((row) => [...row, 0]), names.map((_, j) => (j === size ? 10 : 0))] : all.slice(0, -1).map((row) => row.slice(0, -1)));
    const kept = matrix.positive !== null && matrix.positive < names.length ? matrix.positive : null;
    take({ ...matrix, labels: names, rows: sized(matrix.rows), start: sized(matrix.start), positive: names.length === 2 ? kept ?? 0 : kept });
  };
  matrixPanel.replaceChildren(heading(), element("div", { class: "table", tabindex: 0, role: "group", "aria-label": "the counts" }, element("table", { class: `matrix typed many${paired ? " pair" : ""}`, "data-shape": shapeOf() }, head, element("tbody", {}, ...body))),
    element("p", { class: "row below" }, size < MOST_EDITED ? button("one class more", () => resize(true)) : null, size > 2 ? button("one class fewer", () => resize(false)) : null,
      button("back to the start", () => take({ ...matrix, rows: matrix.start })), element("label", {}, "positive class ", choice)));
  refresh(null);
}
const shapeOf = () => JSON.stringify([matrix.labels, matrix.positive]);
const heading = () => element("h2", { class: "ph h3" }, "Confusion matrices ", element("small", {}, "type counts, or move a recall"));
function refresh(except) {
  const write = (box, v) => { if (box !== except) box.value = v; };
  matrix.rows.forEach((row, i) => {
    const size = sum(row), was = sum(matrix.start[i]);
    row.forEach((x, j) => {
      const box = $(`[data-cell="${i},${j}"]`, matrixPanel), shade = (v, all) => { const share = all ? v / all : 0; return share > 0 ? Math.ceil(10 * (i === j ? share : Math.sqrt(share))) : 0; };
      write(box, Number(x.toPrecision(9)));
      box.parentElement.className = `cell ${i === j ? "ok" : "no"} q${shade(x, size)}`;
      const before = $(`[data-start="${i},${j}"]`, matrixPanel);
      if (before) { before.textContent = matrix.start[i][j].toLocaleString("en"); before.parentElement.className = `was cell ${i === j ? "ok" : "no"} q${shade(matrix.start[i][j], was)}`; }
    });
    write($(`[data-found="${i}"]`, matrixPanel), size ? row[i] / size : 0);
  });
}

// ---- where the counts come from
function take({ labels, listed, rows, start, left, positive }) {
  const copy = (all) => all.map((row) => [...row]), named = labels.some((label, i) => label !== `c${i + 1}`);
  matrix = { labels, listed: Boolean(listed && named), named, rows: copy(rows), start: copy(start ?? rows), positive: positive === undefined ? (labels.length === 2 ? 0 : null) : positive };
  show();
  if (left) status.textContent = `${left.toLocaleString("en")} ${left === 1 ? "row" : "rows"} without a truth or a prediction ${left === 1 ? "was" : "were"} left out.`;
}
// Another matrix: what was asked of the last one is forgotten.
function begin(given) {
  whatIf?.stop();
  setAddress([]);
  take(given);
}
const cases = element("select", { "aria-label": "a case to start from", change: () => attempt(() => { const one = catalogue.cases[Number(cases.value)]; about.textContent = one.words; begin({ labels: one.labels, listed: true, rows: one.rows }); }) },
  ...[...new Set(catalogue.cases.map((one) => one.group))].map((group) => element("optgroup", { label: group }, ...catalogue.cases.flatMap((one, k) => (one.group === group ? [element("option", { value: k }, cut(one.name, 70))] : [])))));
const about = element("p", { class: "small muted" }, catalogue.cases[0].words);
const pasted = element("textarea", { rows: 3, placeholder: "90 10\n30 870", "aria-label": "a pasted matrix, rows are truth", spellcheck: "false" });
const columns = element("div", { class: "row" });
const opened = (file) => attempt(() => headerOf(file, (names, delimiter) => chooseColumns(file, names, delimiter), complain));
function chooseColumns(file, names, delimiter) {
  columns.replaceChildren();
  if (names.length < 2) { complain(`a table needs a column of the truth and one of the predictions; found ${names.length === 1 ? `one column: ${cut(names[0], 60)}` : "none"}.`); return; }
  const pick = (label, guess, other) => {
    const select = element("select", { "aria-label": label }, ...names.map((name, k) => element("option", { value: k }, cut(name, 30)))), at = names.findIndex((name) => guess.test(name));
    select.value = at >= 0 ? at : Math.min(other, names.length - 1);
    return select;
  };
  const truth = pick("column of the truth", GUESSES.truth, 0), called = pick("column of the predictions", GUESSES.called, 1);
  columns.replaceChildren("truth ", truth, " prediction ", called, button("count", () => attempt(() => countFile(file, delimiter, Number(truth.value), Number(called.value), begin, complain))));
}
const chosen = element("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", "aria-label": "a CSV file", change: () => chosen.files[0] && opened(chosen.files[0]) });
const typed = element("input", { type: "text", maxlength: 2000, placeholder: "tp / (tp + fp)  or  mean(hits / max(actual, predicted))", "aria-label": "your own formula", input: () => attempt(() => {
  formula = typed.value.trim() ? readFormula(typed.value) : null;
  show();
  if (formula?.ofCells && matrix.positive === null) complain("tp, fn, fp and tn are those of a positive class: choose one above, or write of all classes (hits, actual, predicted).");
}) });
const beside = element("div", { class: "beside" }, element("label", {}, "Start from a case", cases), about, element("label", {}, "Add your own formula", typed),
  element("p", { class: "small muted" }, "tp, fn, fp, tn of the positive class; or hits, actual, predicted, missed, false_alarms, rejected of each class inside mean, sum, product or geometric_mean; n, C; + - * / ^, sqrt, log, abs, max, min."));
$("#start").append(element("div", { class: "sources" },
  panel("Paste a matrix", element("p", { class: "small muted" }, "Rows are truth, columns are predictions."), pasted, button("take this matrix", () => attempt(() => begin(readMatrix(pasted.value))))),
  panel("Count a table", element("div", { class: "empty", dragover: (event) => event.preventDefault(), drop: (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) opened(event.dataTransfer.files[0]); } },
    "Drop a CSV file here: it is counted in this page and goes nowhere else. ", chosen, columns))));
matrixPanel.after(beside);
$(".first .two").before(status);

// ---- the link keeps counts, names, positive class and formula
function addressParts() {
  if (matrix.labels.length > MOST_EDITED) return [];
  const cells = (all) => all.map((row) => row.map((x) => Number(x.toPrecision(12))).join(",")).join("_");
  const before = cells(matrix.start) === cells(matrix.rows) ? [] : [`b=${cells(matrix.start)}`];
  const names = matrix.named ? [`l=${writtenNames(matrix.labels)}`, ...(matrix.listed ? [] : ["u=1"])] : [];
  return [`x=${cells(matrix.rows)}`, ...before, ...names, `k=${matrix.positive ?? "none"}`, ...(formula ? [`f=${writtenNames([formula.text])}`] : [])];
}
function fromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.get("f")) { typed.value = namesOf(given.get("f"))[0]; attempt(() => { formula = readFormula(typed.value); }); }
  if (!given.has("x")) return null;
  try {
    const read = readMatrix(given.get("x").replace(/_/g, ";")), labels = namesOf(given.get("l") ?? ""), at = given.get("k") ?? "";
    if (labels.length === read.rows.length && new Set(labels).size === labels.length && labels.every(Boolean)) Object.assign(read, { labels, listed: !given.has("u") });
    const start = given.has("b") ? readMatrix(given.get("b").replace(/_/g, ";")).rows : read.rows;
    const positive = at === "none" ? null : /^\d{1,4}$/.test(at) && Number(at) < read.rows.length ? Number(at) : undefined;
    return { ...read, start: start.length === read.rows.length ? start : read.rows, positive };
  } catch {
    return null;
  }
}
addEventListener("hashchange", () => {
  const asked = matrix && addressParts().every((part) => location.hash.includes(part)) ? null : fromAddress();
  if (asked) take(asked);
});
take(fromAddress() ?? { labels: catalogue.cases[0].labels, listed: true, rows: catalogue.cases[0].rows });
