import assert from "node:assert/strict";
import { test } from "node:test";
import type { Holder } from "./authority-holders.ts";
import { decideAuthority, type AuthorityDecision, type AuthorityView } from "./authority-rotation.ts";

const NOW = new Date("2026-11-22T12:00:00.000Z");
const [HOUR, DAY] = [3_600_000, 86_400_000];
const at = (ms: number): Date => new Date(NOW.getTime() + ms);
const holder = (name: string, trusts: string, shows = ""): Holder => ({
  name,
  trusts: trusts.split(" "),
  shows: shows.split(" "),
});

const YOUNG = { id: "one", made: at(-100 * DAY), ends: at(3550 * DAY) };
const OLD = { id: "one", made: at(-3290 * DAY), ends: at(360 * DAY) };
const LAST_HOURS = { id: "one", made: at(-3649 * DAY), ends: at(DAY) };
const ENDED = { id: "one", made: at(-3650 * DAY), ends: at(0) };
const REST: AuthorityView = {
  cluster: "rec",
  current: YOUNG,
  next: undefined,
  former: undefined,
  asked: undefined,
  answered: undefined,
  holders: { kind: "able", holders: [] },
  sites: [],
  now: NOW,
  overlapMs: HOUR,
};
const held = (...holders: readonly Holder[]): Pick<AuthorityView, "holders"> => ({
  holders: { kind: "able", holders },
});
const UNABLE = { holders: { kind: "unable", why: "node 3 (8.2.0-25.12) knows of no second one" } } as const;
const SILENT = { holders: { kind: "silent", why: "no node answers" } } as const;
const OFFERED = { next: { id: "two", offered: at(-HOUR) } };
const JUST_OFFERED = { next: { id: "two", offered: at(1 - HOUR) } };
const USED = { current: { ...YOUNG, id: "two" }, former: { id: "one" } };
const BOTH = held(holder("rec-0", "one two", "one"), holder("rec-1", "one two", "one"));
const WEST = { sites: [holder("the remote cluster west", "one")] };
const AWAY: Holder = { name: "rec-2", why: "it has no address" };

/** What the step does, in short, and the findings. */
function inShort({ step, findings }: AuthorityDecision): string {
  return [actInShort(step), ...findings.map(({ id, evidence }) => `${id}: ${evidence}`)].join(" | ");
}

function actInShort(step: AuthorityDecision["step"]): string {
  if (step.kind !== "act") return "nothing";
  const { act } = step;
  return act.kind === "offer" && act.answered !== undefined ? `offer for ${act.answered}` : act.kind;
}

const cases: readonly (readonly [rule: string, view: Partial<AuthorityView>, step: string | RegExp])[] = [
  ["an authority of which nothing is asked rests", {}, "nothing"],
  ["another one is made on request", { asked: "a" }, "offer for a"],
  ["once for each value", { asked: "a", answered: "a" }, "nothing"],
  ["and again for another value", { asked: "b", answered: "a" }, "offer for b"],
  ["another one is made unasked when a tenth of its life is left", { current: OLD }, "offer"],
  ["which answers a request as well", { current: OLD, asked: "a" }, "offer for a"],
  ["with nodes of older releases none is made", { asked: "a", ...UNABLE }, /^nothing \| RotationWaits: .*node 3 \(8/],
  ["nor while no node answers", { asked: "a", ...SILENT }, /^nothing \| RotationWaits: .*no node answers$/],
  ["one that ends and cannot be replaced is a finding", { current: OLD, ...UNABLE }, /\| AuthorityEnds: .*2027-11-17/],
  [
    "while a node does not trust it, it does not sign",
    { ...OFFERED, ...held(holder("rec-1", "one")) },
    /rec-1 does not/,
  ],
  [
    "nor while it is not known of a node",
    { ...OFFERED, ...held(AWAY) },
    /^nothing \| RotationWaits: .*rec-2: it has no/,
  ],
  ["nor while no node answers after it was offered", { ...OFFERED, ...SILENT }, /^nothing \| RotationWaits/],
  [
    "clients have the overlap to take it",
    { ...JUST_OFFERED, ...BOTH },
    /^nothing \| NextAuthorityOffered: .*00:00.001Z/,
  ],
  ["once all trust it and the overlap is over it signs", { ...OFFERED, ...BOTH }, "use"],
  ["a lower overlap counts at once", { ...JUST_OFFERED, ...BOTH, overlapMs: 0 }, "use"],
  [
    "it signs before the present one ends, whatever the overlap",
    { ...JUST_OFFERED, ...BOTH, current: LAST_HOURS },
    "use",
  ],
  [
    "another site that does not trust it is named in the overlap",
    { ...JUST_OFFERED, ...BOTH, ...WEST },
    /^nothing \| NextAuthorityOffered: .*; the remote cluster west does not trust it yet$/,
  ],
  [
    "and waited for after it",
    { ...OFFERED, ...BOTH, ...WEST },
    /^nothing \| RotationWaits: .*the remote cluster west does not trust it yet$/,
  ],
  ["also one that does not answer", { ...OFFERED, ...BOTH, sites: [AWAY] }, /^nothing \| RotationWaits: /],
  ["until it does", { ...OFFERED, ...BOTH, sites: [holder("the remote cluster west", "one two")] }, "use"],
  ["but not by one who ends the overlap", { ...OFFERED, ...BOTH, ...WEST, overlapMs: 0 }, "use"],
  ["nor when the present one ends", { ...OFFERED, ...BOTH, ...WEST, current: LAST_HOURS }, "use"],
  [
    "but where a node does not trust it",
    { ...JUST_OFFERED, ...held(AWAY), current: LAST_HOURS },
    /RotationWaits.*\| AuthorityEnds/,
  ],
  ["after its end nothing is waited for: it is replaced", { ...SILENT, current: ENDED }, "offer"],
  ["and the next one signs at once", { ...JUST_OFFERED, ...SILENT, current: ENDED }, "use"],
  [
    "the former one is trusted while a node shows what it signed",
    { ...USED, ...held(holder("rec-1", "one two", "one two")) },
    /rec-1 shows what it has signed/,
  ],
  ["or while a node is away", { ...USED, ...held(AWAY) }, /^nothing \| RotationWaits: the former authority.*rec-2/],
  ["or lacks the new one", { ...USED, ...held(holder("rec-1", "one", "")) }, /rec-1 does not trust the new one/],
  [
    "then it is trusted no more",
    { ...USED, ...held(holder("rec-0", "one two", "two"), holder("rec-1", "two")) },
    "end",
  ],
  ["a second request waits for the end of the first", { ...USED, ...BOTH, asked: "b", answered: "a" }, /^nothing \|/],
  [
    "of many that wait some are named",
    { ...OFFERED, ...held(...Array.from({ length: 9 }, () => AWAY)) },
    /; and 4 more$/,
  ],
];

for (const [rule, view, step] of cases)
  test(rule, () => {
    const decided = decideAuthority({ ...REST, ...view });
    const short = inShort(decided);
    if (typeof step === "string") assert.equal(short, step);
    else assert.match(short, step);
    // what is waited for is the first finding
    assert.equal(decided.step.kind === "wait" ? decided.step.wait : undefined, decided.findings[0]);
  });
