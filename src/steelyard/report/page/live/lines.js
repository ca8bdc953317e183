// How do curves over the share of some classes follow? They are drawn again for another threshold or other weights of the classes;
// for other shares the mark moves along them, not they.

const BETWEEN_NAMES = 15;

// The classes asked for have this share together; within them and within the others nothing changes.
const sharedBy = (classes, sizes, share) => {
  const chosen = new Set(classes);
  const together = sumOf(classes.map((i) => sizes[i]));
  const rest = sumOf(sizes) - together;
  return sizes.map((t, i) => (chosen.has(i) ? (t / together) * share : (t / rest) * (1 - share)));
};

// Places in their order, as near to the wanted ones as names can be read.
const apart = (wanted, low, high) => {
  const placed = [];
  for (const y of wanted) placed.push(placed.length ? Math.max(y, placed[placed.length - 1] + BETWEEN_NAMES) : Math.max(y, low));
  if (placed.length && placed[placed.length - 1] > high) {
    placed[placed.length - 1] = high;
    for (let i = placed.length - 2; i >= 0; i--) placed[i] = Math.min(placed[i], placed[i + 1] - BETWEEN_NAMES);
  }
  return placed;
};

const startLines = (groups, data, functions) => {
  const measure = new Map(data.measures.map((m) => [m.name, m]));
  const lines = groups.map((made) => {
    const [classes, ...name] = made.dataset.line.split(":");
    const names = Array.from(made.ownerSVGElement.querySelectorAll("g[data-names]")).find((one) => one.dataset.names === made.dataset.line);
    const [path, title] = ["path", "title"].map((tag) => made.querySelector(tag));
    const [lead, words] = ["line", "text"].map((tag) => names.querySelector(tag));
    const first = { course: path.getAttribute("d"), told: title.textContent, end: lead.getAttribute("y1"), y: lead.getAttribute("y2"), at: words.getAttribute("y") };
    return { m: measure.get(name.join(":")), classes: classes.split(",").map(Number), along: numbersIn(made.dataset.logx), up: numbersIn(made.dataset.y), path, title, lead, words, names, first };
  }).filter(({ m }) => m);
  let known = "";

  const asTested = () => {
    for (const { path, title, lead, words, names, first } of lines) {
      put(path, "d", first.course);
      say(title, first.told);
      names.classList.remove("absent");
      put(lead, "y1", first.end);
      put(lead, "y2", first.y);
      put(words, "y", first.at);
    }
  };

  const drawAgain = (own, weights) => {
    const [{ along: [from, to, most, least], classes }] = lines;
    const sizes = own.map(sumOf);
    const exponents = Array.from({ length: POINTS }, (_, k) => most + ((least - most) * k) / (POINTS - 1));
    const worlds = exponents.map((x) => atPriors(own, sharedBy(classes, sizes, 10 ** x), data));
    const ends = [];
    for (const line of lines) {
      const values = worlds.map((there) => valueOf(data, functions, line.m, there, weights).value);
      const points = exponents.map((x, k) => [placeOn([from, to, most, least], x), placeOn(line.up, values[k])]).filter((_, k) => Number.isFinite(values[k]));
      put(line.path, "d", points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""));
      line.names.classList.toggle("absent", !points.length);
      const defined = values.filter(Number.isFinite);
      const numbers = [defined[0], defined[defined.length - 1]].map((value) => (value === undefined ? "undefined" : value.toFixed(3)));
      const told = line.first.told;
      const head = told.lastIndexOf(": ");
      say(line.title, told.slice(0, head) + told.slice(head).replace(/-?[\d.]+(?= at )/g, () => numbers.shift()));
      if (points.length) ends.push({ line, end: points[points.length - 1][1] });
    }
    ends.sort((a, b) => a.end - b.end);
    const [bottom, top] = lines[0].up;
    apart(ends.map(({ end }) => end), top, bottom).forEach((y, k) => {
      const { line: { lead, words }, end } = ends[k];
      put(lead, "y1", end.toFixed(1));
      put(lead, "y2", y.toFixed(1));
      put(words, "y", (y + 4).toFixed(1));
    });
  };

  const follow = (world, state) => {
    const moved = state.at !== null || state.order !== null;
    const key = moved ? JSON.stringify([state.at, state.order]) : "";
    if (!lines.length || key === known) return;
    known = key;
    if (moved) drawAgain(world.models[0].own, world.weights);
    else asTested();
  };
  return { follow };
};
