"use strict";
// Conveniences of a report: values under the pointer, series that can be hidden, tables that sort.
// The report can be read without them.

// follow shows the values under the pointer, and lets the entries of the legend hide their series.
function follow(figure) {
  const chart = JSON.parse(figure.dataset.chart);
  const plot = figure.querySelector(".plot"), svg = figure.querySelector("svg");
  const drawn = svg.querySelectorAll(".s"), keys = svg.querySelectorAll(".k");
  const shown = (i) => !drawn[i].classList.contains("off");

  svg.setAttribute("role", "group");
  keys.forEach((key, i) => {
    const toggle = () => {
      const off = drawn[i].classList.toggle("off");
      key.classList.toggle("off", off);
      key.setAttribute("aria-pressed", String(!off));
    };
    key.setAttribute("role", "button");
    key.setAttribute("tabindex", "0");
    key.setAttribute("aria-pressed", "true");
    key.setAttribute("aria-label", chart.Series[i].Name);
    key.addEventListener("click", toggle);
    key.addEventListener("keydown", (e) => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        toggle();
      }
    });
  });

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  figure.append(tip);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  line.setAttribute("class", "x");
  line.setAttribute("y1", chart.Top);
  line.setAttribute("y2", chart.Bottom);
  line.setAttribute("visibility", "hidden");
  svg.append(line);
  const leave = () => {
    tip.hidden = true;
    line.setAttribute("visibility", "hidden");
  };

  const nearest = (points, x) => points.reduce((a, b) => (!a || Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a), null);
  svg.addEventListener("pointermove", (e) => {
    const box = svg.getBoundingClientRect(), frame = figure.getBoundingClientRect();
    const seen = svg.viewBox.baseVal, unit = seen.width / box.width; // of the drawing, by pixel
    const x = (e.clientX - box.left) * unit, y = (e.clientY - box.top) * unit + seen.y;
    if (x < chart.Left - 8 || x > chart.Right + 8 || y < chart.Top - 8 || y > chart.Bottom + 8) return leave();
    const at = nearest(chart.Series.flatMap((s, i) => (shown(i) ? s.Points : [])), x);
    if (!at) return leave();
    const rows = [];
    chart.Series.forEach((s, i) => {
      const p = shown(i) && nearest(s.Points, at[0]);
      if (p && Math.abs(p[0] - at[0]) <= 6) rows.push([p[1], s, p]);
    });
    rows.sort((a, b) => a[0] - b[0]); // as they lie
    tip.replaceChildren(at[2]);
    for (const [, s, p] of rows) {
      const row = document.createElement("div"), mark = document.createElement("i");
      mark.style.background = s.Colour;
      row.append(mark, s.Name + ": " + (p[2] === at[2] ? "" : p[2] + ", ") + p[3]);
      tip.append(row);
    }
    tip.hidden = false;
    const px = box.left - frame.left + at[0] / unit;
    const left = px + 14 + tip.offsetWidth > plot.clientWidth ? px - 14 - tip.offsetWidth : px + 14;
    tip.style.left = Math.max(0, left) + "px";
    tip.style.top = Math.max(0, e.clientY - frame.top - tip.offsetHeight / 2) + "px";
    line.setAttribute("x1", at[0]);
    line.setAttribute("x2", at[0]);
    line.setAttribute("visibility", "visible");
  });
  svg.addEventListener("pointerleave", leave);
}

// onPhone shows the plot alone in the width of a phone, in larger letters: its title is above it, and
// its legend is text below.
function onPhone(figure) {
  const chart = JSON.parse(figure.dataset.chart);
  const plot = figure.querySelector(".plot"), svg = figure.querySelector("svg"), keys = svg.querySelectorAll(".k");
  const whole = svg.getAttribute("viewBox"), height = svg.viewBox.baseVal.height;
  const title = document.createElement("strong"), legend = document.createElement("div");
  title.textContent = svg.querySelector(".t")?.textContent ?? "";
  legend.className = "legend";
  chart.Series.forEach((s, i) => {
    const entry = document.createElement("button"), mark = document.createElement("i");
    entry.type = "button";
    entry.setAttribute("aria-pressed", "true");
    mark.style.background = s.Colour;
    entry.append(mark, s.Name);
    entry.addEventListener("click", () => {
      keys[i].dispatchEvent(new MouseEvent("click"));
      entry.setAttribute("aria-pressed", keys[i].getAttribute("aria-pressed"));
    });
    legend.append(entry);
  });
  plot.before(title);
  plot.after(legend);
  const narrow = matchMedia("screen and (max-width: 600px)");
  const fit = () => {
    figure.classList.toggle("small", narrow.matches);
    title.hidden = legend.hidden = !narrow.matches;
    svg.setAttribute("viewBox", narrow.matches ? `0 30 ${chart.Right + 24} ${height - 30}` : whole);
  };
  narrow.addEventListener("change", fit);
  fit();
}

// sortable lets the headings of a table sort it; what has no value comes last.
function sortable(table) {
  const body = table.tBodies[0], headings = [...(table.tHead?.rows[0].cells ?? [])];
  if (!body || body.rows.length < 2) return;
  const valueOf = (row, i, numeric) => {
    const text = (row.cells[i]?.firstChild?.textContent ?? "").trim();
    if (!numeric) return text.toLowerCase();
    const number = parseFloat(text.replace(/[\s,\u202f]/g, "").replace("\u2212", "-").replace(/^[^\d.+-]+/, ""));
    return isFinite(number) ? number : null;
  };
  headings.forEach((heading, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const numeric = heading.classList.contains("num");
      const up = heading.ariaSort ? heading.ariaSort !== "ascending" : !numeric;
      headings.forEach((h) => h.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [valueOf(row, i, numeric), row]);
      rows.sort(([a], [b]) => {
        if (a === b) return 0;
        if (a === null || a === "") return 1;
        if (b === null || b === "") return -1;
        return (a < b ? -1 : 1) * (up ? 1 : -1);
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}

document.querySelectorAll("figure[data-chart]").forEach(follow);
document.querySelectorAll("figure[data-chart]").forEach(onPhone);
document.querySelectorAll("table").forEach(sortable);

// A print shows what is folded.
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not([open])")];
  unfolded.forEach((d) => (d.open = true));
});
addEventListener("afterprint", () => unfolded.forEach((d) => (d.open = false)));
