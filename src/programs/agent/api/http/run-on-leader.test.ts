import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { factsOf } from "../../../../../test/kit/facts/database-scene.ts";
import { startLoopbackApi } from "../../../../../test/kit/kubernetes/loopback-api.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube } from "#kit/kube/kube";
import { faults as managementFaults } from "../../../../ports/management/faults.ts";
import { followRecords, type Records } from "../../records/records.ts";
import { knownRecord } from "../databases/databases.ts";
import { runOnLeader } from "./run-on-leader.ts";

const RECORD = factsOf({ instances: [{ id: 1, node: 1, port: 20_001, storeVersion: "7.2", launch: 1 }] }).record;

interface Scene {
  readonly leader: Records;
  /** Gets no event of a watch. */
  readonly follower: Records;
  /** A write that a client sends to the follower. */
  write(route: "createBdb" | "updateBdb" | "updateClusterPolicy", make: () => Promise<unknown>): Promise<unknown>;
}

await test("what a node passed on to the leader is in its own next answer, however late its informer is", async () => {
  await inCluster(async ({ leader, follower, write }) => {
    await write("createBdb", () => leader.createDatabase(RECORD));
    assert.equal(follower.database(1)?.name, RECORD.name);
    await write("updateBdb", () => leader.changeDatabase(1, (record) => ({ ...record, port: 12_345 })));
    assert.equal(follower.database(1)?.port, 12_345);
    await write("updateClusterPolicy", () => leader.changeState((state) => ({ ...state, upgradePolicy: "major" })));
    assert.equal(follower.state()?.upgradePolicy, "major");
  });
});

await test("a database is called unknown only after the API server was asked", async () => {
  await inCluster(async ({ leader, follower }) => {
    await assert.rejects(knownRecord(follower, "1"), /there is no database 1$/);
    await leader.createDatabase(RECORD);
    assert.equal(follower.database(1), undefined);
    assert.equal((await knownRecord(follower, "1")).name, RECORD.name);
    for (const asked of ["2", "01", "-1", "1e0", "", "99999999999999999999"])
      await assert.rejects(knownRecord(follower, asked), /there is no database/);
  });
});

test("a request that the leader may have run has its answer, and one that it did not run is sent again", async () => {
  const rows = [
    ["secret_not_made", /no Secret/, 1],
    ["db_unavailable", /no Secret/, 1],
    ["unknown", /no Secret/, 1],
    ["no_leader", /no node has led/, 2],
    ["node_not_joined", /no node has led/, 2],
    ["stale", /no node has led/, 2],
  ] as const;
  for (const [error_code, says, asked] of rows) {
    const sent: string[] = [];
    const details = { status: 503, error_code, description: "no Secret is there" };
    const forward = () => {
      sent.push(error_code);
      return Promise.reject(new Fault(managementFaults.failed, details.description, details));
    };
    const election = { isLeader: () => false, leader: () => 2 };
    const records = { reload: () => Promise.resolve() };
    const context = {
      config: { node: 1 },
      election,
      peers: { forward },
      records,
      clock: steppingClock(),
      log: silentLog,
    };
    const here = () => Promise.reject(new Error("node 1 does not lead"));
    const body = { email: "a@x.org", password: "a password", role: "admin" } as const;
    await assert.rejects(runOnLeader(context, "createUser", { body }, undefined, here, 50), says);
    assert.equal(sent.length, asked, error_code);
  }
});

/** Moves on by what is slept. */
function steppingClock(): Clock {
  let now = 0;
  return { ...systemClock, uptimeMs: () => now, sleep: async (ms) => void (now += ms) };
}

async function inCluster(play: (scene: Scene) => Promise<void>): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startLoopbackApi("run-on-leader"));
  const kube = stack.adopt(connect(loadKubeConfig({ KUBECONFIG: api.kubeconfig })), (open) => open.close());
  const ended = stack.adopt(new AbortController(), (controller) => controller.abort());
  const follow = async (of: Kube): Promise<Records> => {
    const where = { cluster: "rec", namespace: "default" };
    const records = followRecords({ kube: of, ...where, clock: systemClock, log: silentLog, signal: ended.signal });
    await records.synced;
    return records;
  };
  const leader = await follow(kube);
  const follower = await follow({ ...kube, watch: silence });
  const write: Scene["write"] = (route, make) => {
    const forward = async () => (await make(), JSON.parse('{"uid":1}'));
    const election = { isLeader: () => false, leader: () => 2 };
    const context = { config: { node: 1 }, election, peers: { forward }, records: follower };
    const params = { params: { uid: "1" } };
    const request = JSON.parse(JSON.stringify(route === "updateBdb" ? params : {}));
    const here = () => Promise.reject(new Error("node 1 does not lead"));
    return runOnLeader({ ...context, clock: systemClock, log: silentLog }, route, request, undefined, here);
  };
  await play({ leader, follower, write });
}

/** Yields nothing until it is ended. */
async function* silence(_type: unknown, { signal }: { readonly signal?: AbortSignal }): AsyncGenerator<never> {
  if (signal?.aborted === false) await once(signal, "abort");
}
