// What stands elsewhere on the page? Numbers, sentences and marks that say what they show follow the reader's state;
// whatever does not is marked as tested.

const numbersIn = (text) => (text ?? "").split(" ").map(Number);

// Where a number stands between two places with the numbers there; beyond them it stays at the edge.
const placeOn = ([from, to, low, high], value) => {
  const part = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return Number.isFinite(part) ? from + (to - from) * part : null;
};

const startFollowing = (root, data, functions) => {
  const page = root.closest("main");
  if (!page) return { follow: () => {} };
  const outside = (selector, within = page) => Array.from(within.querySelectorAll(selector)).filter((found) => !root.contains(found));
  let world = null;
  let worlds = {};
  let facts = new Map();

  const known = (key, make) => {
    if (!facts.has(key)) facts.set(key, make());
    return facts.get(key);
  };
  const measure = new Map(data.measures.map((m) => [m.name, m]));
  const valueAt = (where, weights, model, name) => {
    const there = worlds[where]()?.models[model];
    return there && measure.has(name) ? valueOf(data, functions, measure.get(name), there, weights).value : null;
  };
  const ofClasses = (k) => known("classes:" + k, () => {
    const { rows, own } = world.models[k];
    const sizes = rows.map(sumOf);
    const whole = sumOf(sizes);
    const factor = whole ? sumOf(own.map(sumOf)) / whole : 1;
    const called = rows.map((_, j) => sumOf(rows.map((row) => row[j])));
    const rates = rows.map((row, i) => row.map((x) => x / sizes[i]));
    return { rows, sizes, whole, factor, called, rates };
  });
  const asked = (words) => words.split(":").map(Number);

  const ofClass = {
    support: ({ sizes, factor }, i) => counted(sizes[i] * factor),
    share: ({ sizes, whole }, i) => percent(sizes[i] / whole),
    recall: ({ rows, sizes }, i) => rows[i][i] / sizes[i],
    precision: ({ rows, called }, i) => rows[i][i] / called[i],
    f1: ({ rows, sizes, called }, i) => (2 * rows[i][i]) / (sizes[i] + called[i]),
    balanced: ({ rates }, i) => rates[i][i] / sumOf(rates.map((row) => row[i])),
  };
  // Of two classes: the rates of the positive one, whatever the shares.
  const rates = () => known("rates", () => {
    const { own } = world.models[0];
    const i = data.positive;
    const others = own.filter((_, k) => k !== i);
    const negatives = sumOf(others.map(sumOf));
    return { found: own[i][i] / sumOf(own[i]), false: sumOf(others.map((row) => row[i])) / negatives,
      alerts: sumOf(own.map((row) => row[i])) / sumOf(own.map(sumOf)) };
  });

  // Each kind of thing that is followed: its number, or its words.
  const kinds = {
    here: (model, ...name) => valueAt("here", world.weights, model, name.join(":")),
    balanced: (model, ...name) => valueAt("balanced", world.weights, model, name.join(":")),
    yours: (model, ...name) => valueAt("yours", world.weights, model, name.join(":")),
    weighted: (model, ...name) => valueAt("here", data.relevance, model, name.join(":")),
    cell: (model, i, j) => counted(ofClasses(model).rows[i][j] * ofClasses(model).factor),
    "share-of": (model, i, j) => percent(ofClasses(model).rates[i][j]),
    class: (model, i, what) => ofClass[what](ofClasses(model), Number(i)),
    interval: () => "",
    finds: () => sentenceOf(data, world.models[0]),
    equal: (model, ...name) => valueAt("here", null, model, name.join(":")),
    tested: () => null,
    right: () => {
      if (world.models[0].why) return sentenceOf(data, world.models[0]);
      const { rows, whole } = ofClasses(0);
      return `There ${percent(sumOf(rows.map((row, i) => row[i])) / whole)} are correct.`;
    },
    hardest: () => "",
    constant: () => {
      if (world.models[0].why) return "";
      const { rows, sizes, whole } = ofClasses(0);
      const most = Math.max(...sizes);
      return `Always predicting "${short(data.labels[sizes.indexOf(most)])}" is ${percent(most / whole)} accurate there; this classifier is ${percent(sumOf(rows.map((row, i) => row[i])) / whole)} accurate.`;
    },
    "yours-false": () => {
      const value = valueAt("yours", null, 0, "precision");
      return value === null || Number.isNaN(value) ? "" : `At your priors ${percent(1 - value)} of its alerts would be false.`;
    },
  };
  const said = (key) => {
    const [kind, ...rest] = key.split(":");
    const found = kinds[kind](...rest);
    return typeof found === "number" ? { number: found, words: shown(found) } : found === null ? null : { number: NaN, words: found };
  };

  // Words and cells: made once, written again where what they say differs.
  const texts = outside("[data-follows]:not(g)").map((made) => {
    const first = Array.from(made.childNodes);
    const before = Array.from(made.childNodes).filter((node) => !node.classList?.contains("aside")).map((node) => node.textContent).join("");
    const strong = made.firstElementChild?.className ?? "";
    const cell = made.tagName === "TD";
    const now = element("span", { class: `${strong} moved` });
    const was = element("span", { class: "was" }, before ? `was ${before}` : "");
    let changed = false;
    const fold = made.closest("details");
    return (moved) => {
      if (fold && !fold.open) return;
      const found = moved ? said(made.dataset.follows) : null;
      const differs = found !== null && found.words !== before;
      if (differs) say(now, found.words);
      if (differs === changed) return;
      changed = differs;
      made.replaceChildren(...(differs ? [now, ...(cell && before && made.dataset.follows !== "interval" ? [was] : [])] : first));
    };
  });

  // A dot is moved with its group; where it stood a ring stays. Whiskers belong to the state they were computed for.
  const dots = outside("g[data-follows][data-at]").map((made) => {
    const [x, y] = numbersIn(made.dataset.at);
    const key = made.dataset.follows;
    const ghost = drawn("circle", { cx: x, cy: y, r: 4.5, class: "ghost absent" });
    const lines = [...made.querySelectorAll(".between"), ...(made.parentNode.querySelectorAll(":scope > .between"))];
    made.before(ghost);
    const [alongX, alongY] = [numbersIn(made.dataset.x), numbersIn(made.dataset.y ?? made.dataset.logy)];
    const spot = () => {
      if (key === "roc") return [rates().false, rates().found];
      if (key.startsWith("pr:")) {
        const prior = Number(key.slice(3));
        const right = prior * rates().found;
        return [rates().found, right / (right + (1 - prior) * rates().false)];
      }
      return [said(key)?.number ?? NaN, null];
    };
    return (moved) => {
      const [across, up] = moved ? spot() : [null, null];
      const to = moved ? placeOn(alongX, across) : x;
      const above = !moved || up === null ? y : placeOn(alongY, made.dataset.logy ? Math.log10(up) : up);
      const stays = moved && to !== null && above !== null && Math.hypot(to - x, above - y) < 0.3;
      made.classList.toggle("absent", to === null || above === null);
      ghost.classList.toggle("absent", !moved || stays);
      for (const line of lines) line.classList.toggle("absent", moved);
      if (to !== null && above !== null) made.setAttribute("transform", `translate(${(to - x).toFixed(1)} ${(above - y).toFixed(1)})`);
    };
  });

  const uprights = outside("g[data-follows][data-logx]").map((made) => {
    const line = made.querySelector("line");
    const there = line.cloneNode();
    there.setAttribute("class", "here now absent");
    made.append(there);
    const key = made.dataset.follows;
    return (moved) => {
      const [at] = asked(key.slice(key.indexOf(":") + 1));
      const value = !moved ? NaN : key === "alerts" ? rates().alerts : ofClasses(0).sizes[at] / ofClasses(0).whole;
      const x = placeOn(numbersIn(made.dataset.logx), Math.log10(value));
      there.classList.toggle("absent", x === null);
      if (x !== null) for (const end of ["x1", "x2"]) there.setAttribute(end, x.toFixed(1));
    };
  });

  // Cells of the large matrix: their words, their shade and what a pointer is told.
  const squares = outside("g[data-follows]:not([data-at]):not([data-logx])").map((made) => {
    const [title, box, words] = ["title", "rect", "text"].map((name) => made.querySelector(name));
    const first = [title.textContent, box.getAttribute("fill-opacity"), words?.textContent, words?.getAttribute("class")];
    const [kind, model, i, j] = made.dataset.follows.split(":");
    return (moved) => {
      const share = moved ? ofClasses(Number(model)).rates[i][j] : 0;
      const shade = Math.min(1, Math.max(0, share || 0));
      const told = moved ? `${kinds.cell(model, i, j)} of class ${data.labels[i]} predicted as ${data.labels[j]}: ${percent(share)} of the class` : first[0];
      say(title, told);
      put(box, "fill-opacity", moved ? (0.04 + 0.96 * shade).toFixed(3) : first[1]);
      if (!words) return;
      say(words, moved ? (kind === "cell" ? kinds.cell(model, i, j) : share === 0 ? "" : share < 0.005 ? "<1%" : `${(100 * share).toFixed(0)}%`) : first[2]);
      put(words, "class", moved ? (shade > 0.7 ? "on-dark" : "on-light") : first[3]);
    };
  });

  const lines = startLines(outside("g[data-line]"), data, functions);

  // What does not follow is marked: a heading where nothing below it does, else the column, the table or the picture.
  const boundTo = (made, parts) => (made.dataset.bound ?? "shares threshold order").split(" ").some((part) => parts.has(part));
  const columnsOf = (table) => {
    const heads = Array.from(table.tHead?.rows[0]?.cells ?? []);
    const rows = Array.from(table.tBodies[0]?.rows ?? []);
    return heads.map((head, k) => ({ head, follows: rows.some((row) => row.cells[k]?.dataset.follows), words: head.classList.contains("words") }));
  };
  const tested = outside('[data-follows="tested"]').map((made) => (parts) => made.classList.toggle("stale", parts.size > 0));
  const marked = outside("section").flatMap((section) => {
    if (section.contains(root)) return [];
    const blocks = outside("table:not(.matrix), figure", section);
    const heading = section.querySelector("h2");
    const some = section.querySelector("[data-follows]") !== null || blocks.some((block) => block.dataset.bound !== undefined);
    if (!some && heading) return [(parts) => heading.classList.toggle("stale", parts.size > 0)];
    if (!heading && !blocks.length) {
      return outside("p.strong:not([data-follows])", section).map((p) => (parts) => p.classList.toggle("stale", parts.size > 0));
    }
    return blocks.flatMap((block) => {
      if (block.tagName === "FIGURE") {
        const caption = block.querySelector("figcaption");
        return [(parts) => caption.classList.toggle("stale", boundTo(block, parts))];
      }
      const columns = columnsOf(block);
      const follows = columns.some((column) => column.follows);
      const stay = follows ? columns.filter((column, k) => k && !column.follows && !FACTS.has(column.head.textContent)).map(({ head }) => head) : columns.slice(0, 1).map(({ head }) => head);
      return stay.map((head) => (parts) => head.classList.toggle("stale", boundTo(block, parts)));
    });
  });

  // Worlds of other shares than the reader's change with the threshold only.
  const even = evenShares(data);
  let others = {};
  let threshold;
  const again = (state) => {
    if (threshold !== state.at) others = {};
    threshold = state.at;
    const other = (name, priors) => (others[name] ??= worldOf(data, { ...state, priors }));
    worlds = { here: () => world, balanced: () => other("balanced", even), yours: () => (data.priors ? other("yours", data.priors) : null) };
  };

  let before = 0;
  const follow = (there, state, parts) => {
    if (!parts.size && !before) return; // as it was written
    before = parts.size;
    world = there;
    facts = new Map();
    again(state);
    const moved = parts.size > 0;
    for (const write of [...texts, ...dots, ...uprights, ...squares]) write(moved);
    lines.follow(there, state);
    for (const mark of [...tested, ...marked]) mark(parts);
  };
  return { follow };
};

// Columns that say what a measure is, whatever the state.
const FACTS = new Set(["range", "", "question"]);

// Long tables get a box to search them by.
const MOST_UNSEARCHED = 12;
const addSearches = (page) => {
  for (const table of page.querySelectorAll("details table:not(.matrix)")) {
    const rows = Array.from(table.tBodies[0]?.rows ?? []);
    if (rows.length <= MOST_UNSEARCHED) continue;
    const title = table.closest("details").querySelector("summary").textContent;
    const box = element("input", { type: "search", class: "search", placeholder: "search by name", "aria-label": `search in ${title}`,
      input: () => {
        const typed = box.value.trim().toLowerCase();
        for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(typed);
      } });
    table.closest(".scroll").before(box);
  }
};
