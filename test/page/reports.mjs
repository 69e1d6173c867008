// The reports that the tests open, each made by the omen under test:
// - demo: what `omen demo` leaves;
// - relay: a witness of four threads (relay.cpp);
// - many: 200 races of a generated program, half of them predicted;
// - hostile: names and sources that try to leave their place (hostile.mjs).
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hostileReport, hostileSource } from "./hostile.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
export const RACES = 200;
const PREDICTED = RACES / 2;

/** A program with a race on each of its variables; on the second half only another schedule has it. */
function manySource() {
  const lines = ["#include <chrono>", "#include <mutex>", "#include <thread>", "int first_count, second_count, sum;"];
  const names = Array.from({ length: RACES }, (_, i) => `v${String(i).padStart(3, "0")}`);
  for (const name of names) lines.push(`int ${name};`, `void set_${name}() { ${name} = 1; }`, `void get_${name}() { sum += ${name}; }`);
  const calls = (what, from, to) => names.slice(from, to).map((name) => `  ${what}_${name}();`);
  lines.push("void hand_over(std::mutex& lock, int& count) { std::lock_guard<std::mutex> hold(lock); ++count; }");
  lines.push("std::mutex gate;");
  lines.push("void writer() {", ...calls("set", 0, PREDICTED), "  hand_over(gate, first_count);", ...calls("set", PREDICTED, RACES), "}");
  lines.push("void reader() {", "  std::this_thread::sleep_for(std::chrono::milliseconds(200));", "  hand_over(gate, second_count);", ...calls("get", 0, RACES), "}");
  lines.push("int main() {", "  std::thread a(writer);", "  std::thread b(reader);", "  a.join();", "  b.join();", "}");
  return lines.join("\n") + "\n";
}

/**
 * Makes the pages in a folder.
 * @param {string} bin where omen and omen-c++ are
 * @param {string} folder
 */
export function makeReports(bin, folder) {
  const omen = join(bin, "omen");
  mkdirSync(folder, { recursive: true });
  const build = (name, source) => {
    writeFileSync(join(folder, `${name}.cpp`), source);
    execFileSync(join(bin, "omen-c++"), ["-std=c++20", "-g", "-O1", "-pthread", `${name}.cpp`, "-o", name], { cwd: folder });
  };
  /** @param {string[]} words @param {number} code */
  const run = (words, code) => {
    const done = spawnSync(omen, words, { cwd: folder, env: { ...process.env, XDG_CACHE_HOME: folder }, encoding: "utf8" });
    if (done.status !== code) throw new Error(`omen ${words.join(" ")} ended with ${done.status}:\n${done.stdout}${done.stderr}`);
    return done.stdout;
  };
  const demo = /browser: (\S+)$/m.exec(run(["demo"], 0))?.[1];
  if (demo === undefined) throw new Error("omen demo names no page");
  build("relay", readFileSync(join(HERE, "relay.cpp"), "utf8"));
  run(["run", "--html", "relay.html", "--json", "relay.json", "--", "./relay"], 66);
  build("many", manySource());
  run(["run", "--json", "many.json", "--", "./many"], 66);
  run(["report", "many.json", "--html", "many.html"], 0);
  writeFileSync(join(folder, "hostile.cpp"), hostileSource);
  writeFileSync(join(folder, "hostile.json"), JSON.stringify(hostileReport(join(folder, "hostile.cpp"))));
  run(["report", "hostile.json", "--html", "hostile.html"], 0);
  const page = (name) => join(folder, `${name}.html`);
  return { demo, relay: page("relay"), many: page("many"), hostile: page("hostile") };
}
