// Where do the counts come from? A pasted matrix, or a table of labels that is counted here and goes nowhere else.

const MOST_TYPED = 60;

const readMatrix = (text) => {
  const lines = text.replace(/^\s*(np\.)?array\s*(?=\()/, "").replace(/[[\](){}]/g, "\n").split(/[\n;]+/).map((line) => line.trim().replace(/^,|,$/g, "").trim());
  const rows = lines.filter(Boolean).map((line) => line.split(/[\s,|\t]+/).filter(Boolean).map(Number));
  const size = rows.length;
  if (size < 2 || size > MOST_TYPED) throw new Error(`a matrix has 2 to ${MOST_TYPED} rows; found ${size}.`);
  const odd = rows.findIndex((row) => row.length !== size);
  if (odd >= 0) throw new Error(`a matrix has as many columns as rows; found ${rows[odd].length} in row ${odd + 1} of ${size}.`);
  if (!rows.flat().every((x) => x >= 0 && x < 1e300)) throw new Error("counts are numbers from 0 to 1e300.");
  return { labels: rows.map((_, i) => "c" + (i + 1)), listed: false, rows };
};

// One rule for numbers written as text, as Python has it (counts/labels.py): plain numbers are ordered by value, and a number that
// two columns write in two ways ("1" and "1.0") is one class. Codes such as "01" or "1e3" are names.
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const WHOLE_NUMBER = /^-?(0|[1-9]\d*)(\.0)?$/;
const sameNumber = (label) => label.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace(/^-0$/, "0");

// Numbers are compared as whole multiples of the smallest decimal place: floats would not tell apart what exceeds 2^53.
const inOrder = (labels) => {
  const numeric = labels.every((label) => PLAIN_NUMBER.test(label));
  const byRank = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  if (!numeric) return labels.sort(byRank);
  const parts = labels.map((label) => [label, ...label.split("."), ""]);
  const places = parts.reduce((most, [, , decimals]) => Math.max(most, decimals.length), 0);
  const value = new Map(parts.map(([label, whole, decimals]) => [label, BigInt(whole + decimals.padEnd(places, "0"))]));
  return labels.sort((a, b) => byRank(value.get(a), value.get(b)) || a.length - b.length);
};

const oneSpelling = (...columns) => {
  const all = columns.flat();
  const whole = all.every((label) => WHOLE_NUMBER.test(label));
  const twice = (column) => new Set(column.map(sameNumber)).size < column.length;
  if (!all.every((label) => PLAIN_NUMBER.test(label)) || (!whole && columns.some(twice))) return new Map();
  const first = new Map();
  const shortest = [...new Set(all)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  for (const label of shortest) if (!first.has(sameNumber(label))) first.set(sameNumber(label), label);
  return new Map(shortest.map((label) => [label, first.get(sameNumber(label))]));
};

// A class that truth and predictions write in different ways would become two (counts/checks.py).
const refuseOtherCapitals = (truths, predictions) => {
  const only = (column, other) => { const known = new Set(other); return column.filter((label) => !known.has(label)); };
  const folded = (label) => label.trim().replace(/\s+/g, " ").toUpperCase().toLowerCase();
  const alone = new Map(only(truths, predictions).map((label) => [folded(label), label]));
  const again = only(predictions, truths).find((label) => alone.has(folded(label)));
  if (again !== undefined) throw new Error(`truth and prediction write a class in different ways (capitals or blanks); found ${alone.get(folded(again))} and ${again}. Write it in one way.`);
};

// Counts of (truth, prediction) pairs, in one pass over the rows of a table.
const counter = () => {
  const counts = new Map();
  let left = 0;
  return {
    take: (truth, called) => {
      const pair = JSON.stringify([truth, called]);
      if (truth === "" || called === "") left += 1;
      else counts.set(pair, (counts.get(pair) ?? 0) + 1);
    },
    matrix: () => {
      const pairs = [...counts].map(([pair, n]) => [...JSON.parse(pair), n]);
      const [truths, predictions] = [0, 1].map((k) => [...new Set(pairs.map((pair) => pair[k]))]);
      const spelled = oneSpelling(truths, predictions);
      const label = (text) => spelled.get(text) ?? text;
      refuseOtherCapitals(truths.map(label), predictions.map(label));
      const labels = inOrder([...new Set([...truths, ...predictions].map(label))]);
      if (labels.length < 2 || labels.length > MOST_TYPED) {
        throw new Error(`these columns hold ${labels.length} classes; 2 to ${MOST_TYPED} can be shown. Are they columns of labels?`);
      }
      const place = new Map(labels.map((text, k) => [text, k]));
      const rows = labels.map(() => labels.map(() => 0));
      for (const [truth, called, n] of pairs) rows[place.get(label(truth))][place.get(label(called))] += n;
      return { labels, listed: false, rows, left };
    },
  };
};

// What Python refuses is refused here too: a wrong count that looks right is worse than none.
const refuseRow = (row, columns, number, errors) => {
  if (errors.some((error) => error.type === "Quotes")) throw new Error(`the table holds a quote that does not end or stands inside a cell; found in row ${number}.`);
  if (row.some((cell) => cell.includes("\ufffd"))) throw new Error(`the table is not UTF-8; found in row ${number}. Save it as UTF-8.`);
  if (row.some((cell) => cell.includes("\0"))) throw new Error(`the table holds a NUL character; found in row ${number}.`);
  if (row.length !== columns) throw new Error(`the rows of the table differ in length; found ${row.length} columns in row ${number}, ${columns} in the header.`);
};

const refuseHeader = (names) => {
  const again = names.find((name, k) => names.indexOf(name) !== k);
  if (again !== undefined) throw new Error(`the table has two columns of the same name; found ${again}.`);
};

// The names of the columns and what parts them, found from the first rows.
const headerOf = (file, done, failed) =>
  window.Papa.parse(file, { preview: 20, skipEmptyLines: true, complete: ({ data, meta }) => done(data[0] ?? [], meta.delimiter), error: failed });

const countFile = (file, delimiter, truth, called, done, failed) => {
  if (truth === called) throw new Error("truth and prediction are the same column: every row would be correct.");
  const counts = counter();
  let columns = null, number = 0;
  window.Papa.parse(file, {
    delimiter,
    skipEmptyLines: true,
    step: ({ data, errors }, parser) => {
      try {
        refuseRow(data, columns ?? data.length, number, errors);
        if (columns === null) refuseHeader(data);
        else counts.take(data[truth], data[called]);
        columns ??= data.length;
        number += 1;
      } catch (error) {
        parser.abort();
        failed(error);
      }
    },
    complete: ({ meta }) => {
      try {
        if (!meta.aborted) done(counts.matrix());
      } catch (error) {
        failed(error);
      }
    },
    error: failed,
  });
};
