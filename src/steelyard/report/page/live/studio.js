// The studio: the live page without a report. It starts from a case, a pasted matrix or a table, and everything can change.

const MOST_EDITED = 12;
const GUESSES = { truth: /^(y_?true|truth|true|actual|label|target|class)$/i, called: /^(y_?pred|pred|predicted|prediction|called)/i };

const startStudio = (place, given, functions) => {
  const operations = functions.operations;
  const data = { ...given, names: null, priors: null, relevance: null, intervals: null, curve: null, level: "" };
  let formula = null;
  let live = null;
  const said = element("p", { class: "bad", role: "status" });
  const editor = element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "the counts" });
  const panel = element("div");

  const complain = (error) => {
    said.textContent = String(error.message ?? error);
  };
  const trying = (what) => {
    said.textContent = "";
    try {
      what();
    } catch (error) {
      complain(error);
    }
  };

  const take = ({ labels, listed, rows, left, positive }, start = rows) => {
    const own = labels.some((label, i) => label !== "c" + (i + 1));
    Object.assign(data, { labels, listed: listed && own, names: own ? labels : null });
    data.models = [{ name: "this matrix", rows: rows.map((row) => row.slice()) }];
    data.start = [{ name: "this matrix", rows: start.map((row) => row.slice()) }];
    data.positive = positive === undefined ? (labels.length === 2 ? 0 : null) : positive;
    rebuild();
    if (left) said.textContent = `${left.toLocaleString("en-US")} ${left === 1 ? "row" : "rows"} without a truth or a prediction ${left === 1 ? "was" : "were"} left out.`;
  };

  const rebuild = () => {
    const size = data.labels.length;
    const ends = (m) => m.ends[Math.min(size, m.ends.length) - 1];
    data.measures = given.measures
      .filter((m) => m.two === false || data.positive !== null)
      .map((m) => ({ ...m, low: ends(m)[0], high: ends(m)[1] }));
    if (formula && (!formula.ofCells || data.positive !== null)) {
      const own = (rows, options) => formulaValue(formula, rows, options, operations);
      data.measures.unshift({ name: "own", title: formula.text, symbols: [], question: "Your own formula", better: "neither",
        low: null, high: null, over: true, own });
    }
    const held = new Set(data.measures.map((m) => m.name));
    data.first = ["own", ...given.first].filter((name) => held.has(name));
    live?.stop();
    panel.replaceChildren();
    live = startLive(panel, data, functions);
    edit();
  };

  // Another matrix: what was asked of the last one is forgotten, and the address holds the new one.
  const begin = (given) => {
    try {
      window.history.replaceState(null, "", window.location.pathname + window.location.search);
    } catch {
      // Inside a frame there is no address.
    }
    take(given);
    keepState(live.state);
  };

  const changed = () => {
    live.follow();
    keepState(live.state);
  };

  const edit = () => {
    const size = data.labels.length;
    const rows = data.models[0].rows;
    if (size > MOST_EDITED) {
      editor.replaceChildren(element("p", { class: "soft" }, `${size} classes: their counts are too many to be typed; the shares can be changed below.`));
      return;
    }
    const inputs = [];
    const found = [];
    const refresh = (except) => rows.forEach((row, i) => {
      row.forEach((x, j) => { if (inputs[i][j] !== except) inputs[i][j].value = Number(x.toPrecision(9)); });
      const whole = sumOf(row);
      if (found[i] !== except) found[i].value = whole ? row[i] / whole : 0;
    });
    const body = rows.map((row, i) => {
      inputs.push(row.map((_, j) => {
        const input = element("input", { type: "number", min: 0, step: "any", "aria-label": `examples of ${data.labels[i]} called ${data.labels[j]}`,
          input: () => {
            const x = input.value === "" ? NaN : Number(input.value);
            if (!(x >= 0 && x < 1e300)) {
              complain("a count is a number from 0 to 1e300; the last one is kept.");
              return;
            }
            said.textContent = "";
            rows[i][j] = x;
            refresh(input);
            changed();
          } });
        return input;
      }));
      const slider = element("input", { type: "range", min: 0, max: 1, step: 0.001, "aria-label": `share of ${data.labels[i]} that is found`,
        input: () => {
          const whole = sumOf(rows[i]);
          const rest = whole - rows[i][i];
          const share = Number(slider.value);
          rows[i] = rows[i].map((x, j) => (j === i ? whole * share : whole * (1 - share) * (rest ? x / rest : 1 / (size - 1))));
          refresh(slider);
          changed();
        } });
      found.push(slider);
      const name = element("input", { type: "text", maxlength: 200, value: data.labels[i], "aria-label": `name of class ${i + 1}`,
        change: () => {
          const labels = data.labels.map((label, k) => (k === i ? name.value || label : label));
          if (new Set(labels).size < size) {
            name.value = data.labels[i];
            complain(new Error("two classes cannot have the same name."));
          } else {
            take({ ...data, labels, rows, positive: data.positive, listed: data.listed }, data.start[0].rows);
            keepState(live.state);
          }
        } });
      return element("tr", {}, element("td", { class: "words" }, name), ...inputs[i].map((input) => element("td", {}, input)), element("td", {}, slider));
    });
    const head = element("tr", {}, element("th", { class: "words" }, "truth"),
      ...data.labels.map((label) => element("th", { title: label }, "called " + short(label, 12))), element("th", {}, "found"));
    const positive = element("select", { "aria-label": "positive class", change: () => {
      data.positive = positive.value === "" ? null : Number(positive.value);
      rebuild();
      keepState(live.state);
    } }, element("option", { value: "" }, "none"), ...data.labels.map((label, i) => element("option", { value: i }, short(label))));
    positive.value = data.positive ?? "";
    const resize = (more) => {
      const names = more ? [...data.labels, free(data.labels)] : data.labels.slice(0, -1);
      const wider = (all) => (more ? [...all.map((row) => [...row, 0]), names.map((_, k) => (k === names.length - 1 ? 10 : 0))]
        : all.slice(0, -1).map((row) => row.slice(0, -1)));
      const kept = data.positive !== null && data.positive < names.length ? data.positive : null;
      take({ labels: names, listed: data.listed, rows: wider(rows), positive: names.length === 2 ? kept ?? 0 : kept }, wider(data.start[0].rows));
      keepState(live.state);
    };
    const buttons = element("p", { class: "presets" },
      size < MOST_EDITED ? button("one class more", () => resize(true)) : null,
      size > 2 ? button("one class fewer", () => resize(false)) : null,
      button("back to the start", () => { take({ ...data, rows: data.start[0].rows }); keepState(live.state); }),
      element("label", {}, "positive class ", positive));
    editor.replaceChildren(element("table", { class: "typed" }, element("thead", {}, head), element("tbody", {}, ...body)), buttons);
    refresh(null);
  };

  const free = (labels) => {
    let k = labels.length + 1;
    while (labels.includes("c" + k)) k += 1;
    return "c" + k;
  };

  // -- where it starts

  const groups = [...new Set(given.cases.map((one) => one.group))];
  const cases = element("select", { "aria-label": "a case to start from", change: () => trying(() => {
    const one = given.cases[Number(cases.value)];
    about.textContent = one.words;
    begin({ labels: one.labels, listed: true, rows: one.rows });
  }) }, ...groups.map((name) => element("optgroup", { label: name },
    ...given.cases.map((one, k) => (one.group === name ? element("option", { value: k }, short(one.name, 70)) : null)))));
  const about = element("p", { class: "soft" }, given.cases[0].words);
  const pasted = element("textarea", { rows: 4, placeholder: "90 10\n30 870", "aria-label": "a pasted matrix, rows are truth", spellcheck: "false" });
  const paste = button("take this matrix", () => trying(() => begin(readMatrix(pasted.value))));
  const columns = element("div", { class: "presets" });
  const opened = (file) => trying(() => headerOf(file, (names, delimiter) => chooseColumns(file, names, delimiter), complain));
  const chooseColumns = (file, names, delimiter) => {
    columns.replaceChildren();
    if (names.length < 2) {
      complain(`a table needs a column of the truth and one of the predictions; found ${names.length === 1 ? "one column: " + short(names[0], 60) : "none"}.`);
      return;
    }
    const pick = (what, guess, other) => {
      const select = element("select", { "aria-label": what }, ...names.map((name, k) => element("option", { value: k }, short(name, 30))));
      const at = names.findIndex((name) => guess.test(name));
      select.value = at >= 0 ? at : Math.min(other, names.length - 1);
      return select;
    };
    const truth = pick("column of the truth", GUESSES.truth, 0);
    const called = pick("column of the predictions", GUESSES.called, 1);
    columns.replaceChildren("truth ", truth, " prediction ", called,
      button("count", () => trying(() => countFile(file, delimiter, Number(truth.value), Number(called.value), begin, complain))));
  };
  const file = element("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", "aria-label": "a CSV file", change: () => file.files[0] && opened(file.files[0]) });
  const drop = element("div", { class: "drop",
    dragover: (event) => event.preventDefault(),
    drop: (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) opened(event.dataTransfer.files[0]); },
  }, "or drop a CSV file here: it is counted in this page and goes nowhere else ", file, columns);
  const typed = element("input", { type: "text", maxlength: 2000, placeholder: "tp / (tp + fp)  or  mean(hits / max(actual, predicted))", "aria-label": "your own formula",
    input: () => trying(() => {
      formula = typed.value.trim() ? readFormula(typed.value) : null;
      rebuild();
      keepState(live.state);
      if (formula?.ofCells && data.positive === null) complain("tp, fn, fp and tn are those of a positive class: choose one above, or write of all classes (hits, actual, predicted).");
    }) });
  const help = element("p", { class: "soft" }, "tp, fn, fp, tn of the positive class; or hits, actual, predicted, missed, false_alarms, rejected of each class inside mean, sum, product or geometric_mean; n, C; + - * / ^, sqrt, log, abs, max, min.");

  place.append(
    element("div", { class: "strip" }, group("Start from a case", "", cases, about),
      group("or paste a matrix", "Rows are truth, columns are predictions.", pasted, paste),
      group("or count a table", "", drop)),
    said, group("The counts", "", editor), group("Your own formula", "", typed, help), panel);

  const fromAddress = () => {
    const asked = new URLSearchParams(window.location.hash.slice(1));
    if (!asked.has("x")) return null;
    try {
      const read = readMatrix(asked.get("x").replace(/_/g, ";"));
      const labels = namesOf(asked.get("l") ?? "");
      if (labels.length === read.rows.length && new Set(labels).size === labels.length && labels.every(Boolean)) Object.assign(read, { labels, listed: !asked.has("u") });
      const at = asked.get("k") ?? "";
      const positive = at === "none" ? null : /^\d{1,4}$/.test(at) && Number(at) < read.rows.length ? Number(at) : undefined;
      return { ...read, positive };
    } catch {
      return null;
    }
  };
  sortedAtFirst = true;
  moreState = () => {
    if (!data.models || data.labels.length > MOST_EDITED) return [];
    const rows = data.models[0].rows.map((row) => row.map((x) => Number(x.toPrecision(12))).join(",")).join("_");
    const names = data.names ? ["l=" + writtenNames(data.labels), ...(data.listed ? [] : ["u=1"])] : [];
    const own = formula ? ["f=" + writtenNames([formula.text])] : [];
    return ["x=" + rows, ...names, "k=" + (data.positive ?? "none"), ...own];
  };
  const first = given.cases[0];
  const formulaAsked = () => {
    const text = new URLSearchParams(window.location.hash.slice(1)).get("f");
    if (!text) return;
    typed.value = namesOf(text)[0];
    trying(() => (formula = readFormula(typed.value)));
  };
  window.addEventListener("hashchange", () => {
    const asked = fromAddress();
    if (!asked || moreState().every((part) => window.location.hash.includes(part))) return;
    formulaAsked();
    take(asked);
  });
  formulaAsked();
  const asked = fromAddress();
  if (asked) take(asked);
  else take({ labels: first.labels, listed: true, rows: first.rows });
};
