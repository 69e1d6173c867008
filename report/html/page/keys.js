"use strict";
// Keyboard shortcuts. Letters work except where text is entered; arrows, Home and End work in the tables of steps.

const KEYS = [
  ["j, k", "next, previous step"],
  ["↓ ↑ Home End", "the same, among the steps"],
  ["n, p", "next, previous finding"],
  ["/", "search"],
  ["t", "light or dark"],
  ["?", "this list"],
];

function fillHelp() {
  const help = part("help", HTMLDialogElement);
  const list = element("dl", { class: "keys" });
  for (const [key, text] of KEYS) list.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, text));
  const close = element("button", { type: "button" }, "Close");
  close.addEventListener("click", () => help.close());
  help.append(element("h2", { id: "help-title" }, "Keys"), list, close);
}

/**
 * @param {Record<string, () => void>} letters the action of each letter
 * @param {(key: string) => boolean} steps moves among the steps; returns whether the key did
 */
function listenToKeys(letters, steps) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || part("help", HTMLDialogElement).open) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("input, select, textarea") !== null) {
      if (event.key === "Escape" && target instanceof HTMLElement) target.blur();
      return;
    }
    const among = target.closest(".orders") !== null && steps(event.key);
    if (!among && !Object.hasOwn(letters, event.key)) return;
    event.preventDefault();
    if (!among) letters[event.key]();
  });
}
