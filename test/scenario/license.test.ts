import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LICENSE_AUTHORITIES, type LicenseTerms } from "../../src/core/api/license.ts";
import { clusterNames } from "../../src/core/api/names.ts";
import { ConfigMaps } from "../../src/ports/kube/builtin.ts";
import { connect } from "../../src/ports/kube/client.ts";
import { loadKubeConfig } from "../../src/ports/kube/config.ts";
import { createLicenseAuthority, signLicense } from "../../src/ports/management/license.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { until } from "../kit/time/until.ts";

const authority = createLicenseAuthority();
let cluster: TestCluster;
let kube: ReturnType<typeof connect>;
let name = "";

before(async () => {
  cluster = await startTestCluster({ nodes: 1 });
  kube = connect(loadKubeConfig({ KUBECONFIG: cluster.kubeconfig }));
  name = clusterNames.dnsName(cluster.rec, cluster.namespace);
  await cluster.create({ name: "first", memory_size: 10_000_000 });
});
after(async () => {
  await kube.close();
  await cluster[Symbol.asyncDispose]();
});

function licence(change: Partial<LicenseTerms> = {}, lastsMs = 86_400_000): string {
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

const install = (license: string) => cluster.client.call("installLicense", { body: { license } });

test("a cluster begins with the trial, and trusts no licence before it knows an authority", async () => {
  assert.equal((await cluster.client.call("license")).type, "trial");
  await assert.rejects(install(licence()), /none of the 0 authorities/);
});

test("once the authority is named its licence is taken, and allows what it says", async () => {
  await kube.create(ConfigMaps, {
    metadata: { name: LICENSE_AUTHORITIES, namespace: cluster.namespace },
    data: { "public.pem": authority.publicKey },
  });
  await until("the authority is known", () => install(licence()).then(Boolean, () => false), { everyMs: 50 });
  const { type, state, owner, shards_limit, shards_usage } = await cluster.client.call("license");
  assert.deepEqual([type, state, owner, shards_limit, shards_usage], ["paid", "Valid", "Team Orders", 8, 1]);
});

const refused = [
  [
    "for another cluster",
    licence.bind(undefined, { cluster_name: "other.default.svc.cluster.local" }),
    /for the cluster other/,
  ],
  ["that is over", licence.bind(undefined, {}, -1_000), /expired on/],
  ["that is no licence", () => "let me in", /no licence/],
] as const;
for (const [what, make, says] of refused) {
  test(`one ${what} is refused by name, and the old one stays`, async () => {
    const before = await cluster.client.call("license");
    await assert.rejects(install(make()), says);
    assert.deepEqual(await cluster.client.call("license"), before);
  });
}

test("one for fewer shards than are in use is refused", async () => {
  const { uid } = await cluster.create({ name: "second", memory_size: 10_000_000 });
  await assert.rejects(install(licence({ shards_limit: 1 })), /allows 1 shards and 2 are in use/);
  await cluster.client.call("deleteBdb", { params: { uid } });
});

test("when it is over, databases are neither made nor changed, and a new one clears that", async () => {
  await install(licence({}, 1_500));
  await until("it is over", async () => (await cluster.client.call("license")).state === "Expired", { everyMs: 50 });
  const change = () => cluster.client.call("updateBdb", { params: { uid: 1 }, body: { memory_size: 20_000_000 } });
  await assert.rejects(change(), /licence of .* expired/);
  await install(licence());
  await change();
});

test("without the authority the licence is not in force, and with it again it is", async () => {
  await kube.delete(ConfigMaps, { name: LICENSE_AUTHORITIES, namespace: cluster.namespace });
  const state = async (): Promise<string | undefined> => (await cluster.client.call("license")).state;
  await until("it is not in force", async () => (await state()) === "Invalid", { everyMs: 50 });
  await kube.create(ConfigMaps, {
    metadata: { name: LICENSE_AUTHORITIES, namespace: cluster.namespace },
    data: { "public.pem": authority.publicKey },
  });
  await until("it is in force", async () => (await state()) === "Valid", { everyMs: 50 });
});
