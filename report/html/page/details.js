"use strict";
// One finding: its description, why the run did not show it, the fix, its steps and sources.

/**
 * Scrolls a table of steps to a row; scrolls the page too only if the reader asked for the step (`page`).
 * @param {Element} row
 * @param {boolean} page
 */
function showRow(row, page) {
  const box = row.closest(".scroll");
  if (box === null) return;
  const head = box.querySelector("thead")?.getBoundingClientRect().height ?? 0;
  const [inner, outer] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom;
  if (inner.top < outer.top + head) box.scrollTop -= outer.top + head - inner.top;
  if (page) row.scrollIntoView({ block: "nearest" });
}

/** The walk through one finding's steps. */
class Walk {
  /**
   * @param {Report} report
   * @param {Finding} finding
   * @param {(step: number) => void} moved
   */
  constructor(report, finding, moved) {
    this.report = report;
    this.finding = finding;
    this.moved = moved;
    this.stops = finding.steps.flatMap((step, i) => (step.kind === "left-out" ? [] : [i]));
    this.step = -1;
    this.current = element("div", { class: "current", "aria-live": "polite" });
    this.position = element("span", { class: "position" });
    const choose = (/** @type {number} */ index) => this.show(index, true);
    const title = finding.isWitness ? "Witness: this schedule shows it" : "The accesses";
    const tables = [stepTable(finding, "witness", title, witnessRows(finding), choose)];
    if (finding.isWitness && finding.steps.some((step) => step.recorded !== null)) {
      tables.push(stepTable(finding, "recorded", "As the run was recorded", recordedRows(finding), choose));
    }
    this.tables = element("div", { class: "orders" }, ...tables);
  }

  controls() {
    /** @param {string} label @param {string} name @param {() => void} act */
    const button = (label, name, act) => {
      const made = element("button", { type: "button", "data-walk": name }, label);
      made.addEventListener("click", act);
      return made;
    };
    return element(
      "div",
      { class: "walk", role: "group", "aria-label": "Steps" },
      button("First", "first", () => this.end(-1)),
      button("Previous", "previous", () => this.go(-1)),
      this.position,
      button("Next", "next", () => this.go(1)),
      button("Last", "last", () => this.end(1)),
    );
  }

  /**
   * @param {number} by
   * @param {boolean} [focus]
   */
  go(by, focus = false) {
    const at = this.stops.indexOf(this.step);
    const next = Math.min(this.stops.length - 1, Math.max(0, at + by));
    this.show(this.stops[next], focus);
  }

  /**
   * @param {number} where -1: the first step, 1: the last
   * @param {boolean} [focus]
   */
  end(where, focus = false) {
    this.show(where < 0 ? this.stops[0] : this.stops[this.stops.length - 1], focus);
  }

  /**
   * @param {number} index of a step; an index that cannot be shown stands for the last one
   * @param {boolean} [focus] moves the focus to the step's row, in the table that has the focus or else in the first
   */
  show(index, focus = false) {
    const moved = this.step >= 0;
    this.step = this.stops.includes(index) ? index : this.stops[this.stops.length - 1];
    const table = document.activeElement?.closest(".order") ?? this.tables.firstElementChild;
    for (const row of this.tables.querySelectorAll("tr[data-step]")) {
      const here = row instanceof HTMLElement && row.dataset.step === String(this.step);
      row.classList.toggle("selected", here);
      const button = row.querySelector("button");
      if (button === null) continue;
      button.tabIndex = here ? 0 : -1;
      if (here) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (here && focus && table?.contains(row)) button.focus();
      if (here) showRow(row, moved);
    }
    const step = this.finding.steps[this.step];
    this.position.textContent = `Step ${this.stops.indexOf(this.step) + 1} of ${this.stops.length}`;
    const thread = this.finding.threads.find((each) => each.id === step.thread);
    const side = this.finding.sides.find((each) => step.kind === "access" && each.thread === step.thread && each.file === step.file && each.line === step.line);
    const title = `${thread?.label ?? ""} ${step.text}`.trim();
    this.current.replaceChildren(snippet(this.report, this.finding, { title, file: step.file, line: step.line, column: side?.column ?? 0, name: "step" }));
    this.moved(this.step);
  }
}

/**
 * @param {Finding} finding
 */
function facts(finding) {
  const list = element("dl", {});
  for (const fact of finding.facts) list.append(element("dt", {}, fact.name), element("dd", {}, fact.text));
  if (finding.fingerprint !== "") list.append(element("dt", {}, "Fingerprint"), element("dd", {}, element("code", {}, finding.fingerprint)));
  return list;
}

/**
 * @param {Report} report
 * @param {Finding} finding
 * @param {Walk} walk
 */
function findingPanel(report, finding, walk) {
  const sides = finding.sides.map((side, i) => {
    const locks = side.locks.length > 0 ? `Holds ${side.locks.join(", ")}.` : "Holds no lock.";
    return element(
      "section",
      { class: "side" },
      element("h3", {}, side.title),
      snippet(report, finding, { title: side.short, file: side.file, line: side.line, column: side.column, name: `side-${i}` }),
      element("p", {}, locks),
      stackList(report, side.stack),
    );
  });
  const related = finding.related.map((one) => stackDetails(report, one, false));
  return element(
    "article",
    { "data-finding": finding.id },
    element("p", { class: "badges" }, element("span", { class: `badge ${finding.certainty}` }, finding.certaintyWords), element("span", { class: "badge kind" }, finding.headline)),
    element("h2", {}, finding.title),
    element("dl", { class: "words" }, element("dt", {}, "Why"), element("dd", { id: "why" }, finding.why), element("dt", {}, "Fix"), element("dd", { id: "fix" }, finding.fix)),
    element("div", { class: "steps" }, element("div", {}, walk.controls(), walk.tables), walk.current),
    element("div", { class: "sides" }, ...sides),
    related.length > 0 ? element("section", {}, element("h3", {}, "Threads, locks and memory"), ...related) : null,
    element("section", {}, element("h3", {}, "More"), facts(finding), ...finding.more.map((text) => element("p", {}, text))),
  );
}
