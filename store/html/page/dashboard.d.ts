// The page's data, as store/html/dashboard.cpp writes it. For tsc; not part of the page.

interface Change {
  time: string;
  author: string;
  what: "status" | "owner" | "note";
  value: string;
}

interface Race {
  fingerprint: string;
  aliases: string[];
  kind: string;
  status: string;
  owner: string;
  title: string;
  certainty: string;
  file: string;
  line: number;
  function: string;
  first_seen: string;
  last_seen: string;
  runs: number;
  commits: string[];
  changes: Change[];
  folder: string;
  place: string;
  open: boolean;
}

interface TrendRow {
  from: string;
  runs: number;
  seen: number;
  new: number;
  closed: number;
  reopened: number;
  open: number;
}

interface Dashboard {
  version: string;
  runs: number;
  until: string;
  period: string;
  trend: TrendRow[];
  statuses: string[];
  races: Race[];
}
