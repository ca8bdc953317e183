// The page comes to life: what the reader changes is computed again by the measures' own functions.

const startLive = (place, data, functions) => {
  const about = data.measures;
  const state = readState(data, new Set(about.map((m) => m.name)));
  const observed = worldOf({ ...data, models: data.start ?? data.models }, nothingAsked());
  const ghosts = new Map();
  const ghostsOf = (m) => {
    if (!ghosts.has(m.name)) {
      ghosts.set(m.name, observed.models.map((model) => valueOf(data, functions, m, model, observed.weights).value));
    }
    return ghosts.get(m.name);
  };
  const rows = new Map();
  const rowOf = (m) => {
    if (!rows.has(m.name)) rows.set(m.name, measureRow(m, data.models));
    return rows.get(m.name);
  };

  const controls = [
    sharesControl(data, state, change),
    thresholdControl(data, state, change),
    costsControl(data, state, change),
    orderControl(data, state, change),
    measuresControl(data, about, state, change),
  ];
  const heads = data.models.map((model) =>
    element("th", { title: model.name }, data.models.length > 1 ? short(model.name, 16) : "value"));
  const body = element("tbody");
  let shownOrder = null;
  const table = element("table", { id: "live-values" },
    element("thead", {}, element("tr", {}, element("th", { class: "words" }, "measure"), element("th", {}, ""), ...heads)), body);
  const curve = startCurve(data, functions);
  const sentence = element("div", { class: "strong", "aria-live": "polite" });
  const tables = data.labels.length > MOST_CELLS ? [] : data.models.map((model) => matrixTable(data, model));
  const matrices = element("div", { class: "matrices" }, ...tables.map(({ table }) => table));
  const spent = element("p");
  const remark = element("p", { class: "soft" });
  const lines = element("textarea", { readonly: true, rows: 10, spellcheck: "false", "aria-label": "Python lines for this state" });
  let linesNow = () => "";
  const write = () => (lines.value = linesNow());
  // Written at the click, which comes before the box opens: what an open box says of itself comes later, and it was seen empty.
  const python = element("details", { toggle: write }, element("summary", { click: write }, "Python lines for this state"), lines,
    element("p", { class: "presets" }, button("copy", () => { lines.select(); document.execCommand("copy"); })));
  const sorted = element("input", { type: "checkbox", change: () => change(() => (state.sorted = sorted.checked)) });

  const [shares, threshold, costs, order, chosen] = controls.map(([made]) => made);
  place.append(
    element("div", { class: "strip" }, shares, threshold, costs),
    element("details", { class: "more" }, element("summary", {}, "Which class matters more; which measures are shown"),
      element("div", { class: "strip" }, order, chosen)),
    sentence,
    element("div", { class: "live-pair" },
      element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "measures for this state" }, table,
        element("p", {}, element("label", {}, sorted, " those that move most first"))),
      element("div", {}, element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "matrix for this state" }, matrices), curve.figure)),
    spent, remark, python,
  );

  const elsewhere = startFollowing(place, data, functions);
  const page = place.closest("main");
  const where = element("div", { class: "where", hidden: true });
  if (page && !data.start) page.append(where);
  for (const made of page?.querySelectorAll("details") ?? []) if (!place.contains(made)) made.addEventListener("toggle", () => follow());

  // Which parts of the state differ from that of the test set, and in which words.
  const differing = () => {
    const found = new Map();
    if (state.priors) {
      const at = data.positive ?? state.priors.indexOf(Math.min(...state.priors));
      const even = Math.max(...state.priors) - Math.min(...state.priors) < 1e-9;
      found.set("shares", even ? "balanced classes" : `${short(data.labels[at])} ${percent(state.priors[at])} of the examples`);
    }
    if (state.at !== null && data.curve) {
      const at = data.curve.thresholds[state.at];
      found.set("threshold", at === null ? "a threshold at which nothing is called" : `a threshold of ${shown(at)}`);
    }
    if (state.order) found.set("order", "classes weighted by relevance");
    return found;
  };

  const tell = (parts) => {
    where.hidden = parts.size === 0;
    if (where.hidden) return;
    where.replaceChildren(
      element("span", {}, `Seen with ${Array.from(parts.values()).join(", ")}.`),
      button("back to the test set", () => change(() => Object.assign(state, { priors: null, at: null, order: null }))),
      element("a", { href: "#" + place.id }, "to the controls"));
  };

  function change(what) {
    page?.classList.add("alive"); // from now on what is out of sight is not laid out at every move
    what();
    keepState(state);
    follow();
  }

  function follow() {
    const moved = state.priors !== null || state.at !== null || state.order !== null || data.start !== undefined;
    const world = moved ? worldOf(data, state) : observed; // its values are known
    const names = new Set(state.measures ?? data.first);
    const found = about.filter((m) => names.has(m.name)).map((m) => ({
      m, results: world.models.map((model) => valueOf(data, functions, m, model, world.weights)), before: ghostsOf(m),
    }));
    if (state.sorted) {
      const shift = ({ m, results, before }) => Math.max(...results.map(({ value }, k) => {
        const size = Math.abs(value - before[k]) / (m.low !== null && m.high !== null ? m.high - m.low || 1 : Math.max(1, Math.abs(before[k])));
        return Number.isNaN(size) ? (Number.isNaN(value) === Number.isNaN(before[k]) ? -1 : 2) : size;
      }));
      found.sort((a, b) => shift(b) - shift(a));
    }
    const rowsShown = found.map(({ m, results, before }) => {
      const { row, fill } = rowOf(m);
      const intervals = data.models.map((model) => (moved ? null : data.intervals?.[model.name]?.[m.name] ?? null));
      fill(results, before, intervals);
      return row;
    });
    const ordered = found.map(({ m }) => m.name).join("\n");
    if (ordered !== shownOrder) body.replaceChildren(...rowsShown);
    shownOrder = ordered;
    sentence.replaceChildren(...world.models.map((model) => element("p", {}, sentenceOf(data, model))));
    tables.forEach(({ fill }, k) => fill(world.models[k], moved));
    const priced = Object.keys(state.costs).length > 0;
    spent.textContent = priced
      ? world.models.map((model) => `${data.models.length > 1 ? model.name + ": the" : "The"} mistakes cost ${shown(costOf(model.rows, state.costs))} an example.`).join(" ")
      : "";
    remark.textContent = data.start
      ? "Rings: the matrix as it was at the start."
      : moved
      ? "Rings: on the test set as it was. Intervals were computed for that state only and are not shown for this one."
      : data.intervals ? `Intervals at ${data.level}: computed for this state, the test set as it is.` : "";
    sorted.checked = state.sorted;
    for (const [, follows] of controls) follows();
    curve.follow(world, state, found);
    if (!data.start) {
      const parts = differing();
      elsewhere.follow(world, state, parts);
      tell(parts);
    }
    linesNow = () => pythonLines(data, state, world, found.map(({ m }) => m));
    if (python.open) write();
  }

  const again = () => {
    const hash = window.location.hash.slice(1);
    if (hash && !hash.includes("=")) return keepState(state); // a link within the page, not a state
    Object.assign(state, readState(data, new Set(about.map((m) => m.name))));
    follow();
  };
  window.addEventListener("hashchange", again);
  follow();
  return { state, follow, stop: () => window.removeEventListener("hashchange", again) };
};
