"use strict";
// Stacks: one line per frame; adjacent frames of the system are folded.

/**
 * @param {Report} report
 * @param {Frame} frame
 * @param {number} number
 */
function frameLine(report, frame, number) {
  const line = element("li", { class: frame.system ? "system" : "" }, element("span", { class: "number" }, `#${number}`));
  const name = element("code", {}, frame.function === "" ? "(no name)" : frame.function);
  if (frame.full !== undefined) name.title = visible(frame.full);
  line.append(name);
  if (frame.file !== "") line.append(element("span", { class: "where" }, `${shownFile(report, frame.file)}:${frame.line}`));
  else if (frame.module !== undefined) line.append(element("span", { class: "where" }, frame.module));
  return line;
}

/**
 * @param {Report} report
 * @param {FrameRun[]} runs
 */
function stackList(report, runs) {
  if (runs.length === 0) return element("p", { class: "quiet" }, "No stack is known.");
  const list = element("ul", { class: "stack" });
  for (const run of runs) {
    const frames = run.frames.map((frame, i) => frameLine(report, frame, run.first + i));
    if (frames.length === 1) {
      list.append(frames[0]);
      continue;
    }
    const last = run.first + run.frames.length - 1;
    list.append(element("li", { class: "folded" }, element("details", {}, element("summary", {}, `#${run.first}–#${last} ${run.label}`), element("ul", { class: "stack" }, ...frames))));
  }
  return list;
}

/**
 * @param {Report} report
 * @param {TitledStack} one
 * @param {boolean} open
 */
function stackDetails(report, one, open) {
  const details = element("details", { class: "titled" }, element("summary", {}, one.title), stackList(report, one.stack));
  details.open = open;
  return details;
}
