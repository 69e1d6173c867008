// Texts that a program may name its functions, files, threads and variables with, to break out of the report.

export const BREAKOUTS = [
  "</script><script>window.broken = 1</script>",
  "<!-- <script>window.broken = 2</script> -->",
  "--><img src=x onerror=\"window.broken = 3\">",
  "\" onmouseover=\"window.broken = 4",
  "' onfocus='window.broken = 5' autofocus='",
  "<svg/onload=window.broken=6>",
  "]]><![CDATA[<script>window.broken = 7</script>",
  "{{data}} {{script}} ${window.broken = 8} `",
  "javascript:window.broken=9",
  "\u202egnp.evil\u2066 hidden \u2069\u200b",
  "\u001b]0;title\u0007\u001b[31mred\u009b32mgreen",
  "line\u2028separator\u2029and\nnewline\r\u0000end",
  "__proto__",
  "constructor",
];

export const hostileSource = BREAKOUTS.map((text) => `// ${text.replaceAll(/[\n\r\0]/g, " ")}`).join("\n") + "\n";

/** A report in which every text is one of those. @param {string} source a file that exists */
export function hostileReport(source) {
  let next = 0;
  const text = () => BREAKOUTS[next++ % BREAKOUTS.length];
  const frame = (file) => ({ function: text(), file, line: 1 + (next % BREAKOUTS.length), column: 4, module: text(), offset: "0x10", build_id: text(), inlined: false });
  const stack = () => [frame(source), frame(text()), frame("")];
  const access = (kind, thread) => ({ event: thread, access: kind, atomic: false, size: 4, address: "0x40", thread, stack: stack(), locks: [{ mutex: text(), name: text(), address: "0x50", mode: "write", stack: stack() }] });
  const step = (kind, thread, at) => ({ step: kind, thread, text: text(), file: at % 2 ? source : text(), line: 2, function: text(), first: at, last: at, recorded: [at, at], holds: [text()], keeps: [text()] });
  const race = (kind) => ({
    kind,
    found_by: text(),
    observed: false,
    verdict: "race",
    method: text(),
    model: text(),
    count: 2,
    fingerprint: text(),
    variable: { kind: "global", name: text(), address: "0x40", size: 4, module: text() },
    accesses: [access("write", 1), access("read", 0)],
    threads: [0, 1].map((id) => ({ id, label: text(), name: text(), creator: 0, stack: stack() })),
    schedule: [step("sync", 0, 0), step("run", 1, 1), step("access", 0, 2), step("access", 1, 3)],
    hidden_by: [step("sync", 0, 4), step("sync", 1, 5)],
  });
  return {
    omen: 1,
    command: [text(), text()],
    pid: 1,
    exit: { signal: text() },
    threads: 2,
    events: 9,
    synchronisations: 4,
    complete: false,
    notes: BREAKOUTS,
    races: [...BREAKOUTS, ...BREAKOUTS].map((_, i) => race(["data-race", "data-race-on-vptr", "heap-use-after-free"][i % 3])),
  };
}
