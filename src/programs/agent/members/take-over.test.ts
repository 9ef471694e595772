import assert from "node:assert/strict";
import { test } from "node:test";
import { PROTOCOL, exploreTakeOver, type Protocol } from "../../../../test/kit/model/take-over.ts";

test("in no order of steps, losses and restarts do two engines acknowledge writes as primary", () => {
  const { states, takeOvers, split } = exploreTakeOver(PROTOCOL);
  assert.deepEqual(split, undefined);
  assert.ok(states > 500_000 && takeOvers > 50_000, `${takeOvers} take-overs in ${states} states`);
});

const NEEDED: Readonly<Record<keyof Protocol, string>> = {
  asksConsent: "without consents a take-over splits the database",
  keepsPledges: "voters that both promise and consent split the database",
  waitsAfterStart: "a voter that forgets by a restart what it said splits the database",
  countsUnknownVoters: "voters of a renewal whose answer was lost must count too",
  looksForConsents: "promises of voters that consented to a take-over before them do not give a grant again",
  endsProofByRenewal: "voters of the last renewal do not speak for those of the one before",
  catchesUp: "a grant that is given again without reading the records splits the database",
};

for (const [rule, name] of Object.entries(NEEDED))
  test(name, () => {
    const { split } = exploreTakeOver({ ...PROTOCOL, [rule]: false });
    assert.equal(split?.at(-1), "the leader promotes a replica");
  });
