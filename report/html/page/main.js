"use strict";
// Assembles the page. The address decides what is shown.

/**
 * @param {Report} report
 */
function showRun(report) {
  const program = report.command.length > 0 ? report.command.join(" ") : "a report";
  part("title", HTMLElement).textContent = visible(`omen: ${counted(report.findings.length, "finding", "findings")} in ${program}`);
  const run = part("run", HTMLElement);
  const counts = [counted(report.events, "event", "events"), counted(report.threads, "thread", "threads"), counted(report.synchronisations, "synchronisation", "synchronisations")];
  run.append(visible(`${counts.join(", ")}; ${report.end}${report.complete ? "" : "; not everything was recorded"}${report.version === "" ? "" : `; omen ${report.version}`}`));
  for (const note of report.notes) run.append(element("span", { class: "note" }, note));
}

/** Light or dark: the system's setting until the reader presses the button. */
function makeTheme() {
  const button = part("theme", HTMLButtonElement);
  const root = document.documentElement;
  const set = (/** @type {boolean} */ dark) => {
    root.dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark));
  };
  const toggle = () => set(root.dataset.theme !== "dark");
  set(matchMedia("(prefers-color-scheme: dark)").matches);
  button.addEventListener("click", toggle);
  return toggle;
}

function start() {
  /** @type {Report} */
  const report = JSON.parse(part("data", HTMLScriptElement).textContent ?? "");
  showRun(report);
  fillHelp();
  const toggleTheme = makeTheme();
  const list = new FindingList(report);
  const main = part("main", HTMLElement);
  /** @type {Walk | null} */
  let walk = null;

  const moved = (/** @type {number} */ step) => {
    if (walk !== null) history.replaceState(null, "", hashOf({ finding: walk.finding.id, step }));
  };
  const show = () => {
    const place = placeOf(location.hash);
    const finding = report.findings.find((each) => each.id === place.finding) ?? report.findings[0];
    if (finding === undefined) {
      main.replaceChildren(element("p", {}, "Nothing was found in this run."));
      return;
    }
    if (walk?.finding !== finding) {
      walk = new Walk(report, finding, moved);
      main.replaceChildren(findingPanel(report, finding, walk));
      main.scrollTop = 0;
      list.select(finding.id);
      document.title = visible(`omen: ${finding.title}`);
    }
    if (place.step !== walk.step || place.step < 0) walk.show(place.step);
  };
  const neighbour = (/** @type {number} */ by) => {
    const next = walk === null ? undefined : list.neighbour(walk.finding.id, by);
    if (next === undefined) return;
    location.hash = hashOf({ finding: next, step: -1 });
    show(); // at once; the browser's hashchange event comes later and changes nothing
  };
  const help = part("help", HTMLDialogElement);

  listenToKeys(
    {
      j: () => walk?.go(1),
      k: () => walk?.go(-1),
      n: () => neighbour(1),
      p: () => neighbour(-1),
      "/": () => list.search.focus(),
      t: toggleTheme,
      "?": () => help.showModal(),
    },
    (key) => {
      if (key === "ArrowDown") walk?.go(1, true);
      else if (key === "ArrowUp") walk?.go(-1, true);
      else if (key === "Home") walk?.end(-1, true);
      else if (key === "End") walk?.end(1, true);
      else return false;
      return true;
    },
  );
  part("help-button", HTMLElement).addEventListener("click", () => help.showModal());
  part("skip", HTMLElement).addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  addEventListener("hashchange", show);
  show();
}

start();
