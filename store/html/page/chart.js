"use strict";
// The trend: a bar for the new races of each period, a line for the races open at its end, and the same data as a table.

const CHART = { width: 1000, height: 240, left: 40, right: 10, top: 10, bottom: 30 };

/**
 * An element of SVG. Attributes are numbers and words of this page.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * A round number that is not below any of the values, and the number of steps that divide it.
 * @param {number} most
 */
function scale(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const step = [1, 2, 5, 10].map((n) => (n * power) / 5).find((one) => one >= 1 && one * 5 >= most) ?? power * 2;
  return { top: step * Math.max(1, Math.ceil(most / step)), step };
}

/** @param {TrendRow[]} rows */
function trendChart(rows) {
  const { width, height, left, right, top, bottom } = CHART;
  const { top: most, step } = scale(Math.max(...rows.map((row) => Math.max(row.open, row.new)), 1));
  const slot = (width - left - right) / rows.length;
  const x = (/** @type {number} */ i) => left + slot * (i + 0.5);
  const y = (/** @type {number} */ value) => top + (height - top - bottom) * (1 - value / most);
  const last = rows[rows.length - 1];
  const chart = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Open races from ${rows[0].from} to ${last.from}: ${last.open} at the end` });
  for (let value = 0; value <= most; value += step) {
    chart.append(drawn("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    chart.append(drawn("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
  }
  const bar = Math.min(slot * 0.6, 40);
  rows.forEach((row, i) => {
    if (row.new > 0) chart.append(drawn("rect", { class: "new-bar", x: x(i) - bar / 2, y: y(row.new), width: bar, height: y(0) - y(row.new) }));
  });
  chart.append(drawn("polyline", { class: "open-line", points: rows.map((row, i) => `${x(i)},${y(row.open)}`).join(" ") }));
  const labels = Math.ceil(rows.length / 10);
  rows.forEach((row, i) => {
    chart.append(drawn("circle", { class: "open-dot", cx: x(i), cy: y(row.open), r: 3 }));
    if (i % labels === 0) chart.append(drawn("text", { x: x(i), y: height - 8, "text-anchor": "middle" }, row.from));
  });
  return chart;
}

/** @param {Dashboard} data */
function showTrend(data) {
  const names = ["runs", "seen", "new", "closed", "reopened", "open"];
  const head = element("tr", {}, element("th", { scope: "col" }, "From"), ...names.map((name) => element("th", { scope: "col", class: "number" }, name)));
  const rows = data.trend.map((row) => {
    const numbers = [row.runs, row.seen, row.new, row.closed, row.reopened, row.open];
    return element("tr", {}, element("th", { scope: "row" }, row.from), ...numbers.map((number) => element("td", { class: "number" }, String(number))));
  });
  const table = element("div", { class: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
  const key = element("p", { class: "key" }, element("span", { class: "open" }, "open at the end"), element("span", { class: "new" }, `new, by ${data.period}`));
  const details = element("details", {}, element("summary", {}, "As a table"), table);
  part("trend", HTMLElement).append(...(data.trend.length === 0 ? ["No run yet."] : [trendChart(data.trend), key, details]));
}
