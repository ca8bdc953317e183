// How is a measure written as a formula? The grammar of steelyard.measures.formula, read here by hand: nothing that a
// reader types is ever run as a program.

const CELLS = ["tp", "fn", "fp", "tn"];
const CLASS_VECTORS = ["hits", "actual", "predicted", "missed", "false_alarms", "rejected"];
const NUMBERS = ["n", "C"];
const ONE_BY_ONE = ["sqrt", "log", "abs", "max", "min"];
const OVER_CLASSES = ["sum", "mean", "product", "geometric_mean"];
const DEEPEST = 60;
const LONGEST = 250;
const LONGEST_NUMBER = 50;
const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/^(),]))/y;

class FormulaError extends Error {}

// A decimal number as a fraction in lowest terms.
const asFraction = (word) => {
  const [digits, power = "0"] = word.toLowerCase().split("e");
  const [whole, part = ""] = digits.split(".");
  const shift = Number(power) - part.length;
  let top = BigInt(whole + part);
  let bottom = 1n;
  if (shift > 0) top *= 10n ** BigInt(shift);
  else bottom = 10n ** BigInt(-shift);
  return lowest(top, bottom);
};

const lowest = (top, bottom) => {
  let [a, b] = [top < 0n ? -top : top, bottom];
  while (b) [a, b] = [b, a % b];
  return [top / (a || 1n), bottom / (a || 1n)];
};

const tokensOf = (text, refuse) => {
  const found = [];
  let at = 0;
  while (text.slice(at).trim()) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) {
      const start = at + text.slice(at).length - text.slice(at).trimStart().length;
      throw refuse(start, `'${text[start]}'`);
    }
    const kind = match[1] !== undefined ? "number" : match[2] !== undefined ? "name" : "sign";
    const word = match[1] ?? match[2] ?? match[3];
    found.push([kind, word, TOKEN.lastIndex - word.length]);
    at = TOKEN.lastIndex;
  }
  return found;
};

const readFormula = (text) => {
  const known = [...CELLS, ...CLASS_VECTORS, ...NUMBERS, ...ONE_BY_ONE, ...OVER_CLASSES].join(", ");
  const refuse = (place, found) => new FormulaError(
    `the formula is not understood at character ${place + 1}; found ${found}; allowed: numbers, + - * / ^, parentheses, ${known}.`);
  const tokens = tokensOf(text, refuse);
  const signs = tokens.filter(([kind, word]) => kind === "sign" && !"(),".includes(word)).length;
  if (signs > LONGEST) {
    throw new FormulaError(`the formula is too long; found ${signs} operations; allowed: ${LONGEST}; write it as a function in a file, as in my_metric.py:my_metric.`);
  }
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
  const tooDeep = () => new FormulaError(`the formula is nested too deeply; allowed: ${DEEPEST} parentheses within each other.`);
  const expression = (depth) => {
    if (depth > DEEPEST) throw tooDeep();
    let tree = term(depth);
    for (let sign = takes("+", "-"); sign !== null; sign = takes("+", "-")) {
      tree = { kind: "binary", sign, parts: [tree, term(depth)] };
    }
    return tree;
  };
  const term = (depth) => {
    let tree = factor(depth);
    for (let sign = takes("*", "/"); sign !== null; sign = takes("*", "/")) {
      tree = { kind: "binary", sign, parts: [tree, factor(depth)] };
    }
    return tree;
  };
  const factor = (depth) => {
    const sign = takes("-", "+");
    if (sign !== null) {
      if (depth > DEEPEST) throw tooDeep();
      const value = factor(depth + 1);
      return sign === "-" ? { kind: "negative", parts: [value] } : value;
    }
    const base = atom(depth);
    const place = here()[2];
    if (takes("^", "**") === null) return base;
    return { kind: "power", exponent: exponentOf(factor(depth + 1), place), parts: [base] };
  };
  const exponentOf = (tree, place) => {
    const bounded = ([top, bottom]) => {
      if (top > 100n * bottom || bottom > 100n) throw refuse(place, `the exponent ${top}/${bottom}`);
      return [top, bottom];
    };
    if (tree.kind === "number") return bounded(tree.fraction);
    if (tree.kind === "negative") {
      const [top, bottom] = exponentOf(tree.parts[0], place);
      return [-top, bottom];
    }
    const [a, b] = tree.parts ?? [];
    if (tree.sign === "/" && a.kind === "number" && b.kind === "number" && b.fraction[0]) {
      return bounded(lowest(a.fraction[0] * b.fraction[1], a.fraction[1] * b.fraction[0]));
    }
    throw refuse(place, "an exponent that is not a number");
  };
  // A number that floats hold too, so that the page and Python can follow alike.
  const numberOf = (word, place) => {
    const power = Number(word.toLowerCase().split("e")[1] ?? 0);
    const value = Number(word);
    const inside = word.length <= LONGEST_NUMBER && Math.abs(power) < 300;
    const fraction = inside ? asFraction(word) : null;
    if (fraction === null || (fraction[0] && !(value > 1e-300 && value < 1e300))) {
      throw refuse(place, `the number ${word.length <= 20 ? word : `${word.slice(0, 17)}...`}`);
    }
    return { kind: "number", value, fraction, parts: [] };
  };
  const atom = (depth) => {
    const [kind, word, place] = here();
    at += 1;
    if (kind === "number") return numberOf(word, place);
    if (kind === "sign" && word === "(") {
      const tree = expression(depth + 1);
      needs(")");
      return tree;
    }
    if (kind === "name" && [...ONE_BY_ONE, ...OVER_CLASSES].includes(word)) return call(word, place, depth);
    if (kind === "name" && [...CELLS, ...CLASS_VECTORS, ...NUMBERS].includes(word)) return { kind, name: word, parts: [] };
    throw refuse(place, word);
  };
  const call = (name, place, depth) => {
    needs("(");
    const parts = [expression(depth + 1)];
    while (takes(",") !== null) parts.push(expression(depth + 1));
    needs(")");
    if (["max", "min"].includes(name) ? parts.length < 2 : parts.length !== 1) throw refuse(place, `${name} of ${parts.length}`);
    return { kind: "call", name, parts };
  };
  const tree = expression(0);
  if (here()[0] !== "end") throw refuse(here()[2], here()[1]);
  return checkedFormula(text, tree);
};

const namesIn = (tree) => [...(tree.kind === "name" ? [tree.name] : []), ...tree.parts.flatMap(namesIn)];

const isVector = (tree, text) => {
  if (tree.kind === "name") return CLASS_VECTORS.includes(tree.name);
  const inner = tree.parts.map((part) => isVector(part, text));
  if (tree.kind === "call" && OVER_CLASSES.includes(tree.name)) {
    if (!inner[0]) throw new FormulaError(`${tree.name}(...) needs one value a class; found '${text}'; allowed: something made of ${CLASS_VECTORS.join(", ")}.`);
    return false;
  }
  return inner.includes(true);
};

const checkedFormula = (text, tree) => {
  const names = namesIn(tree);
  const cell = names.find((name) => CELLS.includes(name));
  const vector = names.find((name) => CLASS_VECTORS.includes(name) || name === "C");
  if (cell && vector) throw new FormulaError(`a formula speaks of two cells or of classes, not of both; found ${cell} and ${vector}.`);
  if (!names.length) throw new FormulaError(`a formula without counts is no measure; found '${text}'; allowed: ${CELLS.join(", ")}, ....`);
  if (isVector(tree, text)) throw new FormulaError(`the formula has one value a class, not one number; found '${text}'; write mean(...) or sum(...) around it.`);
  return { text, tree, ofCells: !vector };
};

// The value of a formula on rows of counts, by the operations of the measures.
const formulaValue = (formula, rows, options, operations) => {
  const { zip, each, add, sub, mul, over, raise, minus, total, product, rowSums, diagonal, missed, falseAlarms,
    rejected, mean, geometricMean, logarithm, asSides, asClasses, told, note } = operations;
  const because = "a denominator of the formula is 0";
  const body = (seen, found) => {
    const m = seen.m;
    const quotient = (a, b) => {
      note(found, b, because, seen.names);
      return zip(over, a, b);
    };
    const named = {
      n: () => total(rowSums(m)), C: () => m.length, tp: () => m[0][0], fn: () => m[0][1], fp: () => m[1][0],
      tn: () => m[1][1], hits: () => diagonal(m), actual: () => rowSums(m), predicted: () => total(m),
      missed: () => missed(m), false_alarms: () => falseAlarms(m), rejected: () => rejected(m),
    };
    const power = (base, top, bottom) => {
      if (top < 0n) return quotient(1, power(base, -top, bottom));
      if (bottom !== 1n) return zip(raise, base, Number(top) / Number(bottom));
      let value = zip(add, zip(mul, base, 0), 1);
      for (let k = 0n; k < top; k++) value = zip(mul, value, base);
      return value;
    };
    const functions = {
      sqrt: (a) => each(Math.sqrt, a), log: (a) => each(logarithm, a), abs: (a) => each(Math.abs, a),
      max: (...all) => all.reduce((a, b) => zip(Math.max, a, b)), min: (...all) => all.reduce((a, b) => zip(Math.min, a, b)),
      sum: total, product, mean: (a) => mean(a, seen.weights), geometric_mean: (a) => geometricMean(a, seen.weights),
    };
    const value = (tree) => {
      if (tree.kind === "number") return tree.value;
      if (tree.kind === "name") return named[tree.name]();
      const parts = tree.parts.map(value);
      if (tree.kind === "negative") return each(minus, parts[0]);
      if (tree.kind === "power") return power(parts[0], ...tree.exponent);
      if (tree.kind === "call") return functions[tree.name](...parts);
      if (tree.sign === "/") return quotient(...parts);
      return zip({ "+": add, "-": sub, "*": mul }[tree.sign], ...parts);
    };
    return value(formula.tree);
  };
  const seen = (formula.ofCells ? asSides : asClasses)(rows, options, true);
  const { value, why } = told(seen, body);
  return { value, why: why === "the matrix is empty" && total(rowSums(seen.m)) > 0 ? "the formula has no value there" : why };
};
