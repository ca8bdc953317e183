// What can the reader change? Shares of the classes, the threshold, costs, which class matters more, the measures.

const FEW_SHARES = 12;
const FEW_COSTS = 5;

const toSlider = (share) => Math.log10(Math.max(share, LEAST));
const fromSlider = (value) => Math.min(1, 10 ** value);

// The others keep their proportions; where nothing is left of them, those of `before`.
const withShare = (priors, which, share, before = priors) => {
  const rest = (shares) => sumOf(shares.filter((_, i) => i !== which));
  const base = rest(priors) > 1e-12 ? priors : rest(before) > 0 ? before : priors.map(() => 1);
  return base.map((p, i) => (i === which ? share : (p / rest(base)) * (1 - share)));
};

const sharesHere = (data) => {
  const sizes = rowsOf(data.models[0], data.labels.length).map(sumOf);
  const whole = sumOf(sizes);
  return sizes.map((t) => (whole ? t / whole : 1 / sizes.length));
};

const group = (title, words, ...parts) =>
  element("fieldset", {}, element("legend", {}, title), ...parts, words ? element("p", { class: "soft" }, words) : null);

const sharesControl = (data, state, change) => {
  const rows = element("div", { class: "sliders" });
  const inputs = new Map();
  const now = () => state.priors ?? sharesHere(data);
  const add = (which) => {
    const said = element("output");
    const slider = element("input", {
      type: "range", min: Math.log10(LEAST), max: 0, step: 0.005,
      "aria-label": `share of class ${data.labels[which]}`,
      input: () => change(() => (state.priors = withShare(now(), which, fromSlider(Number(slider.value)), sharesHere(data)))),
    });
    const name = element("span", { class: "name", title: data.labels[which] }, short(data.labels[which], 18));
    rows.append(element("label", {}, name, slider, said));
    inputs.set(which, [slider, said]);
  };
  const many = data.labels.length > FEW_SHARES;
  const choice = many
    ? element("select", { "aria-label": "class whose share is changed", change: () => {
        rows.replaceChildren();
        inputs.clear();
        add(Number(choice.value));
        follow();
      } }, ...data.labels.map((label, i) => element("option", { value: i }, short(label))))
    : null;
  const shares = sharesHere(data);
  const rare = data.positive ?? shares.indexOf(Math.min(...shares));
  if (many) {
    choice.value = rare;
    add(rare);
  } else if (data.labels.length === 2) add(rare);
  else data.labels.forEach((_, i) => add(i));
  const follow = () => {
    for (const [which, [slider, said]] of inputs) {
      const share = now()[which];
      if (document.activeElement !== slider) slider.value = toSlider(share);
      said.textContent = percent(share);
      slider.setAttribute("aria-valuetext", percent(share));
    }
  };
  const presets = element("p", { class: "presets" },
    button(data.start ? "as counted" : "test set", () => change(() => (state.priors = null))),
    button("balanced", () => change(() => (state.priors = evenShares(data)))),
    data.priors ? button("yours", () => change(() => (state.priors = data.priors.slice()))) : null);
  return [group("Shares of the classes", "", choice, rows, presets), follow];
};

const thresholdControl = (data, state, change) => {
  if (!data.curve) return [null, () => {}];
  const { tp, fp, thresholds, at, positives, negatives } = data.curve;
  const said = element("output");
  const now = () => state.at ?? at;
  const slider = element("input", {
    type: "range", min: 0, max: tp.length - 1, step: 1, "aria-label": "threshold of the score",
    input: () => change(() => (state.at = Number(slider.value))),
  });
  const follow = () => {
    const k = now();
    if (document.activeElement !== slider) slider.value = k;
    const here = positives / (positives + negatives);
    const share = state.priors ? state.priors[data.positive] : here;
    const rate = percent((positives ? share * tp[k] / positives : 0) + (negatives ? (1 - share) * fp[k] / negatives : 0));
    said.textContent = thresholds[k] === null ? "nothing is called" : `called from ${shown(thresholds[k])} on: ${rate} of the examples`;
    slider.setAttribute("aria-valuetext", said.textContent);
  };
  const back = button("as chosen", () => change(() => (state.at = null)));
  return [group("Threshold", "", element("label", { class: "tall" }, slider, said),
    element("p", { class: "presets" }, back)), follow];
};

const costsControl = (data, state, change) => {
  const size = data.labels.length;
  const fields = new Map();
  const refused = element("p", { class: "bad", role: "alert" });
  const check = (typed) => {
    const fits = typed.value === "" ? !typed.validity.badInput : isCost(Number(typed.value));
    refused.textContent = fits ? "" : `a cost is a number from 0 to ${MOST_COST.toLocaleString("en-US")}.`;
    return fits && typed.value !== "";
  };
  const field = (truth, called) => {
    const pair = truth + "-" + called;
    const typed = element("input", {
      type: "number", min: 0, step: "any", placeholder: "0", value: state.costs[pair] ?? "",
      "aria-label": `cost of calling ${data.labels[truth]} ${data.labels[called]}`,
      input: () => change(() => {
        if (check(typed)) state.costs[pair] = Number(typed.value);
        else delete state.costs[pair];
      }),
    });
    fields.set(pair, typed);
    return typed;
  };
  if (size <= FEW_COSTS) {
    const rows = data.labels.flatMap((truth, i) => data.labels.map((called, j) => i === j ? null :
      element("label", {}, element("span", { class: "name" }, `${short(truth, 14)} called ${short(called, 14)}`), field(i, j))));
    const follow = () => {
      for (const [pair, typed] of fields) if (document.activeElement !== typed) typed.value = state.costs[pair] ?? "";
    };
    return [group("What a mistake costs", "", element("div", { class: "sliders" }, ...rows), refused), follow];
  }
  const options = () => data.labels.map((label, i) => element("option", { value: i }, short(label)));
  const truth = element("select", { "aria-label": "true class" }, ...options());
  const called = element("select", { "aria-label": "predicted class" }, ...options());
  called.value = 1;
  const cost = element("input", { type: "number", min: 0, step: "any", value: 1, "aria-label": "cost" });
  const list = element("ul");
  const set = button("set", () => change(() => {
    if (check(cost) && truth.value !== called.value) state.costs[truth.value + "-" + called.value] = Number(cost.value);
  }));
  const follow = () => list.replaceChildren(...Object.entries(state.costs).map(([pair, price]) => {
    const [i, j] = pair.split("-").map(Number);
    const words = `${short(data.labels[i], 14)} called ${short(data.labels[j], 14)}: ${price} `;
    return element("li", {}, words, button("remove", () => change(() => delete state.costs[pair])));
  }));
  return [group("What a mistake costs", "", element("p", { class: "presets" }, truth, " called ", called, cost, set), refused, list), follow];
};

const orderControl = (data, state, change) => {
  const list = element("ol", { class: "order" });
  const inTurn = data.labels.map((_, i) => i);
  const now = () => {
    if (state.order !== "given") return state.order ?? inTurn;
    return inTurn.slice().sort((a, b) => data.relevance[b] - data.relevance[a]);
  };
  const move = (from, to, which = null) => {
    const order = now().slice();
    if (to < 0 || to >= order.length) return;
    order.splice(to, 0, order.splice(from, 1)[0]);
    change(() => (state.order = order));
    if (which !== null) list.children[to].querySelectorAll("button")[which].focus(); // the next press moves it on
  };
  let dragged = null;
  const item = (which, k) => element("li", {
    draggable: "true",
    dragstart: (event) => { dragged = k; event.dataTransfer.setData("text/plain", ""); },
    dragover: (event) => event.preventDefault(),
    drop: (event) => { event.preventDefault(); if (dragged !== null) move(dragged, k); dragged = null; },
  }, element("span", { class: "name", title: data.labels[which] }, short(data.labels[which], 20)),
  button("↑", () => move(k, k - 1, 0), { "aria-label": `${data.labels[which]} matters more` }),
  button("↓", () => move(k, k + 1, 1), { "aria-label": `${data.labels[which]} matters less` }));
  let shown = "";
  const follow = () => {
    if (now().join() !== shown) list.replaceChildren(...now().map(item));
    shown = now().join();
    list.classList.toggle("unused", state.order === null);
  };
  const presets = element("p", { class: "presets" },
    button("all alike", () => change(() => (state.order = null))),
    data.relevance ? button("as in the report", () => change(() => (state.order = "given"))) : null,
    button("in this order", () => change(() => (state.order = now().slice()))));
  return [group("Which class matters more", "The first matters most; means over classes are weighted so.", presets, list), follow];
};

const measuresControl = (data, about, state, change) => {
  const list = element("div", { class: "ticks" });
  const now = () => state.measures ?? data.first;
  const boxes = about.map((m) => {
    const box = element("input", { type: "checkbox", change: () => change(() => {
      const names = new Set(now());
      if (box.checked) names.add(m.name);
      else names.delete(m.name);
      state.measures = about.map((one) => one.name).filter((name) => names.has(name));
    }) });
    const label = element("label", { title: m.question }, box, " ", m.title);
    list.append(label);
    return [m, box, label];
  });
  const search = element("input", { type: "search", placeholder: "find a measure", "aria-label": "find a measure",
    input: () => {
      const wanted = search.value.trim().toLowerCase();
      for (const [m, , label] of boxes) {
        label.hidden = !(m.name + " " + m.title + " " + m.symbols.join(" ")).toLowerCase().includes(wanted);
      }
    } });
  const follow = () => {
    const names = new Set(now());
    for (const [m, box] of boxes) box.checked = names.has(m.name);
  };
  const presets = element("p", { class: "presets" }, search,
    button("the first", () => change(() => (state.measures = null))),
    button("all", () => change(() => (state.measures = about.map((m) => m.name)))));
  return [group("Measures", "", presets, list), follow];
};
