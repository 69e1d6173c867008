"use strict";
// Source snippets: the lines around a place, with the lines of the accesses marked.

/** Lines before and after. */
const AROUND = 5;

/**
 * @param {Report} report
 * @param {string} file
 */
function shownFile(report, file) {
  return Object.hasOwn(report.files, file) ? report.files[file] : file;
}

/**
 * @param {Report} report
 * @param {string} file
 * @param {number} line
 * @returns {SourcePart | null} the run of lines that contains the line
 */
function sourcePart(report, file, line) {
  const parts = Object.hasOwn(report.sources, file) ? report.sources[file] : [];
  return parts.find((part) => part.first <= line && line < part.first + part.lines.length) ?? null;
}

/**
 * The line's text, with the word that begins at the column (a count of bytes, from 1) underlined.
 * @param {string} text
 * @param {number} column
 * @returns {Node[]}
 */
function markedLine(text, column) {
  const bytes = new TextEncoder().encode(text);
  if (column <= 0 || column > bytes.length) return [document.createTextNode(visible(text))];
  const before = new TextDecoder().decode(bytes.slice(0, column - 1));
  const rest = text.slice(before.length);
  const word = /^([\p{L}\p{N}_]+|.)/u.exec(rest)?.[0] ?? "";
  return [
    document.createTextNode(visible(before)),
    element("u", {}, word),
    document.createTextNode(visible(rest.slice(word.length))),
  ];
}

/**
 * @param {Report} report
 * @param {Finding} finding
 * @param {{title: string, file: string, line: number, column: number, name: string}} place
 */
function snippet(report, finding, place) {
  const where = place.file === "" ? "" : `${shownFile(report, place.file)}:${place.line}`;
  const figure = element("figure", { class: "snippet", "data-part": place.name }, element("figcaption", {}, element("b", {}, place.title), where === "" ? null : element("code", {}, where)));
  const stretch = sourcePart(report, place.file, place.line);
  if (stretch === null) {
    figure.append(element("p", { class: "quiet" }, where === "" ? "No source position is known." : "The source is not in this report."));
    return figure;
  }
  const first = Math.max(stretch.first, place.line - AROUND);
  const last = Math.min(stretch.first + stretch.lines.length - 1, place.line + AROUND);
  const lines = element("ol", { class: "source", tabindex: 0, role: "list", "aria-label": `${place.title}, ${where}` });
  for (let number = first; number <= last; ++number) {
    const sides = finding.sides.filter((side) => side.file === place.file && side.line === number);
    const here = number === place.line;
    const text = stretch.lines[number - stretch.first];
    const code = element("code", {}, ...(here ? markedLine(text, place.column) : [visible(text)]));
    const line = element("li", { class: [here ? "here" : "", sides.length > 0 ? "access" : ""].join(" ").trim(), "data-line": number }, element("span", { class: "number" }, String(number)), code);
    for (const side of sides) line.append(element("span", { class: "mark" }, side.short));
    lines.append(line);
  }
  figure.append(lines);
  return figure;
}
