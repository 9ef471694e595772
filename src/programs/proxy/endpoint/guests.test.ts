import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { LIMITS } from "../limits/limits.ts";
import { Guests } from "./guests.ts";

test("guests: the time without an engine to log in at does not count", async () => {
  const clock = new FakeClock();
  const primary = {
    held: true,
    upstream: undefined as { readonly lanes: { readonly reachable: boolean } } | undefined,
  };
  const guests = new Guests(clock, () => primary);
  const cut: string[] = [];
  guests.add({ identity: { authenticated: false }, life: { cut: () => void cut.push("guest") } });
  await clock.advance(5 * LIMITS.loginMs);
  primary.held = false;
  await clock.advance(LIMITS.loginMs);
  primary.upstream = { lanes: { reachable: true } };
  await clock.advance(LIMITS.loginMs - 1_000);
  assert.deepEqual(cut, []);
  await clock.advance(2_000);
  assert.deepEqual(cut, ["guest"]);
});

test("guests: once none is left nothing is watched", async () => {
  const clock = new FakeClock();
  const guests = new Guests(clock, () => ({ held: false, upstream: { lanes: { reachable: true } } }));
  const [known, gone] = [
    { identity: { authenticated: false }, life: { cut: assert.fail } },
    { identity: { authenticated: false }, life: { cut: assert.fail } },
  ];
  guests.add(known);
  guests.add(gone);
  known.identity.authenticated = true;
  guests.delete(gone);
  await clock.advance(2 * LIMITS.loginMs);
  assert.equal(clock.sleeping, 0);
});
