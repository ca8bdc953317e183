// How do the measures change with the share of one class? A line a measure; the lines stay while the share moves.

const MOST_LINES = 6;
const MOST_DRAWN = 30;
const POINTS = 49;
const [PLOT_WIDE, PLOT_HIGH, LEFT, TOP] = [440, 210, 36, 10];

const shareTicks = [[1e-6, "1 in 10⁶"], [1e-5, ""], [1e-4, "0.01%"], [1e-3, "0.1%"], [1e-2, "1%"], [0.1, "10%"], [1, "100%"]];

const startCurve = (data, functions) => {
  const which = () => data.positive ?? lowestOf(sharesHere(data));
  const lowestOf = (shares) => shares.indexOf(Math.min(...shares));
  const svg = drawn("svg", { viewBox: `0 0 ${PLOT_WIDE} ${PLOT_HIGH + 58}`, class: "picture", role: "img" });
  const caption = element("figcaption");
  const figure = element("figure", {}, element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "picture" }, svg), caption);
  const usable = data.models.length === 1 && data.labels.length <= MOST_DRAWN;
  let known = "";
  let marks = [];
  const x = (share) => LEFT + (PLOT_WIDE - LEFT - 12) * (1 + toSlider(share) / 6);

  const lines = (world, state, chosen, at) => {
    const own = world.models[0].own;
    const priors = state.priors ?? sharesHere(data);
    const rising = Array.from({ length: POINTS - 1 }, (_, k) => 10 ** (-6 + (6 * k) / (POINTS - 1)));
    const shares = [...rising, ...rising.map((rest) => 1 - rest).filter((share) => share > rising[POINTS - 2]).reverse()]; // near 1 as near 0
    const worlds = shares.map((share) => atPriors(own, withShare(priors, at, share, sharesHere(data)), data));
    return chosen.map((m) => ({ m, shares, values: worlds.map((model) => valueOf(data, functions, m, model, world.weights).value) }));
  };

  const follow = (world, state, found) => {
    const at = which();
    const chosen = found.map(({ m }) => m).filter((m) => m.low !== null && m.high !== null && m.low >= -1 && m.high <= 1.1).slice(0, MOST_LINES);
    figure.hidden = !usable || !chosen.length || world.models[0].own.some((row) => sumOf(row) === 0);
    if (figure.hidden) return;
    const priors = state.priors ?? sharesHere(data);
    const others = priors.map((p, i) => (i === at ? 0 : p / (1 - priors[at] || 1)).toPrecision(6));
    const key = JSON.stringify([chosen.map((m) => m.name), state.at, state.order, others, world.models[0].own]);
    const low = Math.min(0, ...chosen.map((m) => m.low));
    const y = (value) => TOP + (PLOT_HIGH - TOP - 24) * (1 - (value - low) / (1.0001 - low));
    if (key !== known) {
      known = key;
      draw(lines(world, state, chosen, at), low, y, at);
    }
    const share = priors[at];
    marks[0].setAttribute("x1", x(share));
    marks[0].setAttribute("x2", x(share));
    chosen.forEach((m, k) => {
      const value = found.find((one) => one.m === m).results[0].value;
      marks[k + 1].classList.toggle("absent", !Number.isFinite(value));
      marks[k + 1].setAttribute("cx", x(share));
      if (Number.isFinite(value)) marks[k + 1].setAttribute("cy", y(value));
    });
  };

  const draw = (all, low, y, at) => {
    const bottom = y(low);
    const parts = [];
    for (const [share, words] of shareTicks) {
      parts.push(drawn("line", { x1: x(share), x2: x(share), y1: TOP, y2: bottom, class: "grid" }));
      if (words) parts.push(drawn("text", { x: x(share), y: bottom + 15, class: "axis", "text-anchor": share === 1 ? "end" : share === LEAST ? "start" : "middle", "font-size": 11 }, words));
    }
    for (const value of low < 0 ? [-1, -0.5, 0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]) {
      parts.push(drawn("line", { x1: LEFT, x2: PLOT_WIDE - 12, y1: y(value), y2: y(value), class: "grid" }));
      parts.push(drawn("text", { x: LEFT - 6, y: y(value) + 4, class: "axis", "text-anchor": "end", "font-size": 11 }, String(value)));
    }
    marks = [drawn("line", { y1: TOP, y2: bottom, class: "here" })];
    all.forEach(({ m, shares, values }, k) => {
      const points = shares.map((share, i) => [share, values[i]]).filter(([, value]) => Number.isFinite(value));
      parts.push(drawn("polyline", { points: points.map(([share, value]) => `${x(share).toFixed(1)},${y(value).toFixed(1)}`).join(" "), class: `line c${k}` }));
      parts.push(drawn("text", { x: LEFT + (k % 2) * 205, y: PLOT_HIGH + 14 + 16 * Math.floor(k / 2), class: `t${k}`, "font-size": 12 }, "● " + short(m.short || m.title, 24)));
      marks.push(drawn("circle", { r: 4, class: `mark t${k}` }));
    });
    svg.replaceChildren(...parts, ...marks);
    svg.setAttribute("aria-label", `${all.map(({ m }) => m.title).join(", ")} by the share of ${data.labels[at]}`);
    caption.textContent = `By the share of ${short(data.labels[at])}, with the recall of each class unchanged; level lines do not depend on it.`;
  };

  return { figure, follow };
};
