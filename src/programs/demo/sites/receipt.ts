import { SITES, type DemoSite } from "./objects.ts";
import type { SitesOutcome } from "./scenario.ts";

/** The proof that two sites have converged: the content of `receipt.json`. */
export interface SitesReceipt extends Pick<SitesOutcome, "writes" | "duringCut" | "healedMs" | "versions"> {
  readonly acknowledged: number;
  readonly failed: number;
  /** What each site holds: the sum of the counters, and the members of the set. Both are as many as were acknowledged. */
  readonly held: Readonly<Record<DemoSite, { readonly counted: number; readonly members: number }>>;
  /** Each key, with what it holds and when it expires. */
  readonly isSame: boolean;
  /** Fields of sessions, each of which has to be the last one that was written, at both sites. */
  readonly sessions: number;
  /** Rate limiters that live on after their time. */
  readonly limitersLeft: number;
  readonly totalSeconds: number;
  readonly verdict: "passed" | "failed";
}

/** Passed means: no request failed, both sites hold the same, and it is all that was acknowledged, and nothing twice; sessions are whole, and no limiter is left. */
export function sitesReceipt(outcome: SitesOutcome, totalSeconds: number): SitesReceipt {
  const { writes, contents, duringCut, healedMs, versions } = outcome;
  const acknowledged = SITES.reduce((sum, site) => sum + writes[site].acknowledged, 0);
  const failed = SITES.reduce((sum, site) => sum + writes[site].failed, 0);
  const isSame = contents.east.text === contents.west.text;
  const isExact = SITES.every(
    (site) => contents[site].counted === acknowledged && contents[site].members === acknowledged,
  );
  const sessions = SITES.flatMap((site) => Object.entries(writes[site].sessions));
  const areWhole = SITES.every((site) => sessions.every(([name, number]) => contents[site].sessions[name] === number));
  const limitersLeft = Math.max(...SITES.map((site) => contents[site].limiters));
  const held = { east: heldBy(outcome, "east"), west: heldBy(outcome, "west") };
  const isPassed = isSame && isExact && areWhole && limitersLeft === 0 && failed === 0 && duringCut > 0;
  return {
    acknowledged,
    failed,
    held,
    isSame,
    sessions: sessions.length,
    limitersLeft,
    writes,
    duringCut,
    healedMs,
    versions,
    totalSeconds,
    verdict: isPassed ? "passed" : "failed",
  };
}

function heldBy({ contents }: SitesOutcome, site: DemoSite): { readonly counted: number; readonly members: number } {
  const { counted, members } = contents[site];
  return { counted, members };
}

/** The receipt as lines for a terminal. */
export function sitesReceiptLines(receipt: SitesReceipt): readonly string[] {
  const count = (n: number): string => n.toLocaleString("en-US");
  const row = (name: string, text: string): string => `  ${name.padEnd(22)}${text}`;
  return [
    `Receipt: ${receipt.verdict}`,
    "",
    row(
      "acknowledged",
      `${count(receipt.acknowledged)} increments and as many members of a set, failed ${count(receipt.failed)}`,
    ),
    row("while the net was cut", `${count(receipt.duringCut)} of them`),
    row("healed", `after ${count(receipt.healedMs)} ms`),
    ...SITES.map((site) => {
      const { counted, members } = receipt.held[site];
      const { acknowledged, longestMs } = receipt.writes[site];
      const wrote = `${count(acknowledged)} written here, longest request ${count(longestMs)} ms`;
      return row(
        site,
        `counters ${count(counted)}, members ${count(members)}; ${wrote}; version ${receipt.versions[site]}`,
      );
    }),
    row("sessions", `${count(receipt.sessions)} fields, each to be the last one written, with its time`),
    row("rate limiters left", count(receipt.limitersLeft)),
    row("both hold", receipt.isSame ? "the same, key by key, with times of expiry" : "different data"),
    row("total", `${receipt.totalSeconds.toFixed(1)} s`),
  ];
}
