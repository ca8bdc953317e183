// What did the reader ask for? Kept in the address behind "#", so that a link shows what one sees. The address holds
// numbers and names of measures only (the studio's also its matrix and formula); what is not understood in it is left out.

const LEAST = 1e-6;
const MOST_COST = 1e12;
const isCost = (cost) => cost >= 0 && cost < MOST_COST;

// What a page keeps in the address beyond what its controls say.
let moreState = () => [];
let sortedAtFirst = false;

const nothingAsked = () => ({ priors: null, at: null, costs: {}, order: null, measures: null, sorted: false });

const NUMBER = /^\d+(\.\d+)?(e[+-]?\d{1,3})?$/i;
const numbersOf = (text) => (text ?? "").split(",").filter((one) => NUMBER.test(one)).map(Number);

// Names are written twice over, because the address is read once before it is taken apart at commas.
const writtenNames = (names) => names.map((name) => encodeURIComponent(encodeURIComponent(name))).join(",");
const namesOf = (text) => text.split(",").map((name) => {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
});

const readState = (data, known) => {
  const state = nothingAsked();
  const size = data.labels.length;
  const given = new URLSearchParams(window.location.hash.slice(1));
  const priors = numbersOf(given.get("p"));
  const sum = priors.reduce((a, b) => a + b, 0);
  if (priors.length === size && priors.every((p) => p >= 0 && p <= 1) && Math.abs(sum - 1) < 1e-3) {
    state.priors = priors.map((p) => p / sum);
  }
  const at = /^\d{1,9}$/.test(given.get("t") ?? "") ? Number(given.get("t")) : NaN;
  if (data.curve && at < data.curve.tp.length) state.at = at;
  for (const one of (given.get("c") || "").split(",")) {
    const found = /^(\d{1,4})-(\d{1,4})-(.{1,40})$/.exec(one);
    if (!found || !NUMBER.test(found[3])) continue;
    const [truth, called, cost] = found.slice(1).map(Number);
    if (truth < size && called < size && truth !== called && isCost(cost)) state.costs[truth + "-" + called] = cost;
  }
  const order = numbersOf(given.get("r"));
  if (given.get("r") === "given" && data.relevance) state.order = "given";
  else if (order.length === size && new Set(order).size === size && order.every((i) => i in data.labels)) {
    state.order = order;
  }
  if (given.has("m")) {
    const names = namesOf(given.get("m")).filter((name) => known.has(name));
    if (names.length || given.get("m") === "") state.measures = names;
  }
  state.sorted = given.has("s") ? given.get("s") === "moves" : Boolean(data.start);
  return state;
};

const writtenState = (state) => {
  const said = [];
  if (state.priors) said.push("p=" + state.priors.map((p) => Number(p.toPrecision(12))).join(","));
  if (state.at !== null) said.push("t=" + state.at);
  const costs = Object.entries(state.costs).map(([pair, cost]) => pair + "-" + cost);
  if (costs.length) said.push("c=" + costs.join(","));
  if (state.order) said.push("r=" + String(state.order));
  if (state.measures) said.push("m=" + writtenNames(state.measures));
  if (state.sorted !== sortedAtFirst) said.push(state.sorted ? "s=moves" : "s=catalogue");
  return [...said, ...moreState()].join("&");
};

const keepState = (state) => {
  const hash = writtenState(state);
  if (hash === window.location.hash.slice(1)) return;
  try {
    window.history.replaceState(null, "", hash ? "#" + hash : window.location.pathname + window.location.search);
  } catch {
    // Inside a notebook's frame there is no address to keep it in.
  }
};
