import assert from "node:assert/strict";
import { test } from "node:test";
import { engineLogins, replicaLogin } from "../../api/engine-login.ts";
import { engineAccess } from "./engine-access.ts";

const set = { password: "new", others: [{ password: "old", until: "2026-01-01T00:00:00.000Z" }] };
const open = { password: "new", others: [{ password: "" }] };
const user = (password: string) => ({ user: "default", password });
const store = { user: "store", password: "internal" };

const cases: readonly {
  readonly rule: string;
  readonly access: ReturnType<typeof engineAccess>;
  readonly logins: readonly unknown[];
  readonly replica: unknown;
}[] = [
  {
    rule: "engines that are closed know the cluster alone",
    access: engineAccess(set, { internal: "internal" }, true),
    logins: [store],
    replica: store,
  },
  {
    rule: "while the password of the cluster changes, the next one is accepted and not used",
    access: engineAccess(set, { internal: "internal", rotation: { step: 1, next: "later" } }, true),
    logins: [store, { user: "store", password: "later" }],
    replica: store,
  },
  {
    rule: "and then the former one is",
    access: engineAccess(set, { internal: "internal", rotation: { step: 2, former: "earlier" } }, true),
    logins: [store, { user: "store", password: "earlier" }],
    replica: store,
  },
  {
    rule: "until then nodes try the password of the cluster first, and those of clients at engines of older nodes",
    access: engineAccess(set, { internal: "internal" }, false),
    logins: [store, user("new"), user("old")],
    replica: user("new"),
  },
  {
    rule: "a database of an older release has those of its clients alone",
    access: engineAccess(set, {}, false),
    logins: [user("new"), user("old")],
    replica: user("new"),
  },
  {
    rule: "a replica gives no password to an engine that asks for none",
    access: engineAccess(open, { internal: "internal" }, false),
    logins: [store, user("new"), user("")],
    replica: user(""),
  },
  {
    rule: "when the password of the cluster was removed by hand, those of clients count until there is another one",
    access: engineAccess(set, {}, true),
    logins: [user("new"), user("old")],
    replica: user("new"),
  },
];

for (const { rule, access, logins, replica } of cases)
  test(`engine access: ${rule}`, () => {
    assert.deepEqual(engineLogins(access), logins);
    assert.deepEqual(replicaLogin(access), replica);
  });
