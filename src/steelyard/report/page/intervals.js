// Confidence intervals and paired differences: the posterior draws of steelyard.uncertainty with the same numbers.
// A batch is a matrix of Float64Array, one number for each draw; a shorter run is the beginning of a longer one.

// Threefry4x32 of 13 rounds (Salmon et al. 2011): the words of `number` counters from the `first` on into `out`, always an
// Int32Array: a second kind of array makes every call three times slower.
function threefry(key, first, number, call, attempt, stream, out) {
  const k0 = key[0], k1 = key[1], k2 = key[2], k3 = key[3], k4 = 0x1bd11bda ^ k0 ^ k1 ^ k2 ^ k3;
  for (let i = 0; i < number; i++) {
    let a = (first + i + k0) | 0, b = (call + k1) | 0, c = (attempt + k2) | 0, d = (stream + k3) | 0;
    a = (a + b) | 0; b = ((b << 10) | (b >>> 22)) ^ a; c = (c + d) | 0; d = ((d << 26) | (d >>> 6)) ^ c;
    a = (a + d) | 0; d = ((d << 11) | (d >>> 21)) ^ a; c = (c + b) | 0; b = ((b << 21) | (b >>> 11)) ^ c;
    a = (a + b) | 0; b = ((b << 13) | (b >>> 19)) ^ a; c = (c + d) | 0; d = ((d << 27) | (d >>> 5)) ^ c;
    a = (a + d) | 0; d = ((d << 23) | (d >>> 9)) ^ a; c = (c + b) | 0; b = ((b << 5) | (b >>> 27)) ^ c;
    a = (a + k1) | 0; b = (b + k2) | 0; c = (c + k3) | 0; d = (d + k4 + 1) | 0;
    a = (a + b) | 0; b = ((b << 6) | (b >>> 26)) ^ a; c = (c + d) | 0; d = ((d << 20) | (d >>> 12)) ^ c;
    a = (a + d) | 0; d = ((d << 17) | (d >>> 15)) ^ a; c = (c + b) | 0; b = ((b << 11) | (b >>> 21)) ^ c;
    a = (a + b) | 0; b = ((b << 25) | (b >>> 7)) ^ a; c = (c + d) | 0; d = ((d << 10) | (d >>> 22)) ^ c;
    a = (a + d) | 0; d = ((d << 18) | (d >>> 14)) ^ a; c = (c + b) | 0; b = ((b << 20) | (b >>> 12)) ^ c;
    a = (a + k2) | 0; b = (b + k3) | 0; c = (c + k4) | 0; d = (d + k0 + 2) | 0;
    a = (a + b) | 0; b = ((b << 10) | (b >>> 22)) ^ a; c = (c + d) | 0; d = ((d << 26) | (d >>> 6)) ^ c;
    a = (a + d) | 0; d = ((d << 11) | (d >>> 21)) ^ a; c = (c + b) | 0; b = ((b << 21) | (b >>> 11)) ^ c;
    a = (a + b) | 0; b = ((b << 13) | (b >>> 19)) ^ a; c = (c + d) | 0; d = ((d << 27) | (d >>> 5)) ^ c;
    a = (a + d) | 0; d = ((d << 23) | (d >>> 9)) ^ a; c = (c + b) | 0; b = ((b << 5) | (b >>> 27)) ^ c;
    a = (a + k3) | 0; b = (b + k4) | 0; c = (c + k0) | 0; d = (d + k1 + 3) | 0;
    a = (a + b) | 0; c = (c + d) | 0;
    out[4 * i] = a; out[4 * i + 1] = ((b << 6) | (b >>> 26)) ^ a; out[4 * i + 2] = c; out[4 * i + 3] = ((d << 20) | (d >>> 12)) ^ c;
  }
}
const uniformOf = (word) => ((word >>> 0) + 0.5) * 2 ** -32;

// uniformOf(word) ** power to 1e-12 for powers of at least 0, by tables and short series: Math.pow takes five times as long.
const SMALL = Float64Array.from({ length: 1100 }, (_, k) => 2 ** -k), PARTS = Float64Array.from({ length: 256 }, (_, k) => 2 ** (k / 256));
const LOGS = Float64Array.from({ length: 513 }, (_, k) => Math.log1p(k / 512)), INVERSES = LOGS.map((_, k) => 512 / (512 + k));
function powerOf(word, power) {
  const zeros = Math.clz32(word), x = ((word >>> 0) + 0.5) * SMALL[31 - zeros], near = ((x - 1) * 512 + 0.5) | 0, r = x * INVERSES[near] - 1;
  const log = (LOGS[near] - (zeros + 1) * Math.LN2 + r * (1 - r * (1 / 2 - r * (1 / 3 - r * (1 / 4 - r / 5))))) * power;
  if (!(log > -700)) return 0;
  const whole = Math.floor(log * (256 / Math.LN2)), s = log - whole * (Math.LN2 / 256);
  return PARTS[whole & 255] * SMALL[-(whole >> 8)] * (1 + s * (1 + s * (1 / 2 + s * (1 / 6 + s / 24))));
}

// The ziggurat of the normal density: see threefry.py.
const BASE = 3.6554204190269415;
const [WIDTHS, DENSITIES, UNITS] = (() => {
  const widths = new Float64Array(257), density = Math.exp((-BASE * BASE) / 2), area = BASE * density + density / BASE;
  [widths[0], widths[1]] = [area / density, BASE];
  for (let k = 2; k < 256; k++) widths[k] = Math.sqrt(-2 * Math.log(area / widths[k - 1] + Math.exp((-widths[k - 1] * widths[k - 1]) / 2)));
  return [widths, widths.map((x) => Math.exp((-x * x) / 2)), widths.map((x) => x * 2 ** -23)];
})();
const STIRLING = Array.from({ length: 10 }, (_, k) => {
  let log = 0;
  for (let i = 2; i <= k; i++) log += Math.log(i);
  return log - (k + 0.5) * Math.log(k + 1) + (k + 1) - Math.log(2 * Math.PI) / 2;
});
const stirling = (k) => {
  const square = (k + 1) * (k + 1);
  return k < 10 ? STIRLING[k] : (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1);
};

class Random {
  constructor(seed, stream) {
    this.key = [seed % 2 ** 32 | 0, Math.floor(seed / 2 ** 32) | 0, 0, 0];
    this.stream = stream | 0;
    this.calls = 0;
    this.more = new Int32Array(4);
  }
  // The words of numbers first to first + number of a call, four from each counter; `first` begins a whole one.
  words(first, number, call, attempt, out = new Int32Array(4 * Math.ceil(number / 4))) {
    threefry(this.key, first / 4, Math.ceil(number / 4), call, attempt, this.stream, out);
    return out;
  }
  uniforms(number) {
    const out = new Float64Array(number), words = this.words(0, number, (this.calls += 1), 0);
    for (let i = 0; i < number; i++) out[i] = uniformOf(words[i]);
    return out;
  }
  // Gamma numbers of several shapes into out[shape][from + draw] (Marsaglia and Tsang 2000): shape by shape within so many
  // draws that their words stay in the cache. Of a shape below 1: X U^(1 / shape), where X has a shape greater by 1.
  gammas(shapes, draws, out, from = 0) {
    const number = shapes.length, call = (this.calls += 1), small = shapes.filter((shape) => shape < 1).length, tile = Math.max(16, Math.floor(256 / number) * 16);
    if (small) this.calls += 1;
    const words = new Int32Array(tile * number), packed = new Int32Array(words.length / 4), bytes = new Uint8Array(packed.buffer), chances = new Int32Array(tile * small);
    for (let start = 0; start < draws; start += tile) {
      const many = Math.min(tile, draws - start);
      this.words(start * number, many * number, call, 0, words);
      this.words((start * number) / 4, Math.ceil((many * number) / 4), call, 1, packed);
      this.words(start * small, many * small, call + 1, 0, chances);
      for (let k = 0, r = 0; k < number; k++) {
        const values = out[k], middle = (shapes[k] < 1 ? shapes[k] + 1 : shapes[k]) - 1 / 3, scale = 1 / Math.sqrt(9 * middle), squeeze = middle >= 13 ? 0.0157 / middle : 0.0331;
        for (let i = k, draw = from + start; draw < from + start + many; draw++, i += number) {
          const word = words[i], byte = bytes[i], layer = word & 255, normal = ((word >> 8) + 0.5) * UNITS[layer], root = 1 + normal * scale, square = normal * normal;
          if (Math.abs(normal) < WIDTHS[layer + 1] && square * square * squeeze + (byte + 1) * 2 ** -8 < 1 && root > 0) values[draw] = middle * root * root * root;
          else this.second(values, draw, start * number + i, call, word, byte, middle, scale);
        }
        if (shapes[k] >= 1) continue;
        const power = 1 / shapes[k];
        for (let i = r++, draw = from + start; draw < from + start + many; draw++, i += small) values[draw] *= powerOf(chances[i], power);
      }
    }
  }
  // What the first look did not accept: by the densities themselves, and tried again until one is accepted. It is written here:
  // a number that is returned or not makes an object of every number.
  second(values, draw, index, call, word, byte, middle, scale) {
    const more = this.more;
    for (let attempt = 0; ; attempt++) {
      threefry(this.key, index, 1, call, 2 + attempt, this.stream, more);
      const chance = attempt ? uniformOf(more[1]) : (byte + uniformOf(more[1])) / 256, first = uniformOf(more[2]);
      if (attempt) word = more[0];
      const layer = word & 255;
      let normal = ((word >> 8) + 0.5) * UNITS[layer], accepted = true;
      if (Math.abs(normal) >= WIDTHS[layer + 1]) {
        if (layer === 0) {
          const beyond = -Math.log(first) / BASE;
          normal = Math.sign(normal) * (BASE + beyond);
          accepted = uniformOf(more[3]) < Math.exp((-beyond * beyond) / 2);
        } else accepted = DENSITIES[layer] + first * (DENSITIES[layer + 1] - DENSITIES[layer]) < Math.exp((-normal * normal) / 2);
      }
      const root = 1 + scale * normal;
      if (!accepted || root <= 0) continue;
      const cube = root * root * root;
      if (Math.log(chance) < 0.5 * normal * normal + middle * (1 - cube + Math.log(cube))) { values[draw] = middle * cube; return; }
    }
  }
  // Binomial numbers of trials[i] of probability chances[i % chances.length]: inversion, or BTRS (Hörmann 1993).
  binomials(trials, chances) {
    const call = (this.calls += 1), counts = new Float64Array(trials.length), words = this.words(0, trials.length, call, 0);
    for (let i = 0; i < trials.length; i++) {
      const p = chances[i % chances.length], n = trials[i], turned = p > 0.5 + 1e-9, rare = turned ? 1 - p : p;
      let count = 0;
      if (n * rare >= 10) count = this.transformed(i, call, n, rare);
      else if (n * rare > 0) {
        let chance = uniformOf(words[i]), density = Math.exp(n * Math.log1p(-rare));
        const odds = rare / (1 - rare);
        while (chance > density && count < n) {
          count += 1;
          chance -= density;
          density *= ((n - count + 1) * odds) / count;
        }
      }
      counts[i] = turned ? n - count : count;
    }
    return counts;
  }
  transformed(index, call, n, p) {
    const spread = Math.sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p, words = this.more;
    const alpha = (2.83 + 5.1 / b) * spread, mode = Math.floor((n + 1) * p), odds = p / (1 - p);
    for (let trial = 0; ; trial++) {
      if (trial % 2 === 0) threefry(this.key, index, 1, call, 1 + trial / 2, this.stream, words);
      const centred = uniformOf(words[(trial % 2) * 2]) - 0.5, second = uniformOf(words[(trial % 2) * 2 + 1]), edge = 0.5 - Math.abs(centred);
      const k = Math.floor(((2 * a) / edge + b) * centred + n * p + 0.5);
      if (k < 0 || k > n) continue;
      if (edge >= 0.07 && second <= 0.92 - 4.2 / b) return k;
      const bound = (mode + 0.5) * Math.log((mode + 1) / (odds * (n - mode + 1))) + (n + 1) * Math.log((n - mode + 1) / (n - k + 1))
        + (k + 0.5) * Math.log((odds * (n - k + 1)) / (k + 1)) + stirling(mode) + stirling(n - mode) - stirling(k) - stirling(n - k);
      if (Math.log((second * alpha) / (a / (edge * edge) + b)) <= bound) return k;
    }
  }
  // Counts of n[i] examples by rows of probabilities: one array for each cell.
  multinomials(n, rows) {
    const cells = rows[0].length, left = Float64Array.from(n), chance = rows.map(() => 1), out = [];
    for (let k = 0; k + 1 < cells; k++) {
      const counts = this.binomials(left, rows.map((row, r) => (chance[r] > 0 ? Math.min(1, Math.max(0, row[k] / chance[r])) : 0)));
      for (let i = 0; i < left.length; i++) left[i] -= counts[i];
      rows.forEach((row, r) => { chance[r] -= row[k]; });
      out.push(counts);
    }
    return [...out, left];
  }
}

// ---- the Dirichlet posterior of the class rates (dirichlet_posterior.py)
const added = (numbers) => numbers.reduce((sum, x) => sum + x, 0);
const sizesOf = (m) => m.map(added);
const calledOf = (m) => m.map((_, j) => added(m.map((row) => row[j])));
const hitsOf = (m) => m.map((row, i) => row[i]);
const occurring = (sizes) => sizes.filter((size) => size > 0).length;
const table = (size, f) => Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => f(i, j)));
const quotient = (a, b) => (b > 0 ? a / b : 0);

function ownParts(sizes) {
  const count = occurring(sizes);
  if (count < 3) return sizes.map(() => 1);
  const all = added(sizes.map((size) => quotient(1, size)));
  return sizes.map((size) => (size > 0 ? Math.min(1, ((1 / size / all) * count) / (count - 1)) : 1));
}
const similarRecalls = (hits, sizes) => sizes.map((own, k) => {
  let recalls = 0, weights = 0;
  sizes.forEach((size, j) => {
    if (j === k || !size || !own) return;
    const weight = Math.min(size, own) / Math.max(size, own);
    recalls += (weight * hits[j]) / size;
    weights += weight;
  });
  return quotient(recalls, weights);
});
function recallCentres(hits, sizes) {
  if (occurring(sizes) < 3) return sizes.map(() => 0.5);
  const own = ownParts(sizes), similar = similarRecalls(hits, sizes);
  return sizes.map((size, k) => (size > 0 ? own[k] / 2 + (1 - own[k]) * similar[k] : 0.5));
}
function weightOfCounts(sizes) {
  const own = ownParts(sizes);
  return sizes.map((size, k) => (occurring(sizes) < 3 ? 1 : Math.max(size - 1 + 2 * own[k] - (1 - own[k]) * (size / (size + 1)) ** 2, 0.5) / (size + 1)));
}
function shrunk(numbers, expected, seen, trials) {
  const squares = numbers.map((x, k) => {
    const room = trials ? Math.max(1 - quotient(expected[k], trials[k]), 1e-12) : 1;
    return seen[k] && expected[k] > 0 ? (x - expected[k]) ** 2 / (expected[k] * room) : 0;
  });
  const total = added(squares), share = total > 0 ? Math.min(1, (seen.filter(Boolean).length - 1) / total) : 1;
  return numbers.map((x, k) => (seen[k] ? (1 - share) * x + share * expected[k] : x));
}
function attracted(m, errors) {
  const sizes = sizesOf(m), called = calledOf(m), seen = sizes.map((size) => size > 0), all = added(errors);
  const evenly = errors.map((x) => (all - x) / Math.max(occurring(sizes) - 1, 1));
  return [shrunk(called.map((x, k) => x - m[k][k]), evenly, seen, null), evenly];
}
const attractionShares = (attracting) => table(attracting.length, (i, j) => (i === j ? 0 : Math.max(attracting[j], 1e-12))).map((row) => {
  const all = added(row);
  return row.map((x) => x / all);
});
function errorShares(m, prior) {
  const size = m.length, even = () => table(size, (i, j) => (i === j ? 0 : 1 / Math.max(size - 1, 1)));
  if (prior === "shared") {
    if (occurring(sizesOf(m)) < 3) return even();
    const [number, evenly] = attracted(m, m.map((row, i) => added(row) - row[i]));
    return attractionShares(number.map((x, k) => (evenly[k] > 0 ? x / evenly[k] : 1)));
  }
  let errors = table(size, (i, j) => (i === j ? 0 : m[i][j]));
  if (!errors.some((row) => row.some(Boolean))) return even();
  errors = errors.map((row, i) => (row.some(Boolean) ? row : errors.map((other) => other[i])));
  return errors.map((row) => { const all = added(row); return row.map((x) => quotient(x, all)); });
}
function priorParameters(m, prior) {
  const sizes = sizesOf(m), centres = recallCentres(hitsOf(m), sizes), shares = errorShares(m, prior), count = m.length;
  const own = ownParts(sizes).map((x, k) => (sizes[k] > 0 ? x : 0)), alarms = prior === "shared" && occurring(sizes) > 2, all = added(sizes), owned = added(own);
  const wanted = own.map((x, k) => Math.max(0, x / 2 - (owned - x) / (2 * (count - 1))) / (all - sizes[k]));
  return table(count, (i, j) => (i === j ? centres[i] : (1 - centres[i]) * shares[i][j] + (alarms && wanted[j] > 0 ? sizes[i] * wanted[j] : 0)));
}
function parametersOf(m, prior) {
  const weights = weightOfCounts(sizesOf(m)), own = priorParameters(m, prior);
  return m.map((row, i) => row.map((x, j) => (x + own[i][j]) * weights[i]));
}
const shareParameters = (sizes) => sizes.map((size) => size + 1 / Math.max(1, occurring(sizes)));
// The cells of a batch lie in one piece of memory: many small ones keep the garbage collector busy.
const batchOf = (size, draws) => { const all = new Float64Array(size * size * draws); return table(size, (i, j) => all.subarray((i * size + j) * draws, (i * size + j + 1) * draws)); };
const blockSize = (cells) => Math.max(16, Math.min(1 << 14, Math.floor((1 << 18) / cells)));
const NOTHING = 1e-200, FEW_CLASSES = 12;

// Rows made to sum to the drawn sizes of their classes, or to those of the test set.
function scaledRows(random, batch, sizes, fixed, from, draws) {
  const seen = sizes.map((_, k) => k).filter((k) => sizes[k] > 0), all = added(sizes);
  const shares = sizes.map((size) => new Float64Array(draws).fill(fixed ? size : 0));
  if (!fixed) {
    const parameters = shareParameters(sizes);
    random.gammas(seen.map((k) => parameters[k]), draws, seen.map((k) => shares[k]));
    for (let d = 0; d < draws; d++) {
      let sum = 0;
      for (const k of seen) sum += shares[k][d];
      for (const k of seen) shares[k][d] *= all / sum;
    }
  }
  for (const matrix of batch) matrix.forEach((row, i) => scaleRow(row.map((cell) => cell.subarray(from, from + draws)), shares[i]));
}
// Cell by cell: one array at a time stays in the cache, which draw by draw leaves.
function scaleRow(cells, sizes) {
  const factors = new Float64Array(sizes.length);
  for (const cell of cells) for (let d = 0; d < factors.length; d++) {
    const x = cell[d];
    if (x >= NOTHING) factors[d] += x;
    else cell[d] = 0;
  }
  for (let d = 0; d < factors.length; d++) factors[d] = factors[d] > 0 ? sizes[d] / factors[d] : 0;
  for (const cell of cells) for (let d = 0; d < factors.length; d++) cell[d] *= factors[d];
}
// The lengths (draws x rows x pieces) of broken sticks of Gamma(worth) length.
function sticks(random, worths, left, draws) {
  const most = Math.max(...worths), pieces = Math.max(2, Math.ceil(Math.log(left) / Math.log(most / (1 + most)))), rows = worths.length;
  const chances = random.uniforms(draws * rows * (pieces - 1)), lengths = new Float64Array(draws * rows * pieces), whole = worths.map(() => new Float64Array(draws));
  random.gammas(worths, draws, whole);
  for (let d = 0, c = 0; d < draws; d++) for (let r = 0; r < rows; r++) {
    let remaining = 1;
    for (let p = 0; p < pieces; p++) {
      const next = p + 1 < pieces ? remaining * chances[c++] ** (1 / worths[r]) : 0;
      lengths[(d * rows + r) * pieces + p] = (remaining - next) * whole[r][d];
      remaining = next;
    }
  }
  return [lengths, pieces];
}
// Which place of its parts a uniform number falls on.
function chooser(parts) {
  const all = added(parts), until = [];
  parts.reduce((sum, x, k) => (until[k] = sum + x), 0);
  const last = parts.findLastIndex((x) => x > 0);
  return (chance) => { let k = 0; while (k < last && until[k] / all <= chance) k++; return k; };
}
function drawnMatrices(m, { fixed, prior, draws, seed }) {
  const count = m.length, parameters = parametersOf(m, prior), out = batchOf(count, draws), size = blockSize(count * count);
  const held = table(count, (i, j) => count <= FEW_CLASSES || i === j || m[i][j] > 0);
  const places = held.flatMap((row, i) => row.flatMap((is, j) => (is ? [[i, j]] : [])));
  for (let block = 0, from = 0; from < draws; block++, from += size) {
    const random = new Random(seed, block), number = Math.min(size, draws - from);
    random.gammas(places.map(([i, j]) => parameters[i][j]), number, places.map(([i, j]) => out[i][j]), from);
    const rows = m.map((_, i) => i).filter((i) => held[i].some((is, j) => !is && parameters[i][j] > 0));
    if (rows.length) {
      const empty = rows.map((i) => parameters[i].map((x, j) => (held[i][j] ? 0 : x))), choose = empty.map(chooser);
      const [lengths, pieces] = sticks(random, empty.map(added), 1e-4, number);
      for (let p = 0; p < pieces; p++) {
        const chances = random.uniforms(number * rows.length);
        for (let d = 0; d < number; d++) rows.forEach((i, r) => { out[i][choose[r](chances[d * rows.length + r])][from + d] += lengths[(d * rows.length + r) * pieces + p]; });
      }
    }
    scaledRows(random, [out], sizesOf(m), fixed, from, number);
  }
  return out;
}
function centreOf(m, fixed, prior) {
  const sizes = sizesOf(m), shares = shareParameters(sizes).map((x, k) => (sizes[k] > 0 ? x : 0)), all = added(shares), total = added(sizes);
  return parametersOf(m, prior).map((row, i) => {
    const sum = added(row), factor = fixed ? sizes[i] : (total * shares[i]) / all;
    return row.map((x) => quotient(x, sum) * factor);
  });
}

// ---- James-Stein shrinkage: test sets of smoothed rates (james_stein.py)
const SETS_STREAM = 2 ** 31;
function smoothedCounts(m) {
  const sizes = sizesOf(m), hits = hitsOf(m), wrong = sizes.map((size, k) => size - hits[k]), share = added(wrong) / Math.max(added(sizes), 1);
  const errors = shrunk(wrong, sizes.map((size) => size * share), sizes.map((size) => size > 0), sizes);
  return attractionShares(attracted(m, errors)[0]).map((row, i) => row.map((x, j) => (i === j ? sizes[i] - errors[i] : x * errors[i])));
}
function smoothedSets(m, fixed, seed) {
  const count = m.length, sets = Math.min(500, Math.max(200, Math.floor(2e6 / count ** 2))), sizes = sizesOf(m), total = added(sizes), random = new Random(seed, SETS_STREAM);
  const expected = smoothedCounts(m), rates = expected.map((row, i) => row.map((x, j) => (sizes[i] > 0 ? x / sizes[i] : Number(i === j))));
  const drawn = fixed ? sizes.map((size) => new Float64Array(sets).fill(size)) : random.multinomials(new Float64Array(sets).fill(total), [sizes.map((size) => size / total)]);
  const n = new Float64Array(sets * count);
  for (let s = 0; s < sets; s++) for (let k = 0; k < count; k++) n[s * count + k] = fixed ? sizes[k] : sizes[k] > 0 ? Math.max(drawn[k][s], 1) : 0;
  const cells = random.multinomials(n, rates);
  const batch = batchOf(count, sets);
  batch.forEach((row, i) => row.forEach((cell, j) => { for (let s = 0, counts = cells[j]; s < sets; s++) cell[s] = counts[s * count + i]; }));
  return [batch, expected];
}
function biasOf(drawn, expected, seen) {
  let number = 0, sum = 0, squares = 0;
  const possible = (x) => Number.isFinite(x) && !(Math.abs(x) < 1e-12 && Math.abs(seen) >= 1e-12);
  for (const x of drawn) if (possible(x)) { number++; sum += x; }
  if (!number || !Number.isFinite(expected)) return 0;
  const mean = sum / number;
  for (const x of drawn) if (possible(x)) squares += (x - mean) ** 2;
  const bias = mean - expected;
  return Math.sign(bias) * Math.max(Math.abs(bias) - Math.sqrt(squares / number) / Math.sqrt(number), 0);
}

// ---- confidence limits (confidence_limits.py)
function quantileOf(sorted, probability) {
  const last = sorted.length - 1, place = last * probability, k = Math.min(Math.floor(place), last), low = sorted[k], step = sorted[Math.min(k + 1, last)] - low, part = place - k;
  return part >= 0.5 ? low + step - step * (1 - part) : low + step * part;
}
const KINK = 2 + Math.SQRT2;
// The ends of an interval, and by how much they were moved; `sorted` are the draws that are defined.
function limitsOf(sorted, centre, level, ofTestSets = 0) {
  let low = quantileOf(sorted, (1 - level) / 2), high = quantileOf(sorted, (1 + level) / 2), sum = 0, squares = 0;
  for (const x of sorted) sum += x;
  const mean = sum / sorted.length;
  if (!Number.isFinite(mean - centre)) return [low, high, 0, 0];
  for (const x of sorted) squares += (x - mean) ** 2;
  const spread = Math.sqrt(squares / sorted.length), toward = (x, by) => Math.sign(x) * Math.max(Math.abs(x) - by, 0);
  let bias = toward(mean - centre, spread / Math.sqrt(sorted.length));
  const both = (bias + ofTestSets) / KINK;
  if (Math.abs(both) > Math.abs(bias)) bias = both;
  const followed = toward(bias, 0.25 * spread), above = high - mean, below = mean - low;
  const atLow = (bias > 0 ? KINK * bias : 2 * followed) + 0.05 * Math.max(above - below, 0);
  const atHigh = (bias > 0 ? 2 * followed : KINK * bias) - 0.05 * Math.max(below - above, 0);
  return [low - atLow, high - atHigh, atLow, atHigh];
}
const definedOf = (values) => values.filter((x) => !Number.isNaN(x)).sort();
function logGamma(x) {
  let shift = 0;
  for (; x < 15; x++) shift -= Math.log(x);
  const square = x * x;
  return shift + (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / x;
}
// The incomplete beta function by its continued fraction (Lentz), and its quantile by bisection.
function betaBelow(x, a, b) {
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(1 - x, b, a);
  if (x <= 0) return 0;
  let c = 1, d = 1 / (1 - ((a + b) * x) / (a + 1)), f = d;
  for (let m = 1; m < 10000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)), odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + even * d); c = 1 + even / c; f *= c * d;
    d = 1 / (1 + odd * d); c = 1 + odd / c; f *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return (Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) * f) / a;
}
function betaQuantile(probability, a, b) {
  let low = 0, high = 1;
  for (let k = 0; k < 200 && high - low > 1e-17; k++) {
    const middle = (low + high) / 2;
    if (betaBelow(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// ---- intervals of metrics of one matrix (intervals.py): method "auto"
function atShares(m, shares) {
  if (!shares) return m;
  if (typeof m[0][0] === "number") return m.map((row, i) => { const sum = added(row); return row.map((x) => (x * shares[i]) / sum); });
  const scaled = batchOf(m.length, m[0][0].length);
  m.forEach((row, i) => {
    const factors = new Float64Array(row[0].length);
    for (const cell of row) for (let d = 0; d < factors.length; d++) factors[d] += cell[d];
    for (let d = 0; d < factors.length; d++) factors[d] = shares[i] / factors[d];
    row.forEach((cell, j) => { for (let d = 0, into = scaled[i][j]; d < into.length; d++) into[d] = cell[d] * factors[d]; });
  });
  return scaled;
}
const firstOf = (batch, draws) => batch.map((row) => row.map((cell) => (cell.length > draws ? cell.subarray(0, draws) : cell)));
const againstRest2 = (m, at) => {
  const sizes = sizesOf(m), called = calledOf(m), hits = m[at][at];
  return [[hits, sizes[at] - hits], [called[at] - hits, added(sizes) - sizes[at] - called[at] + hits]];
};
const MOST_INTERVAL_CLASSES = 40;
const drawsFor = (classes) => Math.min(10000, Math.max(1000, Math.floor(5e6 / classes ** 2)));

// Draws are made once for all metrics and all class distributions; `metric` has drawn, value, kind, better, weighs, range.
class IntervalFinder {
  constructor(rows, { draws = drawsFor(rows.length), seed = 0, design = "sample", level = 0.95, positive = null, settings = {} } = {}) {
    Object.assign(this, { rows, draws, seed, level, positive, settings, fixed: design === "fixed", known: new Map() });
  }
  kept(name, make) {
    if (!this.known.has(name)) this.known.set(name, make());
    return this.known.get(name);
  }
  // The counts, prior and settings from which a metric is drawn: of one class, that class and the rest.
  groupOf(metric) {
    const two = this.rows.length === 2;
    if (!two && metric.kind === "two-class") return { name: "rest", rows: againstRest2(this.rows, this.positive), prior: "shared", settings: { labels: ["a", "b"], positive: 0 }, sides: true };
    return { name: !two && metric.weighs ? "observed" : "shared", rows: this.rows, prior: !two && metric.weighs ? "observed" : "shared", settings: { ...this.settings, ...(two && this.positive !== null ? { positive: this.positive } : {}) } };
  }
  batch(group, draws) {
    // As long as no more is asked for, no more is drawn. The same few draws are kept for all metrics and all moves of a slider.
    const number = Math.min(draws, this.draws);
    return this.kept(`${group.name} ${number}`, () => drawnMatrices(group.rows, { fixed: this.fixed, prior: group.prior, draws: number, seed: this.seed }));
  }
  // Float64Array of the metric on a batch at this class distribution, which is scaled once for all metrics.
  values(metric, group, batch, key, shares) {
    const name = `${group.name} ${key} ${batch[0][0].length}`;
    if (shares !== this.shares) { this.shares = shares; this.scaled = new Map(); }
    this.scaled ??= new Map();
    if (!this.scaled.has(name)) this.scaled.set(name, atShares(batch, shares));
    const values = metric.drawn(this.scaled.get(name), group.settings);
    return typeof values === "number" ? new Float64Array(batch[0][0].length).fill(values) : values;
  }
  interval(metric, { shares = null, draws = this.draws } = {}) {
    const given = shares, group = this.groupOf(metric), { fixed, level } = this;
    if (group.sides && shares) shares = [shares[this.positive], 1 - shares[this.positive]];
    const estimate = metric.value(atShares(group.rows, shares), group.settings), none = (why) => ({ estimate, low: NaN, high: NaN, level, draws: 0, undefined: 0, why });
    if (Number.isNaN(estimate)) return none("the metric is undefined here");
    if (this.rows.length > MOST_INTERVAL_CLASSES) return none(`intervals of more than ${MOST_INTERVAL_CLASSES} classes are computed by the Python package`);
    if (group.sides && given) return none("a class against the rest at other priors has its interval in the Python package");
    if (this.rows.some((row) => row.some((x) => !Number.isInteger(x)))) return none("sums of weights do not say how many examples there are");
    const batch = this.batch(group, draws), sorted = definedOf(this.values(metric, group, batch, "draws", shares)), left = draws - sorted.length;
    if (!sorted.length) return none("undefined in every draw");
    const centre = metric.value(atShares(this.kept(`centre ${group.name}`, () => centreOf(group.rows, fixed, group.prior)), shares), group.settings);
    const [least, greatest] = metric.range(group.rows.length), isRatio = metric.kind === "two-class" && least === 0 && greatest === Infinity;
    // Percentiles of a ratio are the same on every scale and stay as drawn (is_ratio in confidence_limits.py).
    let [low, high] = limitsOf(sorted, isRatio ? NaN : centre, level, this.biasOfSets(metric, group, shares, draws));
    high = Math.min(high, this.mostWithoutHits(metric, group, estimate, draws, shares));
    const width = high - low;
    if (!(Number.isFinite(width) ? width > 1e-12 * Math.max(1, Math.abs(low), Math.abs(high)) : low < high)) low = high = estimate;
    return { estimate, low: Math.max(least, Math.min(low, estimate)), high: Math.min(greatest, Math.max(high, estimate)), level, draws, undefined: left, why: null };
  }
  biasOfSets(metric, group, shares, draws) {
    if (this.rows.length < 3 || metric.kind !== "multi-class" || metric.weighs) return 0;
    const [sets, expected] = this.kept("sets", () => smoothedSets(this.rows, this.fixed, this.seed));
    const used = this.kept(`sets ${draws}`, () => firstOf(sets, draws < this.draws ? draws : Infinity));
    return biasOf(this.values(metric, group, used, "sets", shares), metric.value(atShares(expected, shares), group.settings), metric.value(atShares(this.rows, shares), group.settings));
  }
  // Where classes without a hit make the metric 0 (G-mean): its upper limit with their recalls at upper limits.
  mostWithoutHits(metric, group, estimate, draws, shares) {
    const sizes = sizesOf(this.rows), missed = sizes.map((_, k) => k).filter((k) => sizes[k] > 0 && !this.rows[k][k]);
    if (estimate !== 0 || metric.kind !== "multi-class" || metric.better !== "higher" || !missed.length) return Infinity;
    const limits = missed.map((k) => this.kept(`limit ${k}`, () => betaQuantile((1 + this.level) / 2, 0.5, sizes[k] + 0.5)));
    const shared = { name: "shared", rows: this.rows, prior: "shared" };
    const atLimits = (m) => {
      const moved = m.map((row) => row.map((cell) => cell.slice()));
      missed.forEach((k, r) => {
        for (let d = 0; d < m[0][0].length; d++) {
          let sum = 0;
          for (const cell of m[k]) sum += cell[d];
          const factor = (1 - limits[r]) / (1 - m[k][k][d] / sum);
          for (const cell of moved[k]) cell[d] *= factor;
          moved[k][k][d] = limits[r] * sum;
        }
      });
      return atShares(moved, shares);
    };
    const centre = centreOf(this.rows, this.fixed, "shared").map((row) => row.map((x) => Float64Array.of(x)));
    const values = metric.drawn(atLimits(this.batch(shared, draws)), group.settings);
    return limitsOf(definedOf(values), metric.drawn(atLimits(centre), group.settings)[0], this.level)[1];
  }
}

// ---- paired differences of two models on the same rows (differences.py): cells [truth, first, second, count]
const MOST_JOINT_CELLS = 4096;
const seenBy = (cells, size, model) => {
  const m = table(size, () => 0);
  for (const cell of cells) m[cell[0]][cell[1 + model]] += cell[3];
  return m;
};
function jointMatrices(cells, size, { fixed, prior, draws, seed }) {
  const seen = [0, 1].map((model) => seenBy(cells, size, model)), sizes = sizesOf(seen[0]), weights = weightOfCounts(sizes);
  const out = [batchOf(size, draws), batchOf(size, draws)], priors = seen.map((m) => priorParameters(m, prior)), block = blockSize(Math.max(2 * size * size, cells.length));
  for (let number = 0, from = 0; from < draws; number++, from += block) {
    const random = new Random(seed, number), many = Math.min(block, draws - from), masses = cells.map(() => new Float64Array(many));
    random.gammas(cells.map(([truth, , , count]) => count * weights[truth]), many, masses);
    cells.forEach(([truth, ...predicted], k) => out.forEach((batch, model) => {
      const into = batch[truth][predicted[model]];
      for (let d = 0; d < many; d++) into[from + d] += masses[k][d];
    }));
    for (let label = 0; label < size; label++) if (sizes[label] > 0) addPrior(random, label, priors.map((rows) => rows[label]), weights[label], many, out, from);
    scaledRows(random, out, sizes, fixed, from, many);
  }
  return out;
}
// The prior's mass of one class: pieces of a stick, each predicted by both models, rather differently than alike.
function addPrior(random, label, parameters, weight, draws, out, from) {
  const [lengths, pieces] = sticks(random, [weight * added(parameters[0])], 1e-4, draws), number = draws * pieces;
  const order = random.uniforms(2 * number), within = random.uniforms(2 * number), apart = random.uniforms(number), free = random.uniforms(2 * number);
  const places = [label, ...parameters[0].map((_, k) => k).filter((k) => k !== label)], choose = parameters.map((row) => chooser(places.map((k) => row[k])));
  for (let d = 0, i = 0; d < draws; d++) for (let p = 0; p < pieces; p++, i++) {
    const turned = order[2 * i] > order[2 * i + 1] ? 1 : 0;
    for (let model = 0; model < 2; model++) {
      const chance = apart[i] < 0.5 ? ((model ^ turned) + within[2 * i + model]) / 2 : free[2 * i + model];
      out[model][label][places[choose[model](chance)]][from + d] += lengths[i];
    }
  }
}
// Draws of both models are made once for all metrics and class distributions that need them.
class DifferenceFinder {
  constructor(cells, size, { draws = drawsFor(size), seed = 0, design = "sample", level = 0.95, positive = null, settings = {} } = {}) {
    Object.assign(this, { cells, size, draws, seed, level, positive, settings, fixed: design === "fixed", known: new Map() });
  }
  // The cells from which a metric is drawn: of one class of several, that class and the rest.
  groupOf(metric) {
    const { size, positive, settings } = this;
    if (metric.kind !== "two-class" || size === 2) {
      const prior = size > 2 && metric.weighs ? "observed" : "shared";
      return { name: prior, cells: this.cells, size, prior, settings: metric.kind === "two-class" ? { ...settings, positive } : settings };
    }
    const sums = new Map();
    for (const [t, a, b, n] of this.cells) { const key = [t, a, b].map((k) => Number(k !== positive)).join(); sums.set(key, (sums.get(key) ?? 0) + n); }
    const cells = [...sums].map(([key, n]) => [...key.split(",").map(Number), n]).sort((x, y) => x[0] - y[0] || x[1] - y[1] || x[2] - y[2]);
    return { name: "rest", cells, size: 2, prior: "shared", settings: { labels: ["a", "b"], positive: 0 } };
  }
  batches({ name, cells, size, prior }, draws) {
    const { fixed, seed, known } = this, make = () => jointMatrices(cells, size, { fixed, prior, draws, seed });
    if (known.has(name) && known.get(name)[0][0][0].length >= draws) return known.get(name).map((batch) => firstOf(batch, draws));
    return known.set(name, make()).get(name);
  }
  // The values of both models at this class distribution, which scales the draws once for all metrics.
  scaled(group, draws, shares) {
    if (!shares) return this.batches(group, draws);
    const key = `${group.name} ${draws} ${shares.join()}`;
    if (this.last?.key !== key) this.last = { key, batches: this.batches(group, draws).map((batch) => atShares(batch, shares)) };
    return this.last.batches;
  }
  difference(metric, { shares = null, draws = this.draws } = {}) {
    const group = this.groupOf(metric), { cells, size, prior, settings } = group, { fixed, level } = this, seen = [0, 1].map((model) => seenBy(cells, size, model));
    const [first, second] = seen.map((m) => metric.value(atShares(m, shares), settings)), value = first - second, none = (why) => ({ value, low: NaN, high: NaN, better: NaN, p: NaN, level, draws: 0, undefined: 0, why });
    if (Number.isNaN(value)) return none("undefined for at least one of the models");
    if (size > MOST_INTERVAL_CLASSES || cells.length >= MOST_JOINT_CELLS) return none("comparisons of so many classes or joint cells are computed by the Python package");
    if (cells.every(([, a, b]) => a === b)) return { value, low: 0, high: 0, better: metric.better === "neither" ? NaN : 0.5, p: 1, level, draws, undefined: 0, why: "the models are identical on this test set" };
    const values = this.scaled(group, draws, shares).map((batch) => metric.drawn(batch, settings));
    const sorted = definedOf(values[0].map((x, d) => x - values[1][d])), number = sorted.length;
    if (!number) return none("undefined in every draw");
    const centres = seen.map((m) => metric.value(atShares(centreOf(m, fixed, prior), shares), settings));
    const [low, high, atLow, atHigh] = limitsOf(sorted, centres[0] - centres[1], level), shift = (atLow + atHigh) / 2, count = (test) => sorted.reduce((sum, x) => sum + test(x), 0);
    const tail = Math.min(count((x) => x <= atLow + 1e-12), count((x) => x >= atHigh - 1e-12)), lower = count((x) => x - shift <= -1e-12), higher = count((x) => x - shift >= 1e-12);
    const better = metric.better === "neither" ? NaN : (metric.better === "lower" ? lower : higher) / number + (number - higher - lower) / number / 2;
    return { value, low: Math.min(low, value), high: Math.max(high, value), better, p: Math.min(1, (2 * (tail + 1)) / (number + 1)), level, draws, undefined: draws - number, why: null };
  }
}
