// Which lines of Python give the numbers of this state? Names of classes stand in them as texts, whatever they hold.

const asPython = (value) => {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value !== null && typeof value === "object") return value.python; // a number beyond what JavaScript holds
  return JSON.stringify(value);
};

const pythonLines = (data, state, world, chosen) => {
  const lines = ["import numpy as np", "import steelyard as sy", ""];
  const list = (values) => "[" + values.map(asPython).join(", ") + "]";
  const many = world.models.length > 1;
  const labels = data.names ?? data.labels;
  lines.push(data.listed || data.names ? `labels = ${list(labels)}` : "labels = None");
  const names = chosen.filter((m) => !m.own).map((m) => m.name);
  lines.push(`measures = ${list(names)}`);
  const relevance = relevanceOf(data, state.order);
  if (relevance) lines.push(`relevance = ${list(relevance)}`);
  if (state.priors) lines.push(`priors = np.array(${list(state.priors)})`);
  world.models.forEach((model) => {
    if (many) lines.push("", `# ${JSON.stringify(model.name)}`);
    lines.push(`counts = np.array([${model.own.map(list).join(", ")}])`);
    if (state.priors) {
      const hollow = model.own.some((row) => sumOf(row) === 0);
      if (hollow) lines.push("sizes = counts.sum(axis=1)", "counts = counts * np.divide(priors, sizes, out=0 * priors, where=sizes > 0)[:, None]");
      else lines.push("counts = counts * (priors * (1 / counts.sum(axis=1)))[:, None]");
    }
    const listed = data.listed ? "" : ", listed=False";
    lines.push(data.listed || data.names ? `cm = sy.Confusion(counts, labels=labels${listed})` : "cm = sy.Confusion(counts)");
    const positive = data.positive === null ? "" : `, positive=${asPython(labels[data.positive])}`;
    lines.push(`values = sy.weigh(measures, cm${positive})`);
    if (relevance) {
      lines.push("weighted = {m: sy.measure(m).weighted_by(relevance)(cm) for m in measures if sy.measure(m).over_classes}");
      lines.push("values = values | weighted");
    }
    const costs = Object.entries(state.costs);
    if (costs.length) {
      const terms = costs.map(([pair, cost]) => `${cost} * counts[${pair.replace("-", ", ")}]`);
      lines.push(`cost = (${terms.join(" + ")}) / counts.sum()`);
    }
    lines.push("print(values)");
  });
  return lines.join("\n");
};
