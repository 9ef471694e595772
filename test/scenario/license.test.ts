import assert from "node:assert/strict";
import { test } from "node:test";
import { LICENSE_AUTHORITIES, type LicenseTerms } from "../../src/core/api/license.ts";
import { clusterNames } from "../../src/core/api/names.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import type { Kube } from "#kit/kube/kube";
import { loadKubeConfig } from "#kit/kube/config";
import { createLicenseAuthority, signLicense } from "../../src/ports/management/license.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";

const authority = createLicenseAuthority();

/** A cluster with one database, and the client of its Kubernetes. */
interface Scene {
  readonly cluster: TestCluster;
  readonly kube: Kube;
  /** Name that a licence for this cluster holds. */
  readonly name: string;
}

test("licences: the trial, an authority, refusals, expiry, an authority that goes and comes back", async () => {
  await using cluster = await startTestCluster({ nodes: 1 });
  await using stack = new AsyncDisposableStack();
  const kube = stack.adopt(connect(loadKubeConfig({ KUBECONFIG: cluster.kubeconfig })), (client) => client.close());
  await cluster.create({ name: "first", memory_size: 10_000_000 });
  const name = clusterNames.dnsName(cluster.rec, cluster.namespace);
  await steps<Scene>(
    { cluster, kube, name },
    {
      "a cluster begins with the trial, and trusts no licence before it knows an authority": beginWithTrial,
      "once the authority is named its licence is accepted, and allows what it says": nameAuthority,
      "a licence that is not valid is refused with the reason, and the old one stays": refuseInvalid,
      "a licence for fewer shards than are in use is refused": refuseFewerShards,
      "an expired licence stops changes of databases, and a new one allows them": expire,
      "without the authority the licence is not in force, and with it again it is": removeAuthority,
    },
  );
});

function licence(name: string, change: Partial<LicenseTerms> = {}, lastsMs = 86_400_000): string {
  const now = Date.now();
  const terms = {
    cluster_name: name,
    owner: "Team Orders",
    activation_date: new Date(now - 1_000).toISOString(),
    expiration_date: new Date(now + lastsMs).toISOString(),
    shards_limit: 8,
    features: [],
    ...change,
  };
  return signLicense(terms, authority.privateKey);
}

const install = ({ cluster }: Scene, license: string) => cluster.client.call("installLicense", { body: { license } });

async function beginWithTrial(scene: Scene): Promise<void> {
  const { cluster, name } = scene;
  assert.equal((await cluster.client.call("license")).type, "trial");
  await assert.rejects(install(scene, licence(name)), /none of the 0 authorities/);
}

async function nameAuthority(scene: Scene): Promise<void> {
  const { cluster, kube, name } = scene;
  await kube.create(ConfigMaps, {
    metadata: { name: LICENSE_AUTHORITIES, namespace: cluster.namespace },
    data: { "public.pem": authority.publicKey },
  });
  await until("the authority is known", () => install(scene, licence(name)).then(Boolean, () => false), {
    everyMs: 50,
  });
  const { type, state, owner, shards_limit, shards_usage } = await cluster.client.call("license");
  assert.deepEqual([type, state, owner, shards_limit, shards_usage], ["paid", "Valid", "Team Orders", 8, 1]);
}

async function refuseInvalid(scene: Scene): Promise<void> {
  const { cluster, name } = scene;
  const refused = [
    [licence(name, { cluster_name: "other.default.svc.cluster.local" }), /for the cluster other/],
    [licence(name, {}, -1_000), /expired on/],
    ["let me in", /no licence/],
  ] as const;
  for (const [text, says] of refused) {
    const before = await cluster.client.call("license");
    await assert.rejects(install(scene, text), says);
    assert.deepEqual(await cluster.client.call("license"), before);
  }
}

async function refuseFewerShards(scene: Scene): Promise<void> {
  const { cluster, name } = scene;
  const { uid } = await cluster.create({ name: "second", memory_size: 10_000_000 });
  await assert.rejects(install(scene, licence(name, { shards_limit: 1 })), /allows 1 shards and 2 are in use/);
  await cluster.client.call("deleteBdb", { params: { uid } });
}

async function expire(scene: Scene): Promise<void> {
  const { cluster, name } = scene;
  await install(scene, licence(name, {}, 5_000));
  await until("it is over", async () => (await cluster.client.call("license")).state === "Expired", { everyMs: 50 });
  const change = () => cluster.client.call("updateBdb", { params: { uid: 1 }, body: { memory_size: 20_000_000 } });
  await assert.rejects(change(), /licence of .* expired/);
  await install(scene, licence(name));
  await change();
}

async function removeAuthority(scene: Scene): Promise<void> {
  const { cluster, kube } = scene;
  await kube.delete(ConfigMaps, { name: LICENSE_AUTHORITIES, namespace: cluster.namespace });
  const state = async (): Promise<string | undefined> => (await cluster.client.call("license")).state;
  await until("it is not in force", async () => (await state()) === "Invalid", { everyMs: 50 });
  await kube.create(ConfigMaps, {
    metadata: { name: LICENSE_AUTHORITIES, namespace: cluster.namespace },
    data: { "public.pem": authority.publicKey },
  });
  await until("it is in force", async () => (await state()) === "Valid", { everyMs: 50 });
}
