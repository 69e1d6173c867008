"use strict";
// Steps as a table: a row per step, a lane per thread, a bar for each lock while it is held. Two tables are side by
// side: the witness, and the recorded order.

/** Number of lock colours. Further locks reuse them, and only their labels differ. */
const COLOURS = 6;

/**
 * The witness, from its first step.
 * @param {Finding} finding
 * @returns {Row[]}
 */
function witnessRows(finding) {
  return finding.steps.map((step, index) => ({ step, index, ordering: false }));
}

/**
 * The same steps in the recorded order, with the steps that ordered the accesses there.
 * @param {Finding} finding
 * @returns {Row[]}
 */
function recordedRows(finding) {
  const rows = witnessRows(finding).filter((row) => row.step.recorded !== null);
  for (const step of finding.hidden) {
    const at = step.recorded?.[0];
    if (at === undefined) continue;
    const same = rows.find((row) => row.step.thread === step.thread && row.step.recorded !== null && row.step.recorded[0] <= at && at <= row.step.recorded[1]);
    if (same !== undefined) same.ordering = true;
    else rows.push({ step, index: -1, ordering: true });
  }
  return rows.sort((a, b) => (a.step.recorded?.[0] ?? 0) - (b.step.recorded?.[0] ?? 0));
}

/**
 * The threads that have a lane, in the order of their numbers.
 * @param {Finding} finding
 * @param {Row[]} rows
 */
function lanesOf(finding, rows) {
  const used = new Set(rows.map((row) => row.step.thread));
  return finding.threads.filter((thread) => used.has(thread.id));
}

/**
 * The labels of all locks that a thread holds in these rows.
 * @param {Row[]} rows
 */
function locksOf(rows) {
  return [...new Set(rows.flatMap((row) => row.step.holds))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

/**
 * For each row the locks that each thread holds: those of the step, or those that the thread kept after its latest step.
 * @param {Row[]} rows
 * @returns {Map<number, string[]>[]}
 */
function heldLocks(rows) {
  /** @type {Map<number, string[]>} */
  const kept = new Map();
  return rows.map(({ step }) => {
    const now = new Map(kept);
    if (step.thread !== null) {
      now.set(step.thread, step.holds);
      kept.set(step.thread, step.keeps);
    }
    return now;
  });
}

/**
 * @param {Row} row
 * @param {Thread} thread
 * @param {string[]} held
 * @param {string[]} locks
 */
function laneCell(row, thread, held, locks) {
  const own = row.step.thread === thread.id;
  const cell = element("td", { class: "lane" });
  if (own) cell.append(element("span", { class: "dot" }));
  for (const lock of held) {
    const bar = element("span", { class: `bar lock-${locks.indexOf(lock) % COLOURS}`, title: `${thread.label} holds ${lock}` });
    if (own) bar.append(element("span", { class: "sr" }, `holds ${lock} `));
    cell.append(bar);
  }
  return cell;
}

/**
 * The step's text, with its thread and its place.
 * @param {Finding} finding
 * @param {Row} row
 */
function stepWords(finding, row) {
  const thread = finding.threads.find((each) => each.id === row.step.thread);
  const where = row.step.file !== "" && row.step.kind !== "run" ? ` at ${row.step.file.slice(row.step.file.lastIndexOf("/") + 1)}:${row.step.line}` : "";
  return `${thread === undefined ? "" : thread.label + " "}${row.step.text}${where}`;
}

/**
 * @param {Finding} finding
 * @param {string} name
 * @param {string} title
 * @param {Row[]} rows
 * @param {(index: number) => void} choose
 */
function stepTable(finding, name, title, rows, choose) {
  const lanes = lanesOf(finding, rows);
  const locks = locksOf(rows);
  const held = heldLocks(rows);
  const head = element("tr", {}, ...lanes.map((thread) => element("th", { scope: "col", class: "lane", title: thread.name === "" ? thread.label : `${thread.label} '${thread.name}'` }, thread.label)), element("th", { scope: "col" }, "Step"));
  const body = element("tbody", {});
  rows.forEach((row, i) => {
    const line = element("tr", { class: row.step.kind + (row.ordering ? " ordering" : "") });
    if (row.index >= 0) line.dataset.step = String(row.index);
    for (const thread of lanes) line.append(laneCell(row, thread, held[i].get(thread.id) ?? [], locks));
    const words = [stepWords(finding, row)];
    const marks = [row.step.kind === "access" ? element("span", { class: "mark" }, finding.mark) : null, row.ordering ? element("span", { class: "mark order" }, "orders") : null];
    if (row.index >= 0 && row.step.kind !== "left-out") {
      const button = element("button", { type: "button", tabindex: -1 }, ...words, ...marks);
      button.addEventListener("click", () => choose(row.index));
      line.append(element("td", { class: "step" }, button));
    } else {
      line.append(element("td", { class: "step" }, element("span", { class: row.step.kind === "left-out" ? "quiet" : "" }, ...words), ...marks));
    }
    body.append(line);
  });
  const key = element("p", { class: "key" }, ...locks.map((lock, i) => element("span", { class: `chip lock-${i % COLOURS}` }, lock)));
  if (locks.length > 0) key.prepend("Bars: locks held. ");
  return element("section", { class: "order", "data-order": name }, element("h3", {}, title), element("div", { class: "scroll" }, element("table", {}, element("caption", { class: "sr" }, `${title}, one step a row`), element("thead", {}, head), body)), locks.length > 0 ? key : null);
}
