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

const inOrder = (labels) => {
  const numeric = labels.every((label) => label !== "" && Number.isFinite(Number(label)));
  return labels.sort((a, b) => (numeric ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0));
};

// Counts of (truth, prediction) pairs, in one pass over the rows of a table.
const counter = () => {
  const counts = new Map();
  let left = 0;
  return {
    take: (truth, called) => {
      if (truth === undefined || called === undefined || truth === "" || called === "") left += 1;
      else {
        const row = counts.get(truth) ?? counts.set(truth, new Map()).get(truth);
        row.set(called, (row.get(called) ?? 0) + 1);
      }
    },
    matrix: () => {
      const labels = inOrder([...new Set([...counts.keys(), ...[...counts.values()].flatMap((row) => [...row.keys()])])]);
      if (labels.length < 2 || labels.length > MOST_TYPED) {
        throw new Error(`these columns hold ${labels.length} classes; 2 to ${MOST_TYPED} can be shown. Are they columns of labels?`);
      }
      const rows = labels.map((truth) => labels.map((called) => counts.get(truth)?.get(called) ?? 0));
      return { labels, listed: false, rows, left };
    },
  };
};

// The names of the columns and what parts them, found from the first rows.
const headerOf = (file, done, failed) =>
  window.Papa.parse(file, { preview: 20, skipEmptyLines: "greedy", complete: ({ data, meta }) => done(data[0] ?? [], meta.delimiter), error: failed });

const countFile = (file, delimiter, truth, called, done, failed) => {
  if (truth === called) throw new Error("truth and prediction are the same column: every example would be told right.");
  const counts = counter();
  let first = true;
  window.Papa.parse(file, {
    delimiter,
    skipEmptyLines: "greedy",
    step: ({ data }) => {
      if (!first) counts.take(data[truth], data[called]);
      first = false;
    },
    complete: () => {
      try {
        done(counts.matrix());
      } catch (error) {
        failed(error);
      }
    },
    error: failed,
  });
};
