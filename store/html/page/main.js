"use strict";
// Puts the page together.

{
  /** @type {Dashboard} */
  const data = JSON.parse(part("data", HTMLScriptElement).textContent ?? "");
  const open = data.races.filter((race) => race.open).length;
  const until = data.until === "" ? "" : `, the last on ${minuteOf(data.until)} UTC`;
  part("about", HTMLElement).textContent = visible(`${counted(data.races.length, "race", "races")}, ${open} open, in ${counted(data.runs, "run", "runs")}${until}; omen ${data.version}`);
  showTrend(data);
  const list = new RaceList(data);
  part("groups", HTMLElement).append(
    groupTable("By status", "Status", data.races, (race) => [race.status], (name) => list.choose("status", name)),
    groupTable("By owner", "Owner", data.races, ownersOf, (name) => list.choose("owner", name)),
    groupTable("By folder", "Folder", data.races, (race) => [race.folder], (name) => list.choose("folder", name)),
  );

  const theme = part("theme", HTMLButtonElement);
  const show = (/** @type {boolean} */ dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    theme.setAttribute("aria-pressed", String(dark));
  };
  show(matchMedia("(prefers-color-scheme: dark)").matches);
  theme.addEventListener("click", () => show(theme.getAttribute("aria-pressed") !== "true"));
}
