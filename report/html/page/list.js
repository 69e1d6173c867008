"use strict";
// The list of findings, and its filters.

/**
 * The text in which a search looks for a finding, in lower case.
 * @param {Report} report
 * @param {Finding} finding
 */
function searchText(report, finding) {
  const frames = finding.sides.flatMap((side) => side.stack.flatMap((run) => run.frames));
  const words = frames.flatMap((frame) => [frame.function, frame.file === "" ? "" : shownFile(report, frame.file)]);
  return [finding.title, finding.headline, finding.fingerprint, ...words].join("\n").toLowerCase();
}

class FindingList {
  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    this.items = report.findings.map((finding) => {
      const link = element(
        "a",
        { href: hashOf({ finding: finding.id, step: -1 }) },
        element("span", { class: `badge ${finding.certainty}` }, finding.certaintyWords),
        element("span", { class: "name" }, finding.title),
      );
      return { finding, text: searchText(report, finding), link, row: element("li", {}, link) };
    });
    part("findings", HTMLOListElement).replaceChildren(...this.items.map((item) => item.row));
    this.search = element("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false" });
    this.kind = this.choice("kind", "Kind", report.findings.map((finding) => [finding.kind, finding.headline]));
    this.certainty = this.choice("certainty", "Certainty", report.findings.map((finding) => [finding.certainty, report.certainties[finding.certainty] ?? finding.certainty]));
    this.file = this.choice("file", "File", report.findings.flatMap((finding) => finding.sides.map((side) => [side.file, shownFile(report, side.file)])));
    const form = part("filters", HTMLFormElement);
    form.append(element("label", { for: "search" }, "Search"), this.search);
    for (const [name, label, select] of this.choices) form.append(element("label", { for: name }, label), select);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => this.filter());
    this.filter();
    part("columns", HTMLElement).classList.toggle("alone", report.findings.length < 2); // one finding needs no list
  }

  /** @type {[string, string, HTMLSelectElement][]} */
  choices = [];

  /**
   * @param {string} name
   * @param {string} label
   * @param {string[][]} values with their words
   */
  choice(name, label, values) {
    const words = new Map(values.filter(([value]) => value !== "").map(([value, word]) => [value, word]));
    const sorted = [...words].sort((a, b) => a[1].localeCompare(b[1], "en"));
    // The value is untrusted text: it is stored beside the option, and compared unchanged.
    const select = element("select", { id: name }, element("option", { value: "" }, "all"), ...sorted.map(([, word], i) => element("option", { value: i + 1 }, word)));
    this.values.set(select, ["", ...sorted.map(([value]) => value)]);
    this.choices.push([name, label, select]);
    return select;
  }

  /** @type {Map<HTMLSelectElement, string[]>} */
  values = new Map();

  /** @param {HTMLSelectElement} select */
  chosen(select) {
    return this.values.get(select)?.[select.selectedIndex] ?? "";
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const [kind, certainty, file] = [this.kind, this.certainty, this.file].map((select) => this.chosen(select));
    let shown = 0;
    for (const { finding, text, row } of this.items) {
      const fits =
        (kind === "" || finding.kind === kind) &&
        (certainty === "" || finding.certainty === certainty) &&
        (file === "" || finding.sides.some((side) => side.file === file)) &&
        words.every((word) => text.includes(word));
      row.hidden = !fits;
      if (fits) ++shown;
    }
    const all = counted(this.items.length, "finding", "findings");
    part("count", HTMLElement).textContent = shown === this.items.length ? all : `${shown} of ${all}`;
  }

  /** @param {string} id */
  select(id) {
    for (const { finding, link, row } of this.items) {
      if (finding.id !== id) {
        link.removeAttribute("aria-current");
        continue;
      }
      link.setAttribute("aria-current", "page");
      row.scrollIntoView({ block: "nearest" });
    }
  }

  /**
   * The next or previous finding that the filters show; none at the end.
   * @param {string} id
   * @param {number} by
   */
  neighbour(id, by) {
    const shown = this.items.filter((item) => !item.row.hidden);
    const at = shown.findIndex((item) => item.finding.id === id);
    return shown[at < 0 ? 0 : at + by]?.finding.id;
  }
}
