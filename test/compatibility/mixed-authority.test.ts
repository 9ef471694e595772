import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:tls";
import { clusterNames, ROTATE_AUTHORITY_ANNOTATION } from "../../src/core/api/names.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { until } from "#kit/testing/until";
import { secretTexts, tlsPlaces, type TlsPlace } from "../kit/world/cluster-authority.ts";
import { olderReleases, testBesideOlder } from "./beside-older.ts";
import { goOn, holdRoll, installOlder, rotationWaits, untilRotationWaits } from "./half-way.ts";
import { administrator, finishLoads, type Scene } from "./scene.ts";

const { namespace, cluster } = DEMO;
const REC = { name: cluster, namespace };
const PATIENCE = { withinMs: 120_000, everyMs: 100 };

let before = "";

for (const older of olderReleases())
  await testBesideOlder("another authority is asked for", older, {
    "the older release serves a database, and clients write in it": installOlder,
    "the roll is held up with one node new and two old": holdRoll,
    "another authority is asked for: it waits for the older nodes, with a finding, and all trust and show the present one":
      ask,
    "once each node is new it is offered, used, and the former one ends": rotate,
    "no client was cut, and nothing is lost": finishLoads,
  });

async function ask(scene: Scene): Promise<void> {
  const { kube } = scene.play.world;
  before = (await authority(scene))["ca.crt"] ?? "";
  const metadata = { annotations: { [ROTATE_AUTHORITY_ANNOTATION]: "2026-11" } };
  const spec = { authorityOverlapSeconds: 0 };
  await kube.patch(Clusters, REC, { type: "merge", body: { metadata, spec } });
  await untilRotationWaits(scene);
  assert.deepEqual(Object.keys(await authority(scene)).toSorted(), ["ca.crt", "ca.key"]);
  assert.equal((await mounted(scene))["ca.crt"], before);
  assert.deepEqual((await issuedBy(scene, before)).length, 3, "each node shows what the present one has signed");
  // of a release on both sides
  for (const node of [1, 3]) {
    const client = await administrator(kube, node);
    assert.equal((await client.call("nodes")).length, 3);
    await client.close();
  }
}

async function rotate(scene: Scene): Promise<void> {
  await goOn(scene);
  const isEnded = async (): Promise<boolean> => {
    const { "ca.crt": current, ...rest } = await authority(scene);
    return current !== before && !("former.crt" in rest) && !("next.crt" in rest);
  };
  await until("the former one has ended", isEnded, PATIENCE);
  const { "ca.crt": current = "" } = await authority(scene);
  await until("each node shows the new one", async () => (await issuedBy(scene, current)).length === 3, PATIENCE);
  assert.deepEqual(await issuedBy(scene, before), []);
  await until("nothing waits", async () => (await rotationWaits(scene)) === "", PATIENCE);
}

/** The management APIs whose certificate is by this authority: no endpoint speaks TLS. */
async function issuedBy({ play: { world } }: Scene, ca: string): Promise<readonly string[]> {
  const places = await tlsPlaces(world.kube, REC);
  const shown = await Promise.all(places.map((place) => isShownBy(place, ca)));
  return places.filter((_, index) => shown[index]).map(({ what }) => what);
}

async function isShownBy({ host, port, servername }: TlsPlace, ca: string): Promise<boolean> {
  const socket = connect({ host, port, servername, ca });
  try {
    await once(socket, "secureConnect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function authority({ play: { world } }: Scene): Promise<Readonly<Record<string, string>>> {
  return secretTexts(world.kube, { name: clusterNames.authoritySecret(cluster), namespace });
}

function mounted({ play: { world } }: Scene): Promise<Readonly<Record<string, string>>> {
  return secretTexts(world.kube, { name: clusterNames.nodeTlsSecret(cluster), namespace });
}
