"use strict";
// Builds elements from text. No part of the page parses HTML: text from a program stays text.

/** Characters that are invisible, or change how others are displayed. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * The text with these characters escaped as \uXXXX.
 * @param {string} text
 */
function visible(text) {
  return text.replace(HIDDEN, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/**
 * An element with attributes and children; strings become text nodes.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, visible(String(value)));
  for (const child of children) {
    if (child !== null) made.append(typeof child === "string" ? visible(child) : child);
  }
  return made;
}

/**
 * An element of the page's fixed frame.
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function part(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

/**
 * "1 race", "3 races".
 * @param {number} n
 * @param {string} one
 * @param {string} many
 */
function counted(n, one, many) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
