// How does the page make what it shows? Words always become text, never markup.

const SVG = "http://www.w3.org/2000/svg";

const filled = (made, facts, parts) => {
  for (const [name, value] of Object.entries(facts)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...parts.filter((part) => part !== null && part !== undefined));
  return made;
};

const element = (name, facts = {}, ...parts) => filled(document.createElement(name), facts, parts);

const drawn = (name, facts = {}, ...parts) => filled(document.createElementNS(SVG, name), facts, parts);

// Only what differs is written, so that the page is not laid out again for nothing.
const say = (made, words) => {
  if (made.lastSaid === words) return;
  made.lastSaid = words;
  made.textContent = words;
};

const put = (made, name, value) => {
  if (made.getAttribute(name) !== String(value)) made.setAttribute(name, value);
};

const button = (words, click, facts = {}) => element("button", { type: "button", click, ...facts }, words);

// A name that fits a column: its middle is left out, because names differ at their ends.
const short = (name, most = 28) => {
  const letters = Array.from(String(name));
  if (letters.length <= most) return String(name);
  const head = Math.floor((most - 1) / 2);
  return letters.slice(0, head).join("") + "…" + letters.slice(-(most - 1 - head)).join("");
};

// Numbers are written as steelyard.report.numbers writes them. Three digits that say something: 0.561, 0.0101, 0.99987.
const shown = (value) => {
  if (value === null || value === undefined) return "";
  if (Number.isNaN(value)) return "undefined";
  const size = Math.abs(value);
  if (size === Infinity) return value > 0 ? "infinity" : "-infinity";
  if (size >= 1e15) return Number(value.toPrecision(3)).toExponential().replace(/e\+?(-?)(\d)$/, "e+$1$2");
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  if (size !== 0 && size < 1e-6) return value.toExponential(2).replace(/e(.)(\d)$/, "e$10$2");
  let digits = 3;
  if (size > 0 && size < 0.0995) digits = 2 - Math.floor(Math.log10(size));
  else if (size >= 0.9995 && size < 1) digits = Math.min(12, 1 - Math.floor(Math.log10(1 - size)));
  return value.toFixed(digits);
};

// Made once: making one takes longer than all that it writes.
const formats = [0, 1, 2].map((digits) => new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }));

const counted = (value) => {
  if (value >= 1e15) return value.toPrecision(3);
  const exact = Math.abs(value - Math.round(value)) < 1e-9 * Math.max(1, value);
  const digits = exact ? 0 : value >= 100 ? 1 : value >= 0.01 ? 2 : null;
  if (digits === null) return String(Number(value.toPrecision(2)));
  return formats[digits].format(value);
};

const percent = (share) => {
  const value = 100 * share;
  const gap = Math.min(Math.abs(value), Math.abs(100 - value));
  if (gap === 0 || gap >= 10) return value.toFixed(0) + "%";
  return value.toFixed(Math.min(8, Math.max(1, 1 - Math.floor(Math.log10(gap))))) + "%";
};
