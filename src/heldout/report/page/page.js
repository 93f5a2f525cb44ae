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

  // confusion matrices: counts, or shares of their row or column; turned where a reader wants it
  const cells = document.getElementById("cells");
  const turned = document.getElementById("turned");
  const matrices = [...document.querySelectorAll("table.matrix")].map((table) => ({
    table,
    counts: [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1).map((c) => Number(c.dataset.count))),
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
          cell.textContent = cells.value === "count" ? count.toLocaleString("en-US") : whole ? `${((100 * count) / whole).toFixed(1)}%` : "";
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
  const shown = (name) => tool.querySelector(`[data-shows="${name}"]`);
  const percent = (value) => (Number.isFinite(value) ? `${(100 * value).toFixed(1)}%` : "undefined");
  const round = (value) => (Number.isFinite(value) ? Number(value.toPrecision(4)).toLocaleString("en-US") : "undefined");
  let current = 0;

  const rates = (model, cut) => {
    const tp = model.tp[cut], fp = model.fp[cut], p = model.positives, n = model.negatives;
    return { tp, fp, fn: p - tp, tn: n - fp, recall: tp / p, alarms: fp / n };
  };
  // what one row costs on average where positives are as frequent as the reader says
  const cost = (model, cut) => {
    const share = Number(field("prevalence").value) / 100;
    const { recall, alarms } = rates(model, cut);
    return share * (1 - recall) * Number(field("miss").value) + (1 - share) * alarms * Number(field("alarm").value);
  };
  const places = {
    roc: (r) => [r.alarms, r.recall],
    hull: (r) => [r.alarms, r.recall],
    pr: (r) => [r.recall, r.tp / (r.tp + r.fp)],
    gain: (r, all) => [(r.tp + r.fp) / all, r.recall],
    lift: (r, all, share) => [(r.tp + r.fp) / all, r.tp / (r.tp + r.fp) / share],
  };
  const at = (text, value) => {
    const [low, high, start, stop] = text.split(" ").map(Number);
    return start + ((value - low) / (high - low)) * (stop - start);
  };
  const mark = (panel, name) => {
    let circle = panel.querySelector(".moving");
    if (!circle) {
      circle = document.createElementNS("http://www.w3.org/2000/svg", name);
      circle.setAttribute("class", "moving");
      panel.append(circle);
    }
    return circle;
  };
  const draw = (model, cut) => {
    const r = rates(model, cut);
    const all = model.positives + model.negatives;
    for (const panel of document.querySelectorAll("g[data-chart]")) {
      const place = places[panel.dataset.chart];
      if (place) {
        const [x, y] = place(r, all, model.positives / all);
        const circle = mark(panel, "circle");
        const isKnown = Number.isFinite(x) && Number.isFinite(y);
        circle.setAttribute("visibility", isKnown ? "visible" : "hidden");
        if (!isKnown) continue;
        circle.setAttribute("cx", at(panel.dataset.x, x));
        circle.setAttribute("cy", at(panel.dataset.y, y));
        circle.setAttribute("r", 6);
        circle.setAttribute("fill", "var(--s1)");
        circle.setAttribute("stroke", "var(--paper)");
        circle.setAttribute("stroke-width", 2);
      } else if (panel.dataset.chart.startsWith("thresholds")) {
        const line = mark(panel, "path");
        const x = at(panel.dataset.x, model.threshold[cut]);
        const [, , start, stop] = panel.dataset.y.split(" ");
        line.setAttribute("d", Number.isFinite(x) ? `M${x} ${start}V${stop}` : "");
        line.setAttribute("stroke", "var(--s1)");
        line.setAttribute("stroke-width", 2);
      }
    }
  };
  const show = () => {
    const model = models[current];
    const cut = Number(field("cut").value);
    const r = rates(model, cut);
    const share = Number(field("prevalence").value) / 100;
    const called = share * r.recall + (1 - share) * r.alarms;
    const values = {
      threshold: model.threshold[cut] === null ? "above every score" : round(model.threshold[cut]),
      tp: round(r.tp), fp: round(r.fp), fn: round(r.fn), tn: round(r.tn),
      recall: percent(r.recall), specificity: percent(1 - r.alarms),
      precision: percent((share * r.recall) / called),
      accuracy: percent(share * r.recall + (1 - share) * (1 - r.alarms)),
      cost: round(cost(model, cut)),
    };
    for (const [name, text] of Object.entries(values)) {
      const place = shown(name);
      if (place) place.textContent = text;
    }
    field("cut").setAttribute("aria-valuetext", values.threshold);
    draw(model, cut);
  };
  const choose = (index) => {
    current = index;
    const model = models[index];
    field("cut").max = model.threshold.length - 1;
    field("cut").value = model.start;
    show();
  };
  const best = () => {
    const model = models[current];
    let chosen = 0;
    model.threshold.forEach((_, cut) => {
      if (cost(model, cut) < cost(model, chosen) - 1e-12) chosen = cut;
    });
    field("cut").value = chosen;
    show();
  };
  const first = models[0];
  field("prevalence").value = Number(((100 * first.positives) / (first.positives + first.negatives)).toPrecision(6));
  field("cut").addEventListener("input", show);
  for (const name of ["prevalence", "miss", "alarm"]) field(name).addEventListener("input", show);
  tool.querySelector("button").addEventListener("click", best);
  const choice = field("model");
  if (choice) choice.addEventListener("change", () => choose(Number(choice.value)));
  choose(0);
})();
