// What is shown of a state? The measures with the value on the test set as a ghost, the matrix, and a sentence.

const MARKS = ["first", "second", "third", "fourth", "fifth", "sixth"];
const WIDE = 220;
const MOST_CELLS = 12;

const place = (about, value) => {
  if (about.low === null || about.high === null || about.high === about.low || !Number.isFinite(value)) return null;
  return 8 + (WIDE - 16) * Math.min(1, Math.max(0, (value - about.low) / (about.high - about.low)));
};

const scaleOf = (about, results, ghosts, intervals) => {
  if (about.low === null || about.high === null) return null;
  const height = 10 + 10 * results.length;
  const parts = [drawn("line", { x1: 8, x2: WIDE - 8, y1: height - 4, y2: height - 4, class: "grid" })];
  const words = [];
  results.forEach(({ value }, k) => {
    const y = 6 + 10 * k;
    const [low, high] = intervals[k] ?? [null, null];
    if (low !== null && place(about, low) !== null) {
      parts.push(drawn("line", { x1: place(about, low), x2: place(about, high), y1: y, y2: y, class: "between" }));
    }
    const ghost = place(about, ghosts[k]);
    const now = place(about, value);
    if (ghost !== null) parts.push(drawn("circle", { cx: ghost, cy: y, r: 4, class: "ghost" }));
    if (now !== null) parts.push(drawn("circle", { cx: now, cy: y, r: 4, class: "mark " + MARKS[k % MARKS.length] }));
    words.push(`${shown(value)}, on the test set ${shown(ghosts[k])}`);
  });
  return drawn("svg", { viewBox: `0 0 ${WIDE} ${height}`, class: "picture live-scale", role: "img",
    "aria-label": `${about.title}: ${words.join("; ")}` }, ...parts);
};

// A row of the table, made once and filled again for every state.
const measureRow = (about, models) => {
  const scale = element("td", { class: "scale" });
  const values = models.map(() => [element("span"), element("span", { class: "aside" })]);
  const name = element("td", { class: "words", title: about.question }, about.title + (about.better === "lower" ? " ↓" : ""));
  const row = element("tr", {}, name, scale, ...values.map((parts) => element("td", {}, ...parts)));
  const fill = (results, ghosts, intervals) => {
    const picture = scaleOf(about, results, ghosts, intervals);
    scale.replaceChildren(...(picture ? [picture] : []));
    results.forEach(({ value, why }, k) => {
      const [said, aside] = values[k];
      const same = shown(value) === shown(ghosts[k]);
      const [low, high] = intervals[k] ?? [null, null];
      const interval = low === null ? "" : `${shown(low)} to ${shown(high)}`;
      said.textContent = shown(value);
      aside.textContent = why ?? (same ? interval : `here ${shown(ghosts[k])}`);
    });
  };
  return { row, fill };
};

const matrixOf = (data, model, moved) => {
  if (data.labels.length > MOST_CELLS) return null;
  const whole = sumOf(model.own.map(sumOf));
  const scaled = sumOf(model.rows.map(sumOf));
  const factor = moved && scaled ? whole / scaled : 1;
  const head = element("tr", {}, element("th", { class: "words" }, "truth"),
    ...data.labels.map((label) => element("th", { title: label }, "called " + short(label, 14))));
  const rows = model.rows.map((row, i) => {
    const most = sumOf(row);
    return element("tr", {}, element("td", { class: "words", title: data.labels[i] }, short(data.labels[i], 18)),
      ...row.map((x, j) => {
        const cell = element("td", { class: i === j ? "own" : null }, counted(x * factor));
        cell.style.setProperty("--share", most ? ((30 * x) / most).toFixed(1) + "%" : "0%");
        return cell;
      }));
  });
  return element("table", { class: "live-matrix" }, element("caption", {}, data.models.length > 1 ? model.name : "The matrix there, of as many examples as here"), element("thead", {}, head),
    element("tbody", {}, ...rows));
};

const sentenceOf = (data, model) => {
  if (model.why) return `With these shares nothing can be said: ${model.why}.`;
  const i = data.positive;
  if (i === null) return "";
  const whole = sumOf(model.rows.map(sumOf));
  const per = whole ? 1e6 / whole : 0;
  const found = model.rows[i][i] * per;
  const all = sumOf(model.rows[i]) * per;
  const alerts = sumOf(model.rows.map((row) => row[i])) * per;
  const start = data.models.length > 1 ? `${model.name}: of` : "Of";
  const wrong = alerts ? `${counted(alerts - found)} of its ${counted(alerts)} alerts are false (${percent(1 - found / alerts)})` : "it raises no alert";
  return `${start} a million examples ${counted(all)} are ${data.labels[i]}; it finds ${counted(found)} of them, and ${wrong}.`;
};
