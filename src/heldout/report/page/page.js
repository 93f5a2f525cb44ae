"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("has-script");

  // tables sort by a click on a head; undefined and empty cells stay last
  const key = (row, i) => {
    const text = row.cells[i] ? row.cells[i].dataset.value || row.cells[i].textContent.trim() : "";
    const number = Number.parseFloat(text.replace(/,/g, ""));
    return Number.isNaN(number) ? (text === "" ? null : text) : number;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, i) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      const link = head.querySelector("a");
      button.append(...[...head.childNodes].filter((node) => node !== link));
      head.prepend(button);
      button.addEventListener("click", () => {
        const sign = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const body = table.tBodies[0];
        const rows = [...body.rows].map((row) => [key(row, i), row]);
        rows.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : sign * compare(a, b)));
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  // what a measure means, beside its mark, for whoever points at it, reaches it or taps it
  const hint = document.createElement("div");
  hint.id = "hint";
  hint.setAttribute("role", "tooltip");
  hint.hidden = true;
  document.body.append(hint);
  const hide = () => { hint.hidden = true; };
  for (const link of document.querySelectorAll("a.what")) {
    const entry = document.getElementById(link.hash.slice(1));
    if (!entry) continue;
    const explain = () => {
      hint.replaceChildren(...[...entry.childNodes].map((node) => node.cloneNode(true)));
      hint.hidden = false;
      const place = link.getBoundingClientRect();
      hint.style.left = `${Math.max(8, Math.min(place.left, root.clientWidth - hint.offsetWidth - 8)) + scrollX}px`;
      hint.style.top = `${place.bottom + scrollY + 4}px`;
    };
    link.setAttribute("aria-describedby", "hint");
    for (const kind of ["pointerenter", "focus"]) link.addEventListener(kind, explain);
    for (const kind of ["pointerleave", "blur"]) link.addEventListener(kind, hide);
    // a finger has no pointer that rests: the first tap explains, the second follows the link
    link.addEventListener("touchend", (event) => {
      if (!hint.hidden) return;
      event.preventDefault();
      explain();
    });
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // what is folded away is printed all the same
  const folded = [...document.querySelectorAll("details.printed")];
  addEventListener("beforeprint", () => folded.forEach((part) => { part.open = true; }));

  // measures are picked: what is not wanted is hidden, be it a row or a column
  const results = document.getElementById("results");
  const measured = results ? [...results.querySelectorAll("[data-measure]")] : [];
  const names = new Map(measured.map((part) => [part.dataset.measure, part.dataset.title]));
  if (names.size > 1) {
    const tool = document.createElement("details");
    tool.className = "tool pick";
    const head = document.createElement("summary");
    head.textContent = "Choose measures";
    tool.append(head);
    for (const [name, title] of names) {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = true;
      box.value = name;
      label.append(box, title);
      tool.append(label);
      box.addEventListener("change", () => {
        for (const part of measured.filter((one) => one.dataset.measure === name)) {
          const rows = part.tagName === "TR" ? [] : [...part.closest("table").rows];
          part.hidden = !box.checked;
          for (const row of rows) if (row.cells.length > part.cellIndex) row.cells[part.cellIndex].hidden = !box.checked;
        }
      });
    }
    results.querySelector("h2").after(tool);
  }

  // confusion matrices: counts, or shares of their row or column; turned where a reader wants it
  const cells = document.getElementById("cells");
  const turned = document.getElementById("turned");
  const worth = JSON.parse(cells?.dataset.worth || "null");
  const matrices = [...document.querySelectorAll("table.matrix")].map((table) => ({
    table,
    counts: [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1).map((c) => Number(c.dataset.count ?? c.textContent.replace(/,/g, "")))),
    shades: [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1).map((c) => c.className)),
  }));
  const redraw = () => {
    for (const { table, counts, shades } of matrices) {
      const sum = (values) => values.reduce((a, b) => a + b, 0);
      table.caption.textContent = turned.checked ? "rows: predicted, columns: truth" : "rows: truth, columns: predicted";
      table.tHead.rows[0].cells[0].textContent = turned.checked ? "predicted" : "truth";
      [...table.tBodies[0].rows].forEach((row, i) => {
        [...row.cells].slice(1).forEach((cell, j) => {
          const [truth, predicted] = turned.checked ? [j, i] : [i, j];
          const count = counts[truth][predicted];
          const whole = cells.value === "row" ? sum(counts[truth]) : sum(counts.map((line) => line[predicted]));
          cell.className = shades[truth][predicted];
          const shown = cells.value === "worth" ? count * worth[truth][predicted] : count;
          const isShare = cells.value === "row" || cells.value === "column";
          cell.textContent = !isShare ? shown.toLocaleString("en-US") : whole ? `${((100 * count) / whole).toFixed(1)}%` : "";
        });
      });
    }
  };
  if (cells && turned) for (const control of [cells, turned]) control.addEventListener("change", redraw);

  // one threshold for every curve: the page looks up counts that Python made
  const source = document.getElementById("threshold-data");
  const tool = document.getElementById("threshold-tool");
  if (!source || !tool) return;
  const models = JSON.parse(source.textContent);
  const field = (name) => tool.querySelector(`[name="${name}"]`);
  // a field that is empty, or out of its range, holds no number: what rests on it is undefined
  const number = (name) => field(name).checkValidity() ? field(name).valueAsNumber : NaN;
  // rows that are none of all weigh nothing, even where a rate of them is undefined
  const weigh = (share, rate) => (share === 0 ? 0 : share * rate);
  const percent = (value) => (Number.isFinite(value) ? `${(100 * value).toFixed(1)}%` : "undefined");
  const round = (value) => (Number.isFinite(value) ? value.toLocaleString("en-US", { maximumSignificantDigits: 4 }) : "undefined");
  const count = (value) => value.toLocaleString("en-US");
  const panels = [...tool.querySelectorAll("g[data-chart]")];
  const choice = field("model");
  let current = choice ? Number(choice.value) : 0;

  const rates = (model, cut) => {
    const tp = model.tp[cut], fp = model.fp[cut], p = model.positives, n = model.negatives;
    return { tp, fp, fn: p - tp, tn: n - fp, recall: tp / p, alarms: fp / n };
  };
  // what a step up and a step right on the ROC curve are worth, where positives are as frequent
  // as the reader says, and what no step at all earns
  const worthOfSteps = () => {
    const share = number("prevalence") / 100;
    const up = share * (number("hit") + number("miss")), right = (1 - share) * (number("rejection") + number("alarm"));
    return { up, right, none: (1 - share) * number("rejection") - share * number("miss") };
  };
  const at = (text, value) => {
    const [low, high, start, stop] = text.split(" ").map(Number);
    return start + ((value - low) / (high - low)) * (stop - start);
  };
  const mark = (panel, name, kind) => {
    let shape = panel.querySelector(`.${kind}`);
    if (!shape) {
      shape = document.createElementNS("http://www.w3.org/2000/svg", name);
      shape.setAttribute("class", kind);
      if (name === "path") shape.setAttribute("clip-path", `url(#${panel.querySelector("clipPath").id})`);
      panel.append(shape);
    }
    return shape;
  };
  const drawDot = (panel, [x, y]) => {
    const circle = mark(panel, "circle", "moving");
    const lies = (text, value) => {
      const ends = text.split(" ").slice(0, 2).map(Number);
      return value > Math.min(...ends) - 1e-9 && value < Math.max(...ends) + 1e-9;
    };
    const isKnown = lies(panel.dataset.x, x) && lies(panel.dataset.y, y);
    circle.setAttribute("visibility", isKnown ? "visible" : "hidden");
    if (!isKnown) return;
    circle.setAttribute("cx", at(panel.dataset.x, x));
    circle.setAttribute("cy", at(panel.dataset.y, y));
    circle.setAttribute("r", 6);
  };
  const drawLine = (panel, kind, ...ends) => {
    const places = ends.map(([x, y]) => [at(panel.dataset.x, x), at(panel.dataset.y, y)]);
    const isKnown = places.flat().every(Number.isFinite);
    mark(panel, "path", kind).setAttribute("d", isKnown ? `M${places.map((place) => place.join(" ")).join("L")}` : "");
  };
  const upright = (panel, kind, x) => {
    const [low, high] = panel.dataset.y.split(" ").map(Number);
    drawLine(panel, kind, [x, low], [x, high]);
  };
  // points of one worth lie on a line: a step right loses what a step up gains
  const drawWorth = (panel, { recall, alarms }, worth) => {
    const [right, up] = [worth.up, worth.right];
    const ends = [[-alarms, right], [1 - alarms, right], [-recall, up], [1 - recall, up]].filter(([, step]) => step).map(([way, step]) => way / step);
    const inside = ends.filter((t) => [alarms + t * right, recall + t * up].every((v) => v > -1e-9 && v < 1 + 1e-9));
    drawLine(panel, "equal-worth", ...[Math.min(...inside), Math.max(...inside)].map((t) => [alarms + t * right, recall + t * up]));
  };
  // the normal distribution function by its power series, and its inverse by halving
  const normal = (x) => {
    let sum = x;
    for (let term = x, odd = 3; Math.abs(term) > 1e-17; odd += 2) sum += term *= (x * x) / odd;
    return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
  };
  const deviate = (rate) => {
    if (!(rate > 0 && rate < 1)) return NaN;
    let [low, high] = [-8, 8];
    while (high - low > 1e-9) {
      const middle = (low + high) / 2;
      if (normal(middle) < rate) low = middle;
      else high = middle;
    }
    return low;
  };
  const draws = {
    roc: (panel, r) => {
      drawWorth(panel, r.best, r.worth);
      drawDot(panel, [r.alarms, r.recall]);
    },
    hull: (panel, r) => draws.roc(panel, r),
    det: (panel, r) => drawDot(panel, [deviate(r.alarms), deviate(1 - r.recall)]),
    pr: (panel, r) => drawDot(panel, [r.recall, r.tp / (r.tp + r.fp)]),
    gain: (panel, r) => drawDot(panel, [(r.tp + r.fp) / r.all, r.recall]),
    lift: (panel, r) => drawDot(panel, [(r.tp + r.fp) / r.all, (r.recall * r.all) / (r.tp + r.fp)]),
    cost: (panel, r) => {
      upright(panel, "equal-worth", r.worth.up / (r.worth.up + r.worth.right));
      drawLine(panel, "moving", [0, r.alarms], [1, 1 - r.recall]);
    },
    calibration: (panel, r) => upright(panel, "moving", r.threshold),
    decision: (panel, r) => upright(panel, "moving", r.threshold),
    // they have a panel for each model, and the mark is on that of the chosen one
    thresholds: (panel, r) => upright(panel, "moving", [r.name, ""].includes(panel.dataset.panel) ? r.threshold : NaN),
    scores: (panel, r) => draws.thresholds(panel, r),
  };
  const show = () => {
    const model = models[current];
    const cut = number("cut");
    const worth = worthOfSteps();
    const share = number("prevalence") / 100;
    const r = { ...rates(model, cut), all: model.positives + model.negatives, name: model.name, worth };
    const found = weigh(share, r.recall), called = found + weigh(1 - share, r.alarms);
    const worths = model.tp.map((tp, i) => worth.none + weigh(worth.up, tp / model.positives) - weigh(worth.right, model.fp[i] / model.negatives));
    const best = worths.reduce((chosen, worth, i) => (worth > worths[chosen] + 1e-12 ? i : chosen), 0);
    const isKnown = Number.isFinite(worths[best]);
    const isCost = !number("hit") && !number("rejection");
    const name = (i) => {
      const t = model.threshold[i];
      return t === null ? "above every score" : String(t);
    };
    const cell = (rows, all, each) => `${percent(rows / all)}${each ? `, ${each > 0 ? "earns" : "costs"} ${round(Math.abs(rows * each))}` : ""}`;
    const values = {
      threshold: name(cut),
      tp: count(r.tp), fp: count(r.fp), fn: count(r.fn), tn: count(r.tn),
      "tp-more": cell(r.tp, model.positives, number("hit")), "fn-more": cell(r.fn, model.positives, -number("miss")),
      "fp-more": cell(r.fp, model.negatives, -number("alarm")), "tn-more": cell(r.tn, model.negatives, number("rejection")),
      recall: percent(r.recall), specificity: percent(1 - r.alarms),
      precision: percent(found / called),
      accuracy: percent(found + weigh(1 - share, 1 - r.alarms)),
      "worth-name": isCost ? "cost" : "profit", worth: round((isCost ? -1 : 1) * worths[cut] + 0),
      best: isKnown ? name(best) : "undefined", "best-worth": round((isCost ? -1 : 1) * worths[best] + 0),
    };
    for (const place of tool.querySelectorAll("[data-shows]")) place.textContent = values[place.dataset.shows];
    const shares = { tp: r.recall, fn: 1 - r.recall, fp: r.alarms, tn: 1 - r.alarms };
    for (const [name, part] of Object.entries(shares)) {
      tool.querySelector(`[data-shows="${name}"]`).parentElement.className = `h${Math.min(Math.floor(10 * (part || 0)), 9)}`;
    }
    field("cut").setAttribute("aria-valuetext", values.threshold);
    r.threshold = model.threshold[cut] === null ? NaN : Number(model.threshold[cut]);
    r.best = rates(model, best);
    for (const panel of panels) draws[panel.dataset.chart]?.(panel, r);
    tool.style.setProperty("--moving", `var(--s${current % 11})`);
    return isKnown ? best : cut;
  };
  const choose = (index) => {
    current = index;
    const model = models[index];
    field("cut").max = model.threshold.length - 1;
    field("cut").value = model.start;
    show();
  };
  const ownShare = () => {
    const model = models[current];
    field("prevalence").value = Number(((100 * model.positives) / (model.positives + model.negatives)).toPrecision(6));
  };
  for (const name of ["cut", "prevalence", "hit", "miss", "alarm", "rejection"]) field(name).addEventListener("input", show);
  field("go").addEventListener("click", () => {
    field("cut").value = show();
    show();
  });
  field("own").addEventListener("click", () => {
    ownShare();
    show();
  });
  if (choice) choice.addEventListener("change", () => choose(Number(choice.value)));
  ownShare();
  choose(current);
})();
