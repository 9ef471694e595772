import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import { tallyArchive } from "../../../../../test/kit/modules/module-archive.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import type { DatabaseRecord, InstalledModule } from "../../../../core/api/records.ts";
import { silentLog } from "#kit/base/log";
import { moduleHandlers } from "../databases/database-handlers.ts";
import { actFor } from "../users/acting-user.ts";
import { installModule } from "./module-upload.ts";
import { oneAtATime } from "#kit/base/in-turn";

const build: InstalledModule = {
  uid: "a1",
  name: "tally",
  displayName: "tally",
  version: "1.0.0",
  compatible: "8.0",
  platforms: [],
  sha256: "",
  bytes: 1,
  args: "",
  actionUid: "",
  installedTime: "",
};
const { record } = factsOf({ instances: [on(1, 1)] });
const user: DatabaseRecord = { ...record, name: "counts", modules: [{ name: "Tally", args: "" }] };

function scene(leader: number) {
  const databases: DatabaseRecord[] = [];
  const passedOn: string[] = [];
  let modules: readonly InstalledModule[] = [build];
  const context = {
    config: { node: 1 },
    election: { isLeader: () => leader === 1, leader: () => leader },
    peers: {
      forward: async (node: number, route: string) => {
        passedOn.push(`${route} to ${node}`);
        return {};
      },
    },
    clock: new FakeClock(),
    log: silentLog,
    records: {
      state: () => ({ modules }),
      databases: () => databases,
      reload: () => Promise.resolve(),
      changeState: async (change: (state: object) => { modules: readonly InstalledModule[] }) => {
        ({ modules } = change({ modules }));
      },
    },
  } as unknown as Parameters<typeof moduleHandlers>[0]; // these are all that the removal uses
  const inTurn = oneAtATime();
  const { deleteModule } = moduleHandlers(context, inTurn);
  const remove = () => deleteModule({ params: { uid: build.uid }, body: undefined, query: {} });
  return { databases, passedOn, inTurn, remove, names: () => modules.map(({ name }) => name) };
}

test("an archive that is refused for what is installed is not stored", async () => {
  const kept: string[] = [];
  const context = {
    config: { node: 1, release: { nodeTag: "8.2.0-12" } },
    records: { state: () => ({ modules: [{ ...build, displayName: "Tally" }] }) },
    modules: { claim: () => ({ [Symbol.dispose]: () => undefined }), put: async () => void kept.push("library") },
    members: { list: () => [] },
    clock: new FakeClock(),
  } as unknown as Parameters<typeof installModule>[0]; // these are all that the check uses
  const archive = new Blob([
    await tallyArchive({ compatible: "8.0", library: Buffer.from("\x7fELF of another content", "latin1") }),
  ]);
  await assert.rejects(installModule(context, archive), { code: "AGENT_MODULE_EXISTS" });
  assert.deepEqual(kept, []);
});

test("an archive of a user who has lost the right meanwhile is not stored", async () => {
  const kept: string[] = [];
  const asker = { uid: 2, secret: "rec-user-1", email: "a@b", name: "a", role: "admin" as const };
  let users: readonly object[] = [asker];
  const context = {
    config: { node: 1, release: { nodeTag: "8.2.0-12" } },
    records: { state: () => ({ users }), reload: async () => void (users = []) },
    modules: { claim: () => ({ [Symbol.dispose]: () => undefined }), put: async () => void kept.push("library") },
    members: { list: () => [] },
    clock: new FakeClock(),
  } as unknown as Parameters<typeof installModule>[0]; // these are all that the check uses
  const archive = new Blob([await tallyArchive({ compatible: "8.0" })]);
  const install = actFor({ user: asker, permission: "update_cluster" }, () => installModule(context, archive));
  await assert.rejects(install, { code: "AGENT_UNAUTHORIZED" });
  assert.deepEqual(kept, []);
});

test("a module is not removed while a database is made that uses it", async () => {
  const { databases, inTurn, remove, names } = scene(1);
  const checked = Promise.withResolvers<void>();
  const made = inTurn(async () => {
    await checked.promise;
    databases.push(user);
  });
  const removed = remove();
  checked.resolve();
  await made;
  await assert.rejects(removed, /module tally is used by "counts"/);
  assert.deepEqual(names(), ["tally"]);
});

test("a module that no database uses is removed, by the leader alone", async () => {
  const here = scene(1);
  await here.remove();
  assert.deepEqual([here.names(), here.passedOn], [[], []]);
  const elsewhere = scene(2);
  await elsewhere.remove();
  assert.deepEqual([elsewhere.names(), elsewhere.passedOn], [["tally"], ["deleteModule to 2"]]);
});
