import assert from "node:assert/strict";
import { test } from "node:test";
import type { PasswordsState } from "../../api/records.ts";
import { rotationDue, withRotation, type EnginePasswords, type RotationAct } from "./engine-rotation.ts";

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
    want: { act: "offer", since: EARLIER },
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
  { rule: "what is offered is used next", passwords: at("offered"), want: { act: "use", since: EARLIER } },
  {
    rule: "what has begun ends before the next one begins",
    passwords: at("used"),
    replacedAt: LATER,
    want: { act: "end", since: EARLIER },
  },
  { rule: "once for each password of the cluster", passwords: at("ended"), replacedAt: EARLIER, want: undefined },
  {
    rule: "and again with the next one",
    passwords: at("ended"),
    replacedAt: LATER,
    want: { act: "offer", since: LATER },
  },
];

for (const { rule, passwords, replacedAt, want } of due)
  test(`rotation at engines: ${rule}`, () => {
    assert.deepEqual(rotationDue({ createdTime, ...(passwords && { passwords }) }, replacedAt), want);
  });

const acts: readonly (readonly [rule: string, RotationAct, EnginePasswords, EnginePasswords])[] = [
  ["the next one is offered", "offer", { internal: "a" }, { internal: "a", rotation: { step: 1, next: "b" } }],
  [
    "a leader that comes after offers no third one",
    "offer",
    { internal: "a", rotation: { step: 1, next: "first" } },
    { internal: "a", rotation: { step: 1, next: "first" } },
  ],
  [
    "the former one counts while the next one is used",
    "use",
    { internal: "a", rotation: { step: 1, next: "b" } },
    { internal: "b", rotation: { step: 2, former: "a" } },
  ],
  [
    "what is used already stays",
    "use",
    { internal: "b", rotation: { step: 2, former: "a" } },
    { internal: "b", rotation: { step: 2, former: "a" } },
  ],
  [
    "the former one ends",
    "end",
    { internal: "b", rotation: { step: 2, former: "a" } },
    { internal: "b", rotation: { step: 3 } },
  ],
  [
    "what has ended stays so",
    "end",
    { internal: "b", rotation: { step: 3 } },
    { internal: "b", rotation: { step: 3 } },
  ],
];

for (const [rule, act, held, want] of acts)
  test(`rotation at engines: ${rule}`, () => {
    assert.deepEqual(withRotation(held, act, "b"), want);
  });
