// The HTML report in a real Chromium: steps, filters, addresses, keyboard, accessibility, and texts that try to break out.
// Usage: OMEN_BIN=FOLDER OMEN_PAGE_MODULES=FOLDER [CHROMIUM=PATH] node --test test/page/page_test.mjs
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { BREAKOUTS } from "./hostile.mjs";
import { makeReports, RACES } from "./reports.mjs";

const modules = createRequire(join(process.env.OMEN_PAGE_MODULES, "package.json"));
const { chromium } = modules("playwright-core");
const axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "omen-page-"));
const OPENS_WITHIN = 2000; // milliseconds

let browser, pages;

before(async () => {
  pages = makeReports(process.env.OMEN_BIN, folder);
  // Chromium's own sandbox does not start for root.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page; what it says on the console, what it asks for, and its errors are collected and must be nothing at the end. */
async function withPage(file, hash, act, options = {}, expected = []) {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1000 }, ...options });
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error}`));
  page.on("dialog", (dialog) => said.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith("file://") || !request.url().includes(".html")) said.push(`request: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    const at = said.indexOf(`request: ${request.url()}`);
    if (at >= 0 && /csp/i.test(request.failure().errorText)) said.splice(at, 1); // the policy has stopped it
  });
  await page.goto(`file://${file}${hash}`);
  try {
    await act(page);
    assert.deepEqual(said.filter((text) => !expected.some((pattern) => pattern.test(text))), []);
    for (const pattern of expected) assert.ok(said.some((text) => pattern.test(text)), `nothing like ${pattern}`);
  } finally {
    await context.close();
  }
}

/** Waits until the finding that is shown has, or has no more, a title. */
const becomes = (page, text, same = true) => page.waitForFunction(([words, equal]) => (document.querySelector("main h2").textContent === words) === equal, [text, same]);
const title = (page) => page.locator("main h2").textContent();
const position = (page) => page.locator(".position").textContent();
const selected = (page, order) => page.locator(`[data-order=${order}] tr.selected`).innerText();
const step = (page) => Number(new URL(page.url()).hash.match(/step=(\d+)/)?.[1]);
const shown = (page) => page.locator("#findings li:visible").count();

test("the demo's page says what, where and how sure", () =>
  withPage(pages.demo, "", async (page) => {
    assert.match(await page.title(), /^omen: 'total' is read at bank\.cpp:48 and written at bank\.cpp:26$/);
    assert.match(await page.locator("h1").textContent(), /^omen: 1 finding in \.\/bank$/);
    assert.equal(await page.locator("main .badge").first().textContent(), "predicted, confirmed");
    assert.match(await page.locator("#why").textContent(), /T1 unlocks M\d+ 'log_lock' at bank\.cpp:30, then T2 locks M\d+ 'log_lock' at bank\.cpp:40/);
    assert.match(await page.locator("#fix").textContent(), /Hold one mutex at both accesses .*'total' atomic/);
  }));

test("both accesses are marked in the source", () =>
  withPage(pages.demo, "", async (page) => {
    for (const [name, line, text, mark] of [["side-0", 48, "if (sum != total)", "read by T2"], ["side-1", 26, "total += amount;", "write by T1"]]) {
      const marked = page.locator(`[data-part=${name}] li.access`);
      assert.equal(await marked.getAttribute("data-line"), String(line));
      assert.ok((await marked.textContent()).includes(text));
      assert.equal(await marked.locator(".mark").textContent(), mark);
    }
  }));

test("the steps are walked with the buttons", () =>
  withPage(pages.demo, "", async (page) => {
    const count = Number(/of (\d+)$/.exec(await position(page))[1]);
    assert.ok(count >= 5, `only ${count} steps`);
    assert.equal(await position(page), `Step ${count} of ${count}`);
    assert.match(await selected(page, "witness"), /T2 reads 'total' at bank\.cpp:48/);
    await page.click("[data-walk=previous]");
    assert.match(await selected(page, "witness"), /T1 writes 'total' at bank\.cpp:26/);
    assert.match(await page.locator(".current figcaption").textContent(), /bank\.cpp:26/);
    await page.click("[data-walk=first]");
    assert.equal(await position(page), `Step 1 of ${count}`);
    await page.click("[data-walk=previous]");
    assert.equal(await position(page), `Step 1 of ${count}`);
    await page.click("[data-walk=last]");
    assert.equal(await position(page), `Step ${count} of ${count}`);
  }));

test("the recorded order stands beside the witness, and shows what ordered the accesses", () =>
  withPage(pages.demo, "", async (page) => {
    const [left, right] = await Promise.all(["witness", "recorded"].map((name) => page.locator(`[data-order=${name}]`).boundingBox()));
    assert.ok(left.x + left.width <= right.x && Math.abs(left.y - right.y) < 2, "not side by side");
    const rows = (name) => page.locator(`[data-order=${name}] tbody tr`).allInnerTexts();
    const at = (texts, pattern) => texts.findIndex((text) => pattern.test(text));
    const [witness, recorded] = [await rows("witness"), await rows("recorded")];
    // The witness ends with both accesses; recorded, the other thread's section came between them.
    assert.equal(at(witness, /T1 writes 'total'/), witness.length - 2);
    assert.equal(at(witness, /T2 reads 'total'/), witness.length - 1);
    const between = at(recorded, /T2 locks M\d+ 'log_lock'/);
    assert.ok(at(recorded, /T1 writes 'total'/) < between && between < at(recorded, /T2 reads 'total'/));
    assert.equal(await page.locator("[data-order=recorded] tr.ordering").count(), 2);
  }));

test("locks held are bars in the lane of their thread", () =>
  withPage(pages.relay, "", async (page) => {
    const bars = (words) => page.locator("[data-order=witness] tbody tr").filter({ hasText: words }).last().locator(".bar").evaluateAll((all) => all.map((bar) => bar.title));
    const key = await page.locator("[data-order=witness] .key .chip").allTextContents();
    assert.equal(key.length, 2);
    const door = /(M\d+) 'door'/.exec(await page.locator("[data-order=witness]").textContent())[1];
    assert.deepEqual(await bars(/T1 locks M\d+ 'door'/), [`T1 holds ${door}`]);
    // T1 keeps it while T2 makes its access.
    assert.deepEqual(await bars("T2 writes 'progress'"), [`T1 holds ${door}`]);
    assert.deepEqual(await bars("creates T2"), []);
  }));

test("a witness of four threads has four lanes", () =>
  withPage(pages.relay, "", async (page) => {
    assert.deepEqual(await page.locator("[data-order=witness] th.lane").allTextContents(), ["main", "T1", "T2", "T3"]);
    assert.match(await title(page), /'progress' is read at relay\.cpp:42 and written at relay\.cpp:18/);
    const words = await page.locator("[data-order=witness] tbody").innerText();
    assert.match(words, /T1 wakes up with M\d+ 'door'/);
  }));

test("frames of the system are folded, and open", () =>
  withPage(pages.demo, "", async (page) => {
    const folded = page.locator(".side .folded").first();
    assert.match(await folded.locator("summary").textContent(), /^#1–#\d+ std::thread$/);
    assert.equal(await folded.locator("ul li").first().isVisible(), false);
    await folded.locator("summary").click();
    assert.ok(await folded.locator("ul li").first().isVisible());
  }));

test("200 races open in under two seconds", () =>
  withPage(pages.many, "", async (page) => {
    assert.equal(await page.locator("#findings li").count(), RACES);
    const took = await page.evaluate(() => {
      const [load] = performance.getEntriesByType("navigation");
      return load.loadEventEnd - load.startTime;
    });
    assert.ok(took > 0 && took < OPENS_WITHIN, `${took} ms`);
    const start = performance.now();
    await page.fill("#search", "v1");
    await page.waitForFunction(() => document.querySelector("#count").textContent.startsWith("100 of"));
    assert.ok(performance.now() - start < OPENS_WITHIN);
  }));

test("filters narrow the list, and say how far", () =>
  withPage(pages.many, "", async (page) => {
    const count = page.locator("#count");
    assert.equal(await count.textContent(), "200 findings");
    await page.selectOption("#certainty", { label: "predicted, confirmed" });
    assert.equal(await count.textContent(), "100 of 200 findings");
    assert.equal(await shown(page), 100);
    await page.fill("#search", "get_v007");
    assert.equal(await count.textContent(), "1 of 200 findings");
    assert.match(await page.locator("#findings li:visible").innerText(), /'v007'/);
    await page.fill("#search", "no such thing");
    assert.equal(await shown(page), 0);
    await page.fill("#search", "");
    await page.selectOption("#certainty", { label: "all" });
    await page.selectOption("#file", { label: "many.cpp" });
    assert.equal(await shown(page), 200);
    assert.equal(await page.locator("#kind option").count(), 2);
  }));

test("an address leads to a finding and a step, and follows both", async () => {
  let address = "";
  await withPage(pages.many, "", async (page) => {
    const before = await title(page);
    await page.locator("#findings a").nth(150).click();
    await becomes(page, before, false);
    await page.click("[data-walk=first]");
    await page.click("[data-walk=next]");
    address = new URL(page.url()).hash;
    assert.match(address, /^#finding=[0-9a-f]{32}&step=\d+$/);
    const name = await title(page);
    await page.locator("#findings a").nth(3).click();
    await becomes(page, name, false);
    await page.goBack();
    await becomes(page, name);
    assert.match(await position(page), /^Step 2 of/);
  });
  await withPage(pages.many, address, async (page) => {
    assert.match(await position(page), /^Step 2 of/);
    assert.equal(await page.locator("#findings a[aria-current]").count(), 1);
    assert.equal(await page.locator("#findings a").nth(150).getAttribute("aria-current"), "page");
    assert.ok(await page.locator("#findings a").nth(150).isVisible());
  });
  await withPage(pages.many, "#finding=unknown&step=99999", async (page) => {
    assert.ok((await title(page)).length > 0);
    assert.equal(await page.locator("#findings a").first().getAttribute("aria-current"), "page");
  });
});

test("the keyboard alone does everything", () =>
  withPage(pages.many, "", async (page) => {
    const press = (...keys) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
    const first = await title(page);
    await press("n");
    assert.notEqual(await title(page), first);
    await press("p");
    assert.equal(await title(page), first);
    const end = await position(page);
    await press("k");
    assert.notEqual(await position(page), end);
    await press("j");
    assert.equal(await position(page), end);
    // Search, then go on from what is left.
    await press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "search");
    await page.keyboard.type("v042");
    assert.equal(await shown(page), 1);
    await press("Escape", "n");
    assert.match(await title(page), /'v042'/);
    // To the steps by Tab alone; arrows walk, and the focus goes along.
    await page.evaluate(() => document.getElementById("main").focus());
    for (let i = 0; i < 20 && !(await page.evaluate(() => document.activeElement.closest(".orders") !== null)); ++i) await press("Tab");
    await press("Home");
    assert.match(await position(page), /^Step 1 of/);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-current")), "step");
    const at = step(page);
    await press("ArrowDown");
    assert.ok(step(page) > at);
    await press("ArrowUp", "End");
    assert.match(await position(page), /^Step (\d+) of \1$/);
    await press("?");
    assert.ok(await page.locator("dialog#help").isVisible());
    await press("Escape");
    assert.equal(await page.locator("dialog#help").isVisible(), false);
  }));

test("Tab reaches the list, the filters and the buttons in the order of the page", async () => {
  const buttons = ["skip", "theme", "help-button"];
  const filters = ["search", "kind", "certainty", "file", "a"];
  const walk = ["first", "previous", "next", "last"];
  for (const [file, begin, wanted] of [[pages.demo, "", [...buttons, ...walk]], [pages.many, "", [...buttons, ...filters]], [pages.many, "main", walk]]) {
    await withPage(file, "", async (page) => {
      if (begin !== "") await page.evaluate((id) => document.getElementById(id).focus(), begin);
      const reached = [];
      for (let i = 0; i < 16; ++i) {
        await page.keyboard.press("Tab");
        reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.walk || document.activeElement.tagName.toLowerCase()));
      }
      assert.deepEqual(reached.filter((name) => wanted.includes(name)).slice(0, wanted.length), wanted);
    });
  }
});

const box = (page, selector) => page.locator(selector).first().boundingBox();

test("on a narrow screen the parts stand below each other", async () => {
  for (const width of [320, 420, 800]) {
    await withPage(pages.many, "", async (page) => {
      const [header, list, main, steps, source] = await Promise.all(["header", "nav", "main", ".orders", ".current"].map((part) => box(page, part)));
      const order = [header, list, main];
      order.slice(1).forEach((one, i) => assert.ok(order[i].y + order[i].height <= one.y + 1, `${width}: part ${i + 1} begins above the end of the one before`));
      assert.ok(list.height > 200 && main.height > 1000, `${width}: ${list.height}, ${main.height}`);
      assert.ok(steps.y + steps.height <= source.y + 1, `${width}: the source stands beside the steps`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: wider than the screen`);
    }, { viewport: { width, height: 900 } });
  }
});

test("at 1280 by 800 the page shows the race without scrolling", async () => {
  for (const file of [pages.demo, pages.relay]) {
    await withPage(file, "", async (page) => {
      assert.equal(await page.locator("nav").isVisible(), false); // one finding: nothing to choose from
      for (const order of ["witness", "recorded"]) {
        const row = await box(page, `[data-order=${order}] tr.selected`);
        assert.ok(row.y + row.height <= 800, `${order}: ${row.y + row.height}`);
        assert.ok(row.height < 60, `${order}: a step of ${row.height} pixels`);
      }
      const source = await box(page, ".current");
      assert.ok(source.y + source.height <= 800);
      const cut = await page.locator("th.lane").evaluateAll((all) => all.filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent));
      assert.deepEqual(cut, []);
    }, { viewport: { width: 1280, height: 800 } });
  }
});

test("on paper everything is there, and nothing to press", () =>
  withPage(pages.relay, "", async (page) => {
    await page.emulateMedia({ media: "print" });
    for (const part of ["nav", ".walk", "#theme"]) assert.equal(await page.locator(part).isVisible(), false, part);
    const hidden = await page.locator(".scroll").evaluateAll((all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length);
    assert.equal(hidden, 0);
    assert.ok(await page.evaluate(() => document.body.scrollHeight > innerHeight));
  }));

test("dark and light", async () => {
  const back = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await withPage(pages.demo, "", async (page) => {
    const light = await back(page);
    await page.keyboard.press("t");
    assert.notEqual(await back(page), light);
    assert.equal(await page.locator("#theme").getAttribute("aria-pressed"), "true");
  });
  await withPage(pages.demo, "", async (page) => assert.equal(await page.locator("#theme").getAttribute("aria-pressed"), "true"), { colorScheme: "dark" });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing, ${colorScheme}`, async () => {
    for (const file of Object.values(pages)) {
      for (const viewport of [{ width: 1500, height: 1000 }, { width: 600, height: 900 }]) {
        await withPage(file, "", async (page) => {
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
  withPage(pages.demo, "", async (page) => {
    const html = readFileSync(pages.demo, "utf8");
    const policy = await page.locator("meta[http-equiv='Content-Security-Policy']").getAttribute("content");
    const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const script = html.match(/<script>([\s\S]*?)<\/script>/)[1];
    const style = html.match(/<style>([\s\S]*?)<\/style>/)[1];
    for (const rule of ["default-src 'none'", `script-src ${hash(script)};`, `style-src ${hash(style)};`, "base-uri 'none'", "form-action 'none'", "trusted-types 'none'"]) assert.ok(policy.includes(rule), rule);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.ok(html.indexOf("Content-Security-Policy") < html.indexOf("<style>"));
    assert.doesNotMatch(html.replace(/<script type="application\/json"[\s\S]*?<\/script>/, ""), /\bsrc=|\bhref="(?!#)|https?:\/\/|@import|innerHTML|\beval\b/);
  }));

test("texts of a program stay text", () =>
  withPage(pages.hostile, "", async (page) => {
    const html = readFileSync(pages.hostile, "utf8");
    assert.equal(html.match(/<script/g).length, 2);
    assert.doesNotMatch(html, /<!--|<img|<svg/);
    const count = await page.locator("#findings a").count();
    assert.equal(count, 2 * BREAKOUTS.length);
    for (let i = 0; i < count; ++i) {
      await page.keyboard.press(i === 0 ? "k" : "n");
      await page.keyboard.press("k");
      await page.hover("main h2");
    }
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.evaluate(() => document.scripts.length), 2);
    assert.equal(await page.locator("img, svg, iframe, [onmouseover], [onfocus], [onerror], [autofocus]").count(), 0);
    assert.deepEqual(await page.evaluate(() => [...document.links].map((link) => link.getAttribute("href")).filter((href) => !href.startsWith("#"))), []);
    const words = await page.evaluate(() => document.body.innerText + document.title);
    assert.doesNotMatch(words, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    for (const text of BREAKOUTS.slice(0, 9)) assert.ok(words.includes(text), text);
  }));

test("a script that found its way in would not run", () => {
  const html = readFileSync(pages.demo, "utf8");
  const broken = join(folder, "broken.html");
  writeFileSync(broken, html.replace("<header>", "<script>window.broken = 1</script><header onclick='window.broken = 2'><img src='x.png' onerror='window.broken = 3'>"));
  return withPage(
    broken,
    "",
    async (page) => {
      await page.click("h1");
      const refused = await page.evaluate(async () => {
        const names = [];
        document.addEventListener("securitypolicyviolation", (event) => names.push(event.effectiveDirective));
        try {
          document.body.innerHTML = "<b>x</b>";
        } catch (error) {
          names.push(error.name);
        }
        await new Promise((done) => setTimeout(done, 50));
        return names;
      });
      assert.equal(await page.evaluate(() => window.broken), undefined);
      assert.ok(refused.includes("TypeError"), `${refused}`);
      assert.ok((await page.locator("main h2").textContent()).length > 0, "the page's own script runs");
    },
    {},
    [/^error: .*(violates the following|requires 'Trusted)/],
  );
});
