// The page's data, as report/html/page_data.cpp writes it. For tsc; not part of the page.

interface Frame {
  function: string;
  full?: string; // if `function` is a short form
  file: string;
  line: number;
  column: number;
  system: boolean;
  module?: string;
}

/** Frames that share one line, if there are several. */
interface FrameRun {
  first: number;
  label: string;
  frames: Frame[];
}

interface TitledStack {
  title: string;
  stack: FrameRun[];
}

/** A stack that takes part in the finding: an access. */
interface Side extends TitledStack {
  short: string;
  thread: number;
  file: string;
  line: number;
  column: number;
  locks: string[];
}

interface Step {
  kind: "run" | "sync" | "access" | "left-out";
  thread: number | null;
  text: string;
  file: string;
  line: number;
  function: string;
  first: number;
  last: number;
  recorded: [number, number] | null;
  holds: string[]; // locks that the thread holds in it
  keeps: string[]; // and after it
}

interface Thread {
  id: number;
  label: string;
  name: string;
}

interface Finding {
  id: string;
  kind: string;
  headline: string;
  certainty: string;
  certaintyWords: string;
  title: string;
  why: string;
  fix: string;
  more: string[];
  facts: { name: string; text: string }[];
  fingerprint: string;
  sides: Side[];
  related: TitledStack[];
  threads: Thread[];
  isWitness: boolean;
  mark: string; // of the last steps: "race"
  steps: Step[];
  hidden: Step[];
}

interface SourcePart {
  first: number;
  lines: string[];
}

interface Report {
  version: string;
  command: string[];
  process: number;
  end: string;
  threads: number;
  events: number;
  synchronisations: number;
  complete: boolean;
  notes: string[];
  certainties: Record<string, string>;
  files: Record<string, string>;
  sources: Record<string, SourcePart[]>;
  findings: Finding[];
}

/** The finding and step that are shown; the page's address has them after `#`. */
interface Place {
  finding: string;
  step: number;
}

/** A row of a table of steps. `ordering`: the step ordered the accesses in the recorded run. */
interface Row {
  step: Step;
  index: number; // in the finding's steps; -1: none of them
  ordering: boolean;
}
