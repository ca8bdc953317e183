// What is shown of a state? The measures with the value on the test set as a ghost, the matrix, and a sentence.

const MARKS = ["first", "second", "third", "fourth", "fifth", "sixth"];
const WIDE = 140;
const MOST_CELLS = 12;

const place = (about, value) => {
  if (about.low === null || about.high === null || about.high === about.low || !Number.isFinite(value)) return null;
  return 8 + (WIDE - 16) * Math.min(1, Math.max(0, (value - about.low) / (about.high - about.low)));
};

// A row of the table, made once and filled again for every state.
const measureRow = (about, models) => {
  const name = element("td", { class: "words", title: about.question }, about.title + (about.better === "lower" ? " ↓" : ""));
  const cells = models.map(() => [element("span"), element("span", { class: "aside" })]);
  const height = 10 + 10 * models.length;
  const marks = models.map((_, k) => {
    const y = 6 + 10 * k;
    return [drawn("line", { y1: y, y2: y, class: "between" }), drawn("circle", { cy: y, r: 4, class: "ghost" }),
      drawn("circle", { cy: y, r: 4, class: "mark " + MARKS[k % MARKS.length] })];
  });
  const picture = about.low === null || about.high === null ? null : drawn("svg", { viewBox: `0 0 ${WIDE} ${height}`, class: "picture live-scale", role: "img" },
    drawn("line", { x1: 8, x2: WIDE - 8, y1: height - 4, y2: height - 4, class: "grid" }), ...marks.flat());
  const row = element("tr", {}, name, element("td", { class: "scale" }, picture), ...cells.map((parts) => element("td", {}, ...parts)));
  const put = (mark, facts) => {
    const hidden = Object.values(facts).includes(null);
    mark.classList.toggle("absent", hidden);
    if (!hidden) for (const [key, value] of Object.entries(facts)) mark.setAttribute(key, value);
  };
  const fill = (results, ghosts, intervals) => {
    const words = results.map(({ value, why }, k) => {
      const [said, aside] = cells[k];
      const [low, high] = intervals[k] ?? [null, null];
      const [now, before] = [shown(value), shown(ghosts[k])];
      say(said, now);
      say(aside, why ?? (now !== before ? `was ${before}` : low === null ? "" : `${shown(low)} to ${shown(high)}`));
      aside.classList.toggle("whole", !why);
      const [between, ghost, mark] = marks[k];
      put(between, { x1: low === null ? null : place(about, low), x2: low === null ? null : place(about, high) });
      put(ghost, { cx: place(about, ghosts[k]) });
      put(mark, { cx: place(about, value) });
      return `${now}, on the test set ${before}`;
    });
    picture?.setAttribute("aria-label", `${about.title}: ${words.join("; ")}`);
  };
  return { row, fill };
};

// The matrix of a model, made once and filled again.
const matrixTable = (data, model) => {
  const head = element("tr", {}, element("th", { class: "words" }, "truth"),
    ...data.labels.map((label) => element("th", { title: label }, "called " + short(label, 14))));
  const cells = data.labels.map((_, i) => data.labels.map((_, j) => element("td", { class: i === j ? "own" : null })));
  const rows = cells.map((row, i) => element("tr", {}, element("td", { class: "words", title: data.labels[i] }, short(data.labels[i], 18)), ...row));
  const words = data.models.length > 1 ? model.name : "The matrix there, of as many examples as here";
  const table = element("table", { class: "live-matrix" }, element("caption", {}, words), element("thead", {}, head), element("tbody", {}, ...rows));
  const fill = (there, moved) => {
    const scaled = sumOf(there.rows.map(sumOf));
    const factor = moved && scaled ? sumOf(there.own.map(sumOf)) / scaled : 1;
    there.rows.forEach((row, i) => {
      const most = sumOf(row);
      row.forEach((x, j) => {
        say(cells[i][j], counted(x * factor));
        cells[i][j].className = (i === j ? "own " : "") + "share" + (most ? Math.round((10 * x) / most) : 0);
      });
    });
  };
  return { table, fill };
};

const sentenceOf = (data, model) => {
  if (model.why) return `Undefined at this class distribution: ${model.why}.`;
  const i = data.positive;
  if (i === null) return "";
  const whole = sumOf(model.rows.map(sumOf));
  const per = whole ? 1e6 / whole : 0;
  const rounded = (x) => (x >= 100 ? Math.round(x) : x);
  const found = rounded(model.rows[i][i] * per);
  const all = rounded(sumOf(model.rows[i]) * per);
  const alerts = rounded(sumOf(model.rows.map((row) => row[i])) * per);
  const start = data.models.length > 1 ? `${model.name}: of` : "Of";
  const wrong = alerts ? `${counted(alerts - found)} of its ${counted(alerts)} alerts are false (${percent(1 - found / alerts)})` : "it raises no alert";
  return `${start} a million rows ${counted(all)} are ${data.labels[i]}; it detects ${counted(found)} of them, and ${wrong}.`;
};
