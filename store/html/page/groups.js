"use strict";
// The number of races by status, by owner and by folder. A name in a table filters the list.

/**
 * @param {string} title
 * @param {string} column
 * @param {Race[]} races
 * @param {(race: Race) => string[]} names of a race
 * @param {(name: string) => void} choose
 */
function groupTable(title, column, races, names, choose) {
  /** @type {Map<string, {open: number, all: number}>} */
  const counts = new Map();
  for (const race of races) {
    for (const name of names(race)) {
      const count = counts.get(name) ?? { open: 0, all: 0 };
      count.open += race.open ? 1 : 0;
      count.all += 1;
      counts.set(name, count);
    }
  }
  const sorted = [...counts].sort((a, b) => b[1].open - a[1].open || b[1].all - a[1].all || a[0].localeCompare(b[0], "en"));
  const rows = sorted.map(([name, count]) => {
    const button = element("button", { type: "button" }, name === "" ? "nobody" : name);
    button.addEventListener("click", () => choose(name));
    return element("tr", {}, element("td", {}, button), element("td", { class: "number" }, String(count.open)), element("td", { class: "number" }, String(count.all)));
  });
  const head = element("tr", {}, element("th", { scope: "col" }, column), element("th", { scope: "col", class: "number" }, "Open"), element("th", { scope: "col", class: "number" }, "All"));
  const id = `by-${column.toLowerCase()}`;
  return element("section", { "aria-labelledby": id }, element("h2", { id }, title), element("table", { "data-group": column.toLowerCase() }, element("thead", {}, head), element("tbody", {}, ...rows)));
}

/** The owners of a race, as a list; a race may have several. @param {Race} race */
function ownersOf(race) {
  const owners = race.owner.split(" ").filter((owner) => owner !== "");
  return owners.length === 0 ? [""] : owners;
}
