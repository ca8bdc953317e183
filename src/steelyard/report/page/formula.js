// How is a measure written as a formula? The grammar of steelyard.measures.formula, read here by hand: nothing that a
// reader types is ever run as a program. A formula becomes functions of the counts, one for each of its parts.

const CELLS = ["tp", "fn", "fp", "tn"];
const CLASS_VECTORS = ["hits", "actual", "predicted", "missed", "false_alarms", "rejected"];
const OVER_CLASSES = ["sum", "mean", "product", "geometric_mean"];
const DEEPEST = 60;
const LONGEST = 250;
const LONGEST_NUMBER = 50;
const LEVELS = [["+", "-"], ["*", "/"]];
const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/^(),]))/y;

// What names and functions mean, by the operations of the measures on a matrix m.
const VALUES = {
  tp: ({ m }) => m[0][0], fn: ({ m }) => m[0][1], fp: ({ m }) => m[1][0], tn: ({ m }) => m[1][1],
  hits: (c) => c.diagonal(c.m), actual: (c) => c.rowSums(c.m), predicted: (c) => c.total(c.m),
  missed: (c) => c.missed(c.m), false_alarms: (c) => c.falseAlarms(c.m), rejected: (c) => c.rejected(c.m),
  n: (c) => c.total(c.rowSums(c.m)), C: ({ m }) => m.length,
};
const FUNCTIONS = {
  sqrt: (c, a) => c.each(Math.sqrt, a), log: (c, a) => c.each(c.logarithm, a), abs: (c, a) => c.each(Math.abs, a),
  max: (c, ...all) => all.reduce((a, b) => c.zip(Math.max, a, b)), min: (c, ...all) => all.reduce((a, b) => c.zip(Math.min, a, b)),
  sum: (c, a) => c.total(a), mean: (c, a) => c.mean(a, c.weights), product: (c, a) => c.product(a),
  geometric_mean: (c, a) => c.geometricMean(a, c.weights),
};
const SIGNS = {
  "+": (c, a, b) => c.zip(c.add, a, b), "-": (c, a, b) => c.zip(c.sub, a, b),
  "*": (c, a, b) => c.zip(c.mul, a, b), "/": (c, a, b) => c.quotient(a, b),
};

class FormulaError extends Error {}

const tokensOf = (text, refuse) => {
  const tokens = [];
  for (let at = 0; text.slice(at).trim(); at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text), start = at + text.slice(at).search(/\S/);
    if (!match) throw refuse(start, `'${text[start]}'`);
    const kind = match[1] !== undefined ? "number" : match[2] !== undefined ? "name" : "sign";
    tokens.push([kind, match[0].trim(), start]);
  }
  return tokens;
};

const readFormula = (text) => {
  const known = [...Object.keys(VALUES), ...Object.keys(FUNCTIONS)].join(", ");
  const refuse = (place, found) => new FormulaError(
    `the formula is not understood at character ${place + 1}; found ${found}; allowed: numbers, + - * / ^, parentheses, ${known}.`);
  const tokens = tokensOf(text, refuse);
  const signs = tokens.filter(([kind, word]) => kind === "sign" && !"(),".includes(word)).length;
  if (signs > LONGEST) {
    throw new FormulaError(`the formula is too long; found ${signs} operations; allowed: ${LONGEST}; write it as a function in a file, as in my_metric.py:my_metric.`);
  }
  const used = new Set();
  let at = 0;
  const here = () => tokens[at] ?? ["end", "the end", text.length];
  const takes = (...signs) => {
    const [kind, word] = here();
    if (kind !== "sign" || !signs.includes(word)) return null;
    at += 1;
    return word;
  };
  const needs = (sign) => {
    if (takes(sign) === null) throw refuse(here()[2], `${here()[1]} instead of ${sign}`);
  };
  const within = (depth) => {
    if (depth > DEEPEST) throw new FormulaError(`the formula is nested too deeply; allowed: ${DEEPEST} parentheses within each other.`);
  };
  // A part: its value, whether that is one for each class, and the number it is where it names no counts.
  const part = (inner, value, number = null) => ({
    vector: inner.some((one) => one.vector), number, value: (c) => value(c, ...inner.map((one) => one.value(c))),
  });
  const expression = (depth, level = 0) => {
    within(depth);
    if (level === LEVELS.length) return factor(depth);
    let left = expression(depth, level + 1);
    for (let sign = takes(...LEVELS[level]); sign !== null; sign = takes(...LEVELS[level])) {
      const right = expression(depth, level + 1);
      const fraction = sign === "/" && left.number !== null && right.number ? left.number / right.number : null;
      left = part([left, right], SIGNS[sign], fraction);
    }
    return left;
  };
  const factor = (depth) => {
    const sign = takes("-", "+");
    if (sign !== null) {
      within(depth);
      const inner = factor(depth + 1);
      return sign === "+" ? inner : part([inner], (c, a) => c.each(c.minus, a), inner.number === null ? null : -inner.number);
    }
    const base = atom(depth);
    const place = here()[2];
    if (takes("^", "**") === null) return base;
    const exponent = factor(depth + 1).number;
    if (exponent === null) throw refuse(place, "an exponent that is not a number");
    // As in Python, a fraction whose denominator is at most 100.
    let bottom = 1;
    while (bottom < 1e4 && Math.abs(exponent * bottom - Math.round(exponent * bottom)) > 1e-9) bottom += 1;
    if (Math.abs(exponent) > 100 || bottom > 100) throw refuse(place, `the exponent ${Math.round(exponent * bottom)}${bottom > 1 ? `/${bottom}` : ""}`);
    return part([base], (c, a) => c.power(a, exponent));
  };
  // A number that floats hold too, so that the page and Python can follow alike.
  const numberOf = (word, place) => {
    const [digits, power = "0"] = word.toLowerCase().split("e"), value = Number(word);
    const held = !/[1-9]/.test(digits) || (value > 1e-300 && value < 1e300);
    if (word.length > LONGEST_NUMBER || Math.abs(Number(power)) >= 300 || !held) {
      throw refuse(place, `the number ${word.length <= 20 ? word : `${word.slice(0, 17)}...`}`);
    }
    return part([], () => value, value);
  };
  const atom = (depth) => {
    const [kind, word, place] = here();
    at += 1;
    if (kind === "number") return numberOf(word, place);
    if (kind === "sign" && word === "(") {
      const inner = expression(depth + 1);
      needs(")");
      return inner;
    }
    if (kind === "name" && Object.hasOwn(FUNCTIONS, word)) return call(word, place, depth);
    if (kind !== "name" || !Object.hasOwn(VALUES, word)) throw refuse(place, word);
    used.add(word);
    return { ...part([], VALUES[word]), vector: CLASS_VECTORS.includes(word) };
  };
  const call = (name, place, depth) => {
    needs("(");
    const inner = [expression(depth + 1)];
    while (takes(",") !== null) inner.push(expression(depth + 1));
    needs(")");
    if (["max", "min"].includes(name) ? inner.length < 2 : inner.length !== 1) throw refuse(place, `${name} of ${inner.length}`);
    const made = part(inner, FUNCTIONS[name]);
    if (!OVER_CLASSES.includes(name)) return made;
    if (!made.vector) throw new FormulaError(`${name}(...) needs one value a class; found '${text}'; allowed: something made of ${CLASS_VECTORS.join(", ")}.`);
    return { ...made, vector: false };
  };
  const whole = expression(0);
  if (here()[0] !== "end") throw refuse(here()[2], here()[1]);
  const cell = CELLS.find((name) => used.has(name)), vector = [...CLASS_VECTORS, "C"].find((name) => used.has(name));
  if (cell && vector) throw new FormulaError(`a formula speaks of two cells or of classes, not of both; found ${cell} and ${vector}.`);
  if (!used.size) throw new FormulaError(`a formula without counts is no measure; found '${text}'; allowed: ${CELLS.join(", ")}, ....`);
  if (whole.vector) throw new FormulaError(`the formula has one value a class, not one number; found '${text}'; write mean(...) or sum(...) around it.`);
  return { text, value: whole.value, ofCells: !vector };
};

// The value of a formula on rows of counts, by the operations of the measures.
const formulaValue = (formula, rows, options, operations) => {
  const { zip, add, mul, over, raise, total, rowSums, asSides, asClasses, told, note } = operations;
  const body = (seen, found) => {
    const quotient = (a, b) => {
      note(found, b, "a denominator of the formula is 0", seen.names);
      return zip(over, a, b);
    };
    const power = (base, exponent) => {
      if (exponent < 0) return quotient(1, power(base, -exponent));
      if (!Number.isInteger(exponent)) return zip(raise, base, exponent);
      return Array.from({ length: exponent }).reduce((value) => zip(mul, value, base), zip(add, zip(mul, base, 0), 1));
    };
    return formula.value({ ...operations, m: seen.m, weights: seen.weights, quotient, power });
  };
  const seen = (formula.ofCells ? asSides : asClasses)(rows, options, true);
  const { value, why } = told(seen, body);
  return { value, why: why === "the matrix is empty" && total(rowSums(seen.m)) > 0 ? "the formula has no value there" : why };
};
