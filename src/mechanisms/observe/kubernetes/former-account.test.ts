import assert from "node:assert/strict";
import { test } from "node:test";
import { accountOf } from "./former-account.ts";

const MADE = "2026-01-01T10:00:00Z";
const SOON = Date.parse("2026-01-01T10:20:00Z");
const LATER = Date.parse("2026-01-01T11:00:01Z");

const cases = [
  { rule: "is older than its account", pod: "2026-01-01T09:59:59Z", made: MADE, now: SOON, isFormer: true },
  { rule: "is older, and has another token by now", pod: "2026-01-01T09:59:59Z", made: MADE, now: LATER },
  { rule: "was made in the same second", pod: MADE, made: MADE, now: SOON },
  { rule: "has an account that is not known", pod: MADE, made: undefined, now: SOON },
];

for (const { rule, pod, made, now, isFormer = false } of cases) {
  test(`a pod that ${rule}: its token is ${isFormer ? "" : "not "}one of a former account`, () => {
    const asked: unknown[] = [];
    const metadata = { name: "rec-1", namespace: "default", uid: "u", resourceVersion: "1", creationTimestamp: pod };
    const spec = { serviceAccountName: "rec", containers: [] };
    const find = (account: unknown): string | undefined => (asked.push(account), made);
    assert.deepEqual(accountOf({ metadata, spec }, find, now), isFormer ? { hasFormerAccount: true } : {});
    assert.deepEqual(asked, [{ name: "rec", namespace: "default" }]);
  });
}
