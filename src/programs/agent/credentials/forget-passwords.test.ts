import assert from "node:assert/strict";
import { test } from "node:test";
import { startEmbeddedServer } from "../../../../test/api-servers/test-server.ts";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import { isFault } from "#kit/base/fault";
import { Namespaces, Secrets } from "#kit/kube/builtin";
import { systemClock } from "#kit/reconcile/system-clock";
import { clusterNames } from "../../../core/api/names.ts";
import type { ClusterStateRecord } from "../../../core/api/records.ts";
import { faults } from "../faults.ts";
import { databasePasswords } from "./database-passwords.ts";
import { forgetPasswords } from "./forget-passwords.ts";
import { secretData } from "./stored-passwords.ts";
import { userPasswords } from "./user-passwords.ts";

const namespace = "forget";

test("a node forgets the passwords of databases and users that another node has deleted, and no others", async () => {
  await using server = await startEmbeddedServer();
  const { kube } = server;
  await kube.create(Namespaces, { metadata: { name: namespace } });
  const deps = { kube, namespace, cluster: "rec", clock: systemClock };
  const [passwords, users] = [databasePasswords(deps), userPasswords(deps)];
  const { record } = factsOf({ instances: [on(1, 1)] });
  const [gone, kept] = [1, 2].map((uid) => ({ ...record, uid }));
  assert.ok(gone !== undefined && kept !== undefined);
  const secretOf = (uid: number): string => clusterNames.databaseSecret("rec", uid);
  for (const { uid } of [gone, kept]) {
    const data = secretData({ set: { password: `p${uid}`, others: [] }, revision: 1, internal: "i" });
    await kube.create(Secrets, { metadata: { name: secretOf(uid), namespace }, data });
    await kube.create(Secrets, { metadata: { name: `user-${uid}`, namespace }, data: { hash: "aGFzaA==" } });
    await passwords.of({ ...record, uid });
    await users.hashIn(`user-${uid}`);
  }
  // as another node does, which lets this one learn it from the records alone
  for (const name of [secretOf(1), secretOf(2), "user-1", "user-2"]) await kube.delete(Secrets, { name, namespace });

  const state = { users: [{ secret: "user-2" }] } as unknown as ClusterStateRecord;
  const records = { databases: () => [kept], state: (): ClusterStateRecord | undefined => undefined };
  forgetPasswords({ records, passwords, userPasswords: users });
  assert.equal(await users.hashIn("user-1"), "hash", "no record of the cluster says which users there are");
  forgetPasswords({ records: { ...records, state: () => state }, passwords, userPasswords: users });
  await assert.rejects(passwords.of(gone), (error) => isFault(error, faults.noPassword));
  assert.equal((await passwords.of(kept)).set.password, "p2");
  assert.deepEqual([await users.hashIn("user-1"), await users.hashIn("user-2")], [undefined, "hash"]);
});
