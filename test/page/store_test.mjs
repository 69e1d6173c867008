// The store's dashboard in a real Chromium: trend, groups, filters, keyboard, accessibility, and texts that try to break out.
// Usage: OMEN_BIN=FOLDER OMEN_PAGE_MODULES=FOLDER [CHROMIUM=PATH] node --test test/page/store_test.mjs
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { BREAKOUTS, hostileReport } from "./hostile.mjs";

const modules = createRequire(join(process.env.OMEN_PAGE_MODULES, "package.json"));
const { chromium } = modules("playwright-core");
const axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "omen-store-page-"));
const DAYS = 30;

let browser, pages;

function store(db, ...words) {
  const done = spawnSync(join(process.env.OMEN_BIN, "omen"), ["store", words[0], "--db", join(folder, db), ...words.slice(1)], { cwd: folder, encoding: "utf8" });
  assert.equal(done.status, 0, `omen store ${words.join(" ")}:\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

function report(races) {
  const file = join(folder, "report.json");
  writeFileSync(file, JSON.stringify({ ...hostileReport("x.cpp"), command: ["./server"], notes: [], races }));
  return file;
}

/** A race on `name` in a file; its fingerprint is made of the name. */
function race(name, file) {
  const access = (kind, thread, line) => ({ event: thread, access: kind, size: 4, address: "0x40", thread, stack: [{ function: `${kind}_${name}()`, file, line, column: 3, module: "/p/server", offset: "0x10", build_id: "", inlined: false }], locks: [] });
  const fingerprint = Buffer.from(name).toString("hex").padEnd(32, "0").slice(0, 32);
  return { kind: "data-race", found_by: "hb", observed: true, verdict: "unknown", count: 1, fingerprint, variable: { kind: "global", name, address: "0x40", size: 4 }, accesses: [access("write", 1, 10), access("read", 0, 20)], threads: [{ id: 0, label: "main", main: true }, { id: 1, label: "T1", creator: 0 }] };
}

/** A month: every day a new race, every third one is fixed a day later; owners by folder. */
function makeMonth() {
  writeFileSync(join(folder, "CODEOWNERS"), "/src/ @base\n/src/net/ @net @base\n");
  const file = (i) => ["/p/src/net/pool.cpp", "/p/src/main.cpp", "/p/tests/load.cpp"][i % 3];
  for (let day = 1; day <= DAYS; ++day) {
    const time = `2020-03-${String(day).padStart(2, "0")}`;
    store("month.db", "add", "--time", time, "--commit", `c${day}`, "--codeowners", "CODEOWNERS", "--source-root", "/p", report([race(`v${day}`, file(day))]));
  }
  store("month.db", "set", Buffer.from("v3").toString("hex").padEnd(32, "0"), "--status", "fixed", "--note", "a lock for the table", "--author", "ann");
  store("month.db", "set", Buffer.from("v4").toString("hex").padEnd(32, "0"), "--status", "wontfix", "--author", "ann");
  store("month.db", "set", Buffer.from("v5").toString("hex").padEnd(32, "0"), "--status", "confirmed", "--author", "ann");
}

function makeHostile() {
  const file = join(folder, "hostile.json");
  writeFileSync(file, JSON.stringify(hostileReport("x.cpp")));
  store("hostile.db", "add", "--commit", BREAKOUTS[0], "--branch", BREAKOUTS[2], "--label", BREAKOUTS[1], file);
  const [first] = JSON.parse(store("hostile.db", "list", "--json", "-"));
  for (const text of BREAKOUTS) {
    const plain = text.replaceAll("\0", "");
    store("hostile.db", "set", first.fingerprint, "--owner", plain, "--note", plain, "--author", plain);
  }
}

before(async () => {
  makeMonth();
  makeHostile();
  store("empty.db", "add", report([]));
  pages = Object.fromEntries(["month", "hostile", "empty"].map((name) => [name, join(folder, `${name}.html`)]));
  for (const [name, file] of Object.entries(pages)) store(`${name}.db`, "export", "--html", file);
  // Chromium's own sandbox does not start for root.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page; what it says on the console, what it asks for, and its errors must be nothing at the end, but for `expected`. */
async function withPage(file, act, options = {}, expected = []) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 1000 }, ...options });
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error}`));
  page.on("dialog", (dialog) => said.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    if (request.url() !== `file://${file}`) said.push(`request: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    const at = said.indexOf(`request: ${request.url()}`);
    if (at >= 0 && /csp/i.test(request.failure().errorText)) said.splice(at, 1); // the policy has stopped it
  });
  await page.goto(`file://${file}`);
  try {
    await act(page);
    assert.deepEqual(said.filter((text) => !expected.some((pattern) => pattern.test(text))), []);
    for (const pattern of expected) assert.ok(said.some((text) => pattern.test(text)), `nothing like ${pattern}`);
  } finally {
    await context.close();
  }
}

const shown = (page) => page.locator("#races > li:visible").count();
const count = (page) => page.locator("#count").textContent();
const table = (page, name) => page.locator(`[data-group=${name}] tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

test("the head says how much there is", () =>
  withPage(pages.month, async (page) => {
    assert.match(await page.locator("#about").textContent(), /^30 races, 28 open, in 30 runs, the last on 2020-03-30 00:00 UTC; omen /);
  }));

test("the trend is drawn, and stands beside as a table", () =>
  withPage(pages.month, async (page) => {
    const points = (await page.locator("#trend .open-line").getAttribute("points")).split(" ").map((point) => point.split(",").map(Number));
    assert.ok(points.length > DAYS, `${points.length} points`); // the day on which statuses were set, too
    for (let i = 1; i < DAYS; ++i) assert.ok(points[i][0] > points[i - 1][0] && points[i][1] < points[i - 1][1], `point ${i}`);
    assert.ok(points[DAYS][1] > points[DAYS - 1][1], "two were closed");
    assert.equal(await page.locator("#trend .new-bar").count(), DAYS);
    assert.match(await page.locator("#trend svg").getAttribute("aria-label"), /^Open races from 2020-03-01 to \S+: 28 at the end$/);
    await page.click("#trend summary");
    const rows = await page.locator("#trend tbody tr").allInnerTexts();
    assert.equal(rows[2].replaceAll(/\s+/g, " "), "2020-03-03 1 1 1 0 0 3");
  }));

test("races by status, owner and folder", () =>
  withPage(pages.month, async (page) => {
    assert.deepEqual(await table(page, "status"), [["new", "27", "27"], ["confirmed", "1", "1"], ["fixed", "0", "1"], ["wontfix", "0", "1"]]);
    assert.deepEqual(await table(page, "owner"), [["@base", "18", "20"], ["nobody", "10", "10"], ["@net", "9", "10"]]);
    assert.deepEqual(await table(page, "folder"), [["tests", "10", "10"], ["src", "9", "10"], ["src/net", "9", "10"]]);
  }));

test("filters narrow the list, and say how far", () =>
  withPage(pages.month, async (page) => {
    assert.equal(await count(page), "30 races");
    await page.selectOption("#status", { label: "open" });
    assert.equal(await count(page), "28 of 30 races");
    await page.selectOption("#owner", { label: "@net" });
    assert.equal(await count(page), "9 of 30 races");
    assert.equal(await shown(page), 9);
    await page.fill("#search", "V12 pool");
    assert.equal(await shown(page), 1);
    await page.fill("#search", "a lock for the table");
    assert.equal(await shown(page), 0);
    await page.selectOption("#status", { label: "fixed" });
    assert.equal(await shown(page), 1);
  }));

test("a name in a table filters, by mouse and by keyboard", () =>
  withPage(pages.month, async (page) => {
    await page.click("[data-group=owner] button:text-is('nobody')");
    assert.equal(await count(page), "10 of 30 races");
    assert.equal(await page.locator("#owner option:checked").textContent(), "nobody");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.focus("[data-group=folder] button:text-is('src')");
    await page.keyboard.press("Enter");
    assert.equal(await count(page), "0 of 30 races");
  }));

test("a race opens, and shows its history", () =>
  withPage(pages.month, async (page) => {
    await page.fill("#search", "table");
    const item = page.locator("#races > li:visible");
    assert.match(await item.locator("summary").innerText(), /^fixed\s*'v3' is written at pool\.cpp:10 and read at pool\.cpp:20 src\/net\/pool\.cpp:10$/);
    assert.equal(await item.locator("dl").isVisible(), false);
    await item.locator("summary").focus();
    await page.keyboard.press("Enter");
    const words = await item.locator("dl").innerText();
    for (const pattern of [/^763300+$/m, /status fixed \(ann\)/, /note a lock for the table \(ann\)/, /@net @base/, /^c3$/m, /in 1 run$/m]) assert.match(words, pattern);
  }));

test("Tab reaches everything in the order of the page", () =>
  withPage(pages.month, async (page) => {
    const reached = [];
    for (let i = 0; i < 24; ++i) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
    }
    const wanted = ["skip", "theme", "As a table", "new", "confirmed", "fixed", "wontfix", "@base", "nobody", "@net", "tests", "src", "src/net", "search", "status", "owner", "folder", "kind"];
    assert.deepEqual(reached.slice(0, wanted.length), wanted);
  }));

test("dark and light", async () => {
  const back = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await withPage(pages.month, async (page) => {
    const light = await back(page);
    await page.click("#theme");
    assert.notEqual(await back(page), light);
    assert.equal(await page.locator("#theme").getAttribute("aria-pressed"), "true");
  });
  await withPage(pages.month, async (page) => assert.equal(await page.locator("#theme").getAttribute("aria-pressed"), "true"), { colorScheme: "dark" });
});

test("a store without races has a page", () =>
  withPage(pages.empty, async (page) => {
    assert.match(await page.locator("#about").textContent(), /^0 races, 0 open, in 1 run,/);
    assert.equal(await count(page), "0 races");
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing, ${colorScheme}`, async () => {
    for (const file of Object.values(pages)) {
      for (const viewport of [{ width: 1300, height: 1000 }, { width: 500, height: 900 }]) {
        await withPage(file, async (page) => {
          for (const summary of (await page.locator("summary").all()).slice(0, 6)) await summary.click();
          const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
          assert.ok(found.passes.length > 10, "nothing was looked at");
          const wrong = found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 2).map((node) => node.html).join(" ")}`);
          assert.deepEqual(wrong, [], file);
        }, { colorScheme, viewport });
      }
    }
  });
}

test("the policy allows this script and this style, and nothing else", () =>
  withPage(pages.month, async (page) => {
    const html = readFileSync(pages.month, "utf8");
    const policy = await page.locator("meta[http-equiv='Content-Security-Policy']").getAttribute("content");
    const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const script = html.match(/<script>([\s\S]*?)<\/script>/)[1];
    const style = html.match(/<style>([\s\S]*?)<\/style>/)[1];
    for (const rule of ["default-src 'none'", `script-src ${hash(script)};`, `style-src ${hash(style)};`, "base-uri 'none'", "form-action 'none'", "trusted-types 'none'"]) assert.ok(policy.includes(rule), rule);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.ok(html.indexOf("Content-Security-Policy") < html.indexOf("<style>"));
    const frame = html.replace(/<script type="application\/json"[\s\S]*?<\/script>/, "").replace('"http://www.w3.org/2000/svg"', "");
    assert.doesNotMatch(frame, /\bsrc=|\bhref="(?!#)|https?:\/\/|@import|innerHTML|\beval\b/);
  }));

test("texts of programs and people stay text", () =>
  withPage(pages.hostile, async (page) => {
    const html = readFileSync(pages.hostile, "utf8");
    assert.equal(html.match(/<script/g).length, 2);
    assert.doesNotMatch(html, /<!--|<img|<svg/);
    assert.ok((await shown(page)) >= BREAKOUTS.length);
    for (const summary of await page.locator("#races summary").all()) await summary.click();
    for (const button of await page.locator(".groups button").all()) await button.click();
    await page.selectOption("#status", { label: "all" });
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.evaluate(() => document.scripts.length), 2);
    assert.equal(await page.locator("img, iframe, svg svg, main svg, [onmouseover], [onfocus], [onerror], [onload], [autofocus]").count(), 0);
    assert.deepEqual(await page.evaluate(() => [...document.links].map((link) => link.getAttribute("href")).filter((href) => !href.startsWith("#"))), []);
    const words = await page.evaluate(() => document.body.textContent);
    const readable = words.replace(await page.locator("#data").textContent(), "");
    assert.doesNotMatch(readable, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    for (const text of BREAKOUTS.slice(0, 9)) assert.ok(readable.includes(text), text);
  }));

test("a script that found its way in would not run", () => {
  const html = readFileSync(pages.month, "utf8");
  const broken = join(folder, "broken.html");
  writeFileSync(broken, html.replace("<header>", "<script>window.broken = 1</script><header onclick='window.broken = 2'><img src='x.png' onerror='window.broken = 3'>"));
  return withPage(
    broken,
    async (page) => {
      await page.click("h1");
      const refused = await page.evaluate(() => {
        try {
          document.body.innerHTML = "<b>x</b>";
          return "nothing";
        } catch (error) {
          return error.name;
        }
      });
      assert.equal(refused, "TypeError");
      assert.equal(await page.evaluate(() => window.broken), undefined);
      assert.equal(await count(page), "30 races", "the page's own script runs");
    },
    {},
    [/^error: .*(violates the following|requires 'Trusted)/],
  );
});
