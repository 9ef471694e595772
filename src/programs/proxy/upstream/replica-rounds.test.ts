import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { ReplicaRounds } from "./replica-rounds.ts";

/** No round is asked here, so that no engine is reached. */
const CONTEXT = { address: { host: "127.0.0.1", port: 1 }, logins: () => [], clock: new FakeClock() };

test("replies of a new engine wait until it is said what for", () => {
  const rounds = new ReplicaRounds(CONTEXT);
  const seen: string[] = [];
  const note = (what: string) => (): void => void seen.push(what);
  rounds.join({ begin: note("begin"), pass: note("pass"), demoted: note("demoted"), interrupted: note("interrupted") });
  assert.deepEqual([rounds.open, rounds.busy, seen], [false, true, []]);
  rounds.require("none");
  assert.deepEqual([rounds.open, rounds.busy, seen], [true, false, ["begin", "pass"]]);
  rounds.close();
});
