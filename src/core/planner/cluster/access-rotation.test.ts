import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedLogins, parseClusterAccess, type ClusterAccess, type Login } from "../../api/cluster-access.ts";
import type { Step } from "../findings/step.ts";
import { nextAccessStep, type AccessAct, type AccessView } from "./access-rotation.ts";

const login = (password: string): Login => ({ username: "admin@rec", password });
const [ONE, TWO, THREE, FRESH] = ["one", "two", "three", "fresh"].map(login) as [Login, Login, Login, Login];
const NOW = new Date("2026-11-22T12:00:00.000Z");
const HOUR = 3_600_000;
const since = (ms: number): string => new Date(NOW.getTime() - ms).toISOString();

const AT_REST: ClusterAccess = { revision: 7, current: ONE, former: [] };
const REST: AccessView = {
  cluster: "rec",
  access: AT_REST,
  secret: { name: "rec", login: ONE, isUsers: false },
  asked: undefined,
  nodes: { kind: "able", behind: [] },
  fresh: "fresh",
  now: NOW,
  overlapMs: HOUR,
};
const says = (said: Login | undefined, isUsers = false) => ({ secret: { name: "rec", login: said, isUsers } });
const OFFERED: ClusterAccess = { ...AT_REST, next: { ...TWO, by: "operator" } };
const WRITTEN: ClusterAccess = { ...AT_REST, next: { ...TWO, by: "secret" } };
const ENDING: ClusterAccess = { ...AT_REST, current: TWO, former: [{ ...ONE, since: since(HOUR - 1) }] };
const ENDED: ClusterAccess = { ...AT_REST, current: TWO, former: [{ ...ONE, since: since(HOUR) }] };
const BEHIND = { nodes: { kind: "able", behind: ["rec-2 has not read it yet"] } } as const;
const UNABLE = { nodes: { kind: "unable", why: "node 3 (8.2.0-25.12) knows of no second password" } } as const;
const SILENT = { nodes: { kind: "silent", why: "no node answers" } } as const;

/** What the step does, in short: the accepted logins in their order, what the Secret shall say, or the finding. */
function inShort(step: Step<AccessAct>): string {
  if (step.kind === "rest") return "nothing";
  if (step.kind === "wait") return `${step.wait.id}: ${step.wait.evidence}`;
  if (step.act.kind === "write-secret") return `Secret: ${step.act.login.password}`;
  const { access } = step.act;
  const [first, ...others] = acceptedLogins(access).map(({ password }) => password);
  return `${access.revision}: says ${first}, accepts ${others.join(" ") || "nothing else"}`;
}

const cases: readonly (readonly [rule: string, view: Partial<AccessView>, step: string | RegExp])[] = [
  ["what the Secret says first is the password", { access: undefined }, "1: says one, accepts nothing else"],
  ["before there is a Secret nothing is done", { access: undefined, ...says(undefined) }, "nothing"],
  ["a cluster that is asked for nothing rests", {}, "nothing"],
  ["a Secret that is gone changes nothing", says(undefined), "nothing"],
  ["another password is asked for once", { asked: "a", access: { ...AT_REST, answered: "a" } }, "nothing"],
  ["each new value asks again", { asked: "b", access: { ...AT_REST, answered: "a" } }, "8: says one, accepts fresh"],
  ["what a user writes into the Secret is offered", says(TWO), "8: says one, accepts two"],
  ["also while no node answers", { ...says(TWO), ...SILENT }, "8: says one, accepts two"],
  [
    "what is offered is not said before each node accepts it",
    { access: OFFERED, ...BEHIND },
    /^RotationWaits: .*rec-2/,
  ],
  ["nor while no node answers", { access: OFFERED, ...SILENT }, /^RotationWaits: .*no node answers/],
  ["then the Secret says it", { access: OFFERED }, "Secret: two"],
  ["then all say it, and the former one is accepted", { access: OFFERED, ...says(TWO) }, "8: says two, accepts one"],
  ["what a user wrote is not written again", { access: WRITTEN, ...says(TWO) }, "8: says two, accepts one"],
  ["a user's Secret that vanished meanwhile keeps nothing up", { access: WRITTEN, ...says(undefined) }, /says two/],
  ["a user who takes it back gets the former one", { access: WRITTEN }, "8: says one, accepts nothing else"],
  ["another one of a user replaces what is offered", { access: OFFERED, ...says(THREE) }, "8: says one, accepts three"],
  [
    "the former one is accepted for the overlap",
    { access: ENDING, ...says(TWO) },
    /^FormerPasswordAccepted: .*T12:00:00.001Z/,
  ],
  ["and not longer", { access: ENDED, ...says(TWO) }, "8: says two, accepts nothing else"],
  ["but as long as a node says it", { access: ENDED, ...says(TWO), ...BEHIND }, /^RotationWaits: the former.*rec-2/],
  ["one that comes back is offered like any other", { access: ENDING }, "8: says two, accepts one one"],
  ["older nodes take what the Secret says at once", { ...says(TWO), ...UNABLE }, "8: says two, accepts one"],
  ["with older nodes none is made", { asked: "a", ...UNABLE }, /^RotationWaits: .*node 3 \(8.2.0-25.12\)/],
  [
    "none is made for a Secret of a user",
    { asked: "a", ...says(ONE, true) },
    /^RotationWaits: .*the Secret rec is a user's/,
  ],
  ["nor written into it", { access: OFFERED, ...says(ONE, true) }, "8: says one, accepts nothing else"],
];

for (const [rule, view, step] of cases)
  test(rule, () => {
    const short = inShort(nextAccessStep({ ...REST, ...view }));
    if (typeof step === "string") assert.equal(short, step);
    else assert.match(short, step);
  });

test("a rotation on request ends where it began, with another password", () => {
  let view: AccessView = { ...REST, asked: "a" };
  const seen = [inShort(nextAccessStep(view))];
  for (let pass = 0; pass < 6; pass += 1) {
    const step = nextAccessStep(view);
    if (step.kind === "act")
      view =
        step.act.kind === "write-access"
          ? { ...view, access: step.act.access }
          : { ...view, secret: { ...view.secret, login: step.act.login } };
    view = { ...view, now: new Date(view.now.getTime() + HOUR / 2) };
    seen.push(inShort(nextAccessStep(view)));
  }
  const since = "2026-11-22T13:00:00.000Z"; // engines follow it
  assert.deepEqual(view.access, { revision: 10, current: FRESH, since, former: [], answered: "a" });
  assert.deepEqual(view.secret.login, FRESH);
  assert.equal(seen.at(-1), "nothing");
});

test("what is stored is read again, and what is no such record is none", () => {
  for (const access of [AT_REST, OFFERED, WRITTEN, ENDING])
    assert.deepEqual(parseClusterAccess(JSON.stringify(access)), access);
  for (const text of ["", "{", "{}", '{"revision":0,"current":{"username":"a","password":"b"}}'])
    assert.equal(parseClusterAccess(text), undefined);
});
