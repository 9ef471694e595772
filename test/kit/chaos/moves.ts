import { assertNever } from "#kit/base/assert-never";
import { STORE_VERSIONS } from "../../../src/core/api/records.ts";
import { readRecord } from "../world/records.ts";
import { locate } from "./inject.ts";
import type { Move, Scheduled } from "./schedule.ts";
import { NODES, type Scene } from "./scene.ts";

/** Asks for a move; what it resolves to ends it. Rejects when the cluster refuses it, or cannot be asked. */
export async function beginMove({ what: move, share }: Scheduled<Move>, scene: Scene): Promise<() => Promise<void>> {
  const { client } = scene.cluster;
  switch (move.kind) {
    case "evacuate": {
      const params = { uid: await locate(scene, move.at, share) };
      await client.call("maintenanceOn", { params, body: { demote_node: true } });
      return async () => void (await client.call("maintenanceOff", { params }));
    }
    case "upgrade":
      for (const uid of [scene.uid, scene.full.uid]) await upgrade(scene, uid);
      return async () => undefined;
    default:
      return assertNever(move);
  }
}

/** To the next version, when there is one. */
async function upgrade({ kube, cluster }: Scene, uid: number): Promise<void> {
  const { storeVersion } = await readRecord(kube, cluster, uid);
  const next = STORE_VERSIONS[STORE_VERSIONS.findIndex((version) => version === storeVersion) + 1];
  if (next !== undefined) await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: next } });
}

/** Takes back every node that a move has left out; what fails is asked for again. */
export async function endMaintenance({ cluster }: Scene): Promise<void> {
  for (const { uid, maintenance } of await cluster.client.call("nodes"))
    if (maintenance && NODES.some((node) => node === uid))
      await cluster.client.call("maintenanceOff", { params: { uid } });
}
