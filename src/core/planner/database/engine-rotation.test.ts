import assert from "node:assert/strict";
import { test } from "node:test";
import type { PasswordsState } from "../../api/records.ts";
import { rotationDue, withRotation, type DueRotation, type EnginePasswords } from "./engine-rotation.ts";

const createdTime = "2026-11-01T00:00:00.000Z";
const EARLIER = "2026-11-02T00:00:00.000Z";
const LATER = "2026-11-03T00:00:00.000Z";
const closed = { revision: 0, engines: "closed" } as const;
const at = (state: "offered" | "used" | "ended"): PasswordsState => ({
  ...closed,
  rotation: { state, since: EARLIER, step: 1 },
});

const due: readonly {
  readonly rule: string;
  readonly passwords?: PasswordsState;
  readonly replacedAt?: string;
  readonly want: ReturnType<typeof rotationDue>;
}[] = [
  { rule: "nothing is due while the cluster has its first password", passwords: closed, want: undefined },
  {
    rule: "another password of the cluster leads to another one at engines",
    passwords: closed,
    replacedAt: EARLIER,
    want: { act: "offer", since: EARLIER, step: 0 },
  },
  {
    rule: "a database that was made after it has one of its own already",
    passwords: closed,
    replacedAt: "2026-10-31T00:00:00.000Z",
    want: undefined,
  },
  {
    rule: "it waits while engines are open to nodes of older releases",
    passwords: { revision: 0, engines: "shared" },
    replacedAt: EARLIER,
    want: undefined,
  },
  { rule: "what is offered is used next", passwords: at("offered"), want: { act: "use", since: EARLIER, step: 1 } },
  {
    rule: "what has begun ends before the next one begins",
    passwords: at("used"),
    replacedAt: LATER,
    want: { act: "end", since: EARLIER, step: 1 },
  },
  { rule: "once for each password of the cluster", passwords: at("ended"), replacedAt: EARLIER, want: undefined },
  {
    rule: "and again with the next one",
    passwords: at("ended"),
    replacedAt: LATER,
    want: { act: "offer", since: LATER, step: 1 },
  },
];

for (const { rule, passwords, replacedAt, want } of due)
  test(`rotation at engines: ${rule}`, () => {
    assert.deepEqual(rotationDue({ createdTime, ...(passwords && { passwords }) }, replacedAt), want);
  });

const OFFERED = { internal: "a", rotation: { step: 1, next: "b" } };
const USED = { internal: "b", rotation: { step: 2, former: "a" } };
const ENDED = { internal: "b", rotation: { step: 3 } };
const LATER_ONE = { internal: "b", rotation: { step: 5, former: "a" } };
const REMOVED = { internal: "a", rotation: { step: 1 } };

type Act = Omit<DueRotation, "since">;

const acts: readonly (readonly [rule: string, due: Act, held: EnginePasswords, want: EnginePasswords])[] = [
  ["the next one is offered", { act: "offer", step: 0 }, { internal: "a" }, OFFERED],
  ["a leader that comes after offers no third one", { act: "offer", step: 0 }, OFFERED, OFFERED],
  ["the former one counts while the next one is used", { act: "use", step: 1 }, OFFERED, USED],
  ["what is used already stays", { act: "use", step: 1 }, USED, USED],
  ["the former one ends", { act: "end", step: 2 }, USED, ENDED],
  ["what has ended stays so", { act: "end", step: 2 }, ENDED, ENDED],
  ["who decided in the rotation before ends nothing in this one", { act: "end", step: 2 }, LATER_ONE, LATER_ONE],
  ["where the next one was removed by hand the present one stays", { act: "use", step: 1 }, REMOVED, REMOVED],
];

for (const [rule, act, held, want] of acts)
  test(`rotation at engines: ${rule}`, () => {
    assert.deepEqual(withRotation(held, act, "b"), want);
  });
