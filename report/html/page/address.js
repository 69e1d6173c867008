"use strict";
// The page's address after `#` names a finding and a step, so that a view can be shared and the browser's history
// works.

/**
 * @param {string} hash
 * @returns {Place}
 */
function placeOf(hash) {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const step = Number(values.get("step") ?? -1);
  return { finding: values.get("finding") ?? "", step: Number.isInteger(step) ? step : -1 };
}

/**
 * Without a step (-1) the finding is shown from its end, where the accesses are.
 * @param {Place} place
 */
function hashOf(place) {
  const finding = "#finding=" + encodeURIComponent(place.finding);
  return place.step < 0 ? finding : `${finding}&step=${place.step}`;
}
