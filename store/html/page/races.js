"use strict";
// The list of races, and its filters.

/** @param {string} time */
function minuteOf(time) {
  return time.slice(0, 16).replace("T", " ");
}

/** @param {Race} race */
function raceItem(race) {
  /** @type {[string, string][]} */
  const facts = [
    ["Fingerprint", race.fingerprint],
    ...race.aliases.map((alias) => /** @type {[string, string]} */ (["also", alias])),
    ["Kind", `${race.kind}, ${race.certainty}`],
    ["Owner", race.owner === "" ? "nobody" : race.owner],
    ["Place", race.place + (race.function === "" ? "" : ` in ${race.function}`)],
    ["First seen", minuteOf(race.first_seen)],
    ["Last seen", `${minuteOf(race.last_seen)}, in ${counted(race.runs, "run", "runs")}`],
    ["Commits", race.commits.join(", ")],
    ...race.changes.map((change) => /** @type {[string, string]} */ ([minuteOf(change.time), `${change.what} ${change.value === "" ? "nobody" : change.value} (${change.author})`])),
  ];
  const list = element("dl", {});
  for (const [name, text] of facts) {
    if (text !== "") list.append(element("dt", {}, name), element("dd", {}, text));
  }
  const summary = element("summary", {}, element("span", { class: `badge ${race.status}` }, race.status), element("span", { class: "name" }, race.title), " ", element("span", { class: "quiet" }, race.place));
  return element("li", {}, element("details", {}, summary, list));
}

class RaceList {
  /** @param {Dashboard} data */
  constructor(data) {
    this.items = data.races.map((race) => ({ race, row: raceItem(race), text: [race.title, race.file, race.function, race.fingerprint, ...race.aliases, race.owner, ...race.commits, ...race.changes.map((change) => change.value)].join("\n").toLowerCase() }));
    part("races", HTMLOListElement).replaceChildren(...this.items.map((item) => item.row));
    const form = part("filters", HTMLFormElement);
    this.search = element("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false" });
    form.append(element("label", {}, "Search", this.search));
    this.filters = [
      this.choice(form, "status", "Status", ["open", ...data.statuses], (race, value) => (value === "open" ? race.open : race.status === value)),
      this.choice(form, "owner", "Owner", data.races.flatMap(ownersOf), (race, value) => ownersOf(race).includes(value)),
      this.choice(form, "folder", "Folder", data.races.map((race) => race.folder), (race, value) => race.folder === value),
      this.choice(form, "kind", "Kind", data.races.map((race) => race.kind), (race, value) => race.kind === value),
    ];
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => this.filter());
    this.filter();
  }

  /**
   * @param {HTMLFormElement} form
   * @param {string} id
   * @param {string} label
   * @param {string[]} names
   * @param {(race: Race, value: string) => boolean} fits
   */
  choice(form, id, label, names, fits) {
    const values = [...new Set(names)];
    if (id !== "status") values.sort((a, b) => a.localeCompare(b, "en"));
    // The value is untrusted text: it is stored with the option, and compared unchanged.
    const select = element("select", { id }, element("option", { value: 0 }, "all"), ...values.map((value, i) => element("option", { value: i + 1 }, value === "" ? "nobody" : value)));
    form.append(element("label", {}, label, select));
    return { id, values, select, fits };
  }

  /**
   * Sets one filter, as if it had been chosen in the form.
   * @param {string} id
   * @param {string} value
   */
  choose(id, value) {
    for (const filter of this.filters) {
      if (filter.id === id) filter.select.selectedIndex = filter.values.indexOf(value) + 1;
    }
    this.filter();
    part("main", HTMLElement).focus();
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let shown = 0;
    for (const { race, row, text } of this.items) {
      const fits = words.every((word) => text.includes(word)) && this.filters.every(({ select, values, fits: one }) => select.selectedIndex === 0 || one(race, values[select.selectedIndex - 1]));
      row.hidden = !fits;
      if (fits) ++shown;
    }
    const all = counted(this.items.length, "race", "races");
    part("count", HTMLElement).textContent = shown === this.items.length ? all : `${shown} of ${all}`;
  }
}
