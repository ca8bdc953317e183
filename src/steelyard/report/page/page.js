// What every page has: section list, light and dark, tooltips, charts that read values, search, copy, download.
const $ = (query, root = document) => root.querySelector(query);
const $$ = (query, root = document) => [...root.querySelectorAll(query)];
const page = document.documentElement;
page.classList.add("js");
const set = (element, attributes) => { for (const name in attributes) element.setAttribute(name, attributes[name]); };

const SVG = "http://www.w3.org/2000/svg", DRAWN = new Set(["svg", "line", "circle", "rect", "path", "text"]);
// An element with attributes, listeners (functions) and children; nothing is ever read as markup.
function element(name, attributes = {}, ...children) {
  const made = DRAWN.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== false && value !== null && value !== undefined && !(key === "class" && !value)) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return made;
}

const MINUS = "\u2212";
const number = (v) => (!Number.isFinite(v) ? "undefined" : Math.abs(v) < 0.0005 && v ? v.toPrecision(2) : v.toFixed(3)).replace("-", MINUS);
const percentOf = (v) => `${v < 0.00095 ? +(v * 100).toPrecision(2) : (v * 100).toFixed(v < 0.0095 ? 2 : 1)}%`;
const whole = (v) => Math.round(v).toLocaleString("en");

// ---- one tooltip for terms, cells, rows and charts
const tip = element("div", { class: "tip", id: "tip", role: "tooltip", hidden: true });
let tipOf = null; // what the tip stands beside, and where that was
$(".page").append(tip);
const hideTip = () => { tip.hidden = true; };
function showTip(anchor, x, y, lines) {
  tip.replaceChildren(typeof lines === "string" ? lines : element("table", {}, ...lines.map((row) => element("tr", {}, ...row.map((words) => element("td", {}, words))))));
  tipOf = [anchor, anchor.getBoundingClientRect().top];
  tip.hidden = false;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  const left = x + 14 + width > innerWidth ? Math.max(8, x - 14 - width) : x + 14;
  tip.style.transform = `translate(${left}px,${Math.min(Math.max(8, y - height / 2), innerHeight - height - 8)}px)`;
}
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
// The event of a scroll that ended comes a frame later: only a tip whose place has moved is hidden.
addEventListener("scroll", () => { if (!tip.hidden && Math.abs(tipOf[0].getBoundingClientRect().top - tipOf[1]) > 2) hideTip(); }, { passive: true, capture: true });
function tipsIn(root) {
  for (const term of $$("[data-tip]", root)) {
    const show = () => {
      const box = term.getBoundingClientRect();
      showTip(term, box.left + Math.min(box.width, 120), box.bottom + 24, term.dataset.tip);
      if (term.tagName === "BUTTON") term.setAttribute("aria-describedby", "tip");
    };
    for (const name of ["pointerenter", "focus", "click"]) term.addEventListener(name, show);
    for (const name of ["pointerleave", "blur"]) term.addEventListener(name, hideTip);
  }
}
tipsIn(document);

// ---- charts: the drawing is static SVG; its scales stand in data-x and data-y
function scaleOf(text) {
  const [kind, ...numbers] = text.split(" ");
  const [low, high, first, last] = numbers.map(Number);
  const to = kind === "log" ? Math.log10 : (v) => v, from = kind === "log" ? (v) => 10 ** v : (v) => v;
  const at = (v) => first + ((to(Math.min(Math.max(low, high), Math.max(Math.min(low, high), v))) - to(low)) / (to(high) - to(low))) * (last - first);
  return Object.assign(at, { inverse: (p) => from(to(low) + ((p - first) / (last - first)) * (to(high) - to(low))), ends: [first, last] });
}
const charts = Object.fromEntries($$("svg.chart").map((svg) => [svg.id.replace("chart-", ""), {
  svg, x: scaleOf(svg.dataset.x), y: scaleOf(svg.dataset.y), seen: false,
  live: Object.fromEntries($$("[data-live]", svg).map((element) => [element.dataset.live, element])),
}]));
const pathOf = (chart, xs, ys) => xs.map((x, i) => (Number.isFinite(ys[i]) ? `${i && Number.isFinite(ys[i - 1]) ? "L" : "M"}${chart.x(x).toFixed(1)} ${chart.y(ys[i]).toFixed(1)}` : "")).join("");
const pathPoints = new WeakMap();
function pointsOf(element) {
  const course = element.getAttribute("d"), known = pathPoints.get(element);
  if (known && known.course === course) return known.points;
  const points = course.split(/[ML]/).slice(1).map((pair) => pair.split(" ").map(Number));
  pathPoints.set(element, { course, points });
  return points;
}
const written = (value, unit) => (unit === "%" ? percentOf(value) : Math.abs(value) >= 10 ? whole(value) : number(value));
for (const chart of Object.values(charts)) {
  const { svg } = chart, mode = svg.dataset.hover;
  if (!mode) continue;
  const layer = svg.appendChild(document.createElementNS(SVG, "g"));
  const draw = (name, attributes) => layer.append(element(name, attributes));
  const lines = () => $$("path.line[data-name]", svg).filter((line) => line.checkVisibility());
  const [left, right] = chart.x.ends, [bottom, top] = chart.y.ends;
  const xName = svg.dataset.xn.replace(" (log scale)", ""), yName = svg.dataset.yn || "Value";
  function read(px, py) {
    layer.replaceChildren();
    const values = [];
    px = Math.min(Math.max(px, left), right);
    if (mode === "x") {
      draw("line", { class: "cross", x1: px, x2: px, y1: bottom, y2: top });
      values.push([xName, written(chart.x.inverse(px), svg.dataset.xu)]);
      let note = "";
      for (const line of lines()) {
        const points = pointsOf(line), k = points.findIndex((point, i) => i && (point[0] - px) * (points[i - 1][0] - px) <= 0);
        if (k < 0) continue;
        const [a, b] = [points[k - 1], points[k]], y = a[1] + (b[0] === a[0] ? 0 : (px - a[0]) / (b[0] - a[0])) * (b[1] - a[1]);
        draw("circle", { class: "cursor", cx: px, cy: y, r: 4 });
        values.push([line.dataset.name, number(chart.y.inverse(y))]);
        note = note || line.dataset.notes?.split("|")[k] || "";
      }
      if (note) values.push([note, ""]);
    } else {
      let nearest = Infinity, hit = null;
      for (const line of lines()) pointsOf(line).forEach((point, i) => {
        const distance = (point[0] - px) ** 2 + (py === undefined ? 0 : (point[1] - py) ** 2);
        if (distance < nearest) [nearest, hit] = [distance, [line, i, point]];
      });
      if (!hit) return px;
      const [line, i, point] = hit;
      draw("line", { class: "cross", x1: point[0], x2: point[0], y1: bottom, y2: top });
      draw("line", { class: "cross", x1: left, x2: right, y1: point[1], y2: point[1] });
      draw("circle", { class: "cursor", cx: point[0], cy: point[1], r: 5 });
      values.push([line.dataset.name, ""], [xName, written(chart.x.inverse(point[0]), svg.dataset.xu)], [yName, written(chart.y.inverse(point[1]), svg.dataset.yu)]);
      if (line.dataset.notes) values.push([line.dataset.notes.split("|")[i], ""]);
      py = point[1];
      [values.px, values.py] = point;
    }
    const box = svg.getBoundingClientRect(), unit = box.width / svg.viewBox.baseVal.width;
    showTip(svg, box.left + (values.px ?? px) * unit, box.top + (py ?? (bottom + top) / 2) * unit, values);
    set(svg, { "aria-valuetext": values.map((pair) => pair.join(" ").trim()).join(", "), "aria-valuenow": Math.round(((px - left) / (right - left)) * 100) });
    return px;
  }
  const leave = () => { layer.replaceChildren(); hideTip(); };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), unit = svg.viewBox.baseVal.width / box.width;
    read((event.clientX - box.left) * unit, (event.clientY - box.top) * unit);
  });
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("blur", leave);
  let at = (left + right) / 2;
  set(svg, { tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 50, "aria-roledescription": "chart, arrow keys read values" });
  svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) read(at); });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -8, ArrowRight: 8, PageDown: -40, PageUp: 40 }[event.key];
    if (!step) return;
    event.preventDefault();
    at = read(at + step);
  });
}

// ---- search, copy, download, light and dark, section list
// The buttons of a group show what is of one kind; words narrow the list of metrics.
const search = $("#find"), groups = $$(".tools").map((bar) => $$("[data-kind-filter]", bar)).filter((buttons) => buttons.length);
function filter() {
  const words = search?.value.trim().toLowerCase() ?? "", chosen = groups.map((buttons) => buttons.find((button) => button.ariaPressed === "true").dataset.kindFilter);
  const other = (kind) => groups.some((buttons, k) => chosen[k] !== "all" && chosen[k] !== kind && buttons.some((button) => button.dataset.kindFilter === kind));
  for (const one of $$("[data-kind]")) one.hidden = !(one.dataset.words ?? words).includes(words) || other(one.dataset.kind);
  if (search) $("#count").textContent = `${$$("#all tbody tr:not([hidden])").length} of ${$$("#all tbody tr").length}`;
}
search?.addEventListener("input", filter);
for (const buttons of groups) for (const button of buttons) button.addEventListener("click", () => {
  for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
  filter();
});
filter();
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const code = button.previousElementSibling;
  let words = "Copied";
  try {
    await navigator.clipboard.writeText(code.textContent.trim().replace(/\s+/g, " "));
  } catch {
    getSelection().selectAllChildren(code);
    words = "Selected";
  }
  const box = button.getBoundingClientRect();
  showTip(button, box.left, box.bottom + 18, words);
  setTimeout(hideTip, 1200);
});
function saveAs(name, content) {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
// A chart as a file: presentation as computed on this page is written into each element.
function fileOf(svg) {
  const copy = svg.cloneNode(true), from = $$("*", svg), to = $$("*", copy);
  const facts = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family", "paint-order", "display"];
  to.forEach((element, i) => { const style = getComputedStyle(from[i]); for (const fact of facts) element.setAttribute(fact, style.getPropertyValue(fact)); });
  const [x, y, width, height] = svg.getAttribute("viewBox").split(" ");
  copy.prepend(element("rect", { x, y, width, height, fill: getComputedStyle(svg.closest("figure")).backgroundColor }));
  set(copy, { xmlns: SVG, width, height });
  return [new XMLSerializer().serializeToString(copy), +width, +height];
}
const cellsOf = (table) => $$("tr:not(.group)", table).filter((row) => !row.hidden).map((row) => [...row.cells].filter((cell) => !cell.classList.contains("plot"))
  .map((cell) => cell.innerText.replace(/\s+/g, " ").trim()));
for (const button of $$("[data-get]")) button.addEventListener("click", () => {
  const kind = button.dataset.get;
  if (kind === "svg" || kind === "png") {
    const svg = $("svg.chart", button.closest("figure")), [text, width, height] = fileOf(svg);
    if (kind === "svg") return saveAs(`${svg.id}.svg`, new Blob([text], { type: "image/svg+xml" }));
    const picture = new Image();
    picture.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * width, 2 * height];
      canvas.getContext("2d").drawImage(picture, 0, 0, 2 * width, 2 * height);
      canvas.toBlob((blob) => saveAs(`${svg.id}.png`, blob));
    };
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    return undefined;
  }
  const block = button.closest(".get").previousElementSibling, table = $("table", block.matches("p") ? block.previousElementSibling : block);
  const rows = cellsOf(table), name = table.id || "table";
  if (kind === "csv") return saveAs(`${name}.csv`, new Blob([rows.map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")).join("\n")], { type: "text/csv" }));
  const line = (row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return saveAs(`${name}.md`, new Blob([[line(rows[0]), line(rows[0].map(() => "---")), ...rows.slice(1).map(line)].join("\n")], { type: "text/markdown" }));
});
const theme = $("#theme");
theme.hidden = false;
theme.addEventListener("click", () => {
  const dark = page.style.colorScheme ? page.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  page.style.colorScheme = dark ? "light" : "dark";
});
const links = $$(".toc a"), visible = new Map();
const watchSections = new IntersectionObserver((entries) => {
  for (const entry of entries) visible.set(entry.target.id, entry.isIntersecting);
  const current = links.find((link) => visible.get(link.hash.slice(1))) || links[0];
  for (const link of links) link === current ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
}, { rootMargin: "-64px 0px -55% 0px" });
for (const section of $$("main > section[id]")) watchSections.observe(section);
