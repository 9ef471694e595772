import assert from "node:assert/strict";
import { after, before } from "node:test";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { LICENSE_AUTHORITIES } from "../../src/api/license.ts";
import { clusterNames, OPERATOR_NAME } from "../../src/api/names.ts";
import { CAST, Clusters } from "../../src/demo/cast.ts";
import { createCluster, installOperator } from "../../src/demo/stages.ts";
import { until } from "../../src/demo/until.ts";
import type { StoreEnterpriseCluster } from "../../src/api/kinds.ts";
import type { ClusterState } from "../../src/api/states.ts";
import type { Stored } from "../../src/kube/kube.ts";
import { ConfigMaps, Events, Secrets } from "../../src/kube/builtin.ts";
import { createLicenseAuthority, signLicense } from "../../src/management/license.ts";
import { createAuthority, issue } from "../../src/pki/authority.ts";
import { bundleFor } from "../../src/releases/bundle.ts";
import type { Release } from "../../src/releases/release.ts";
import { release } from "../kit/cluster-view.ts";
import { tallyArchive } from "../kit/module-archive.ts";
import { until as eventually } from "../kit/until.ts";
import { startStoryWorld, type StoryWorld } from "../kit/story-world.ts";
import { rules } from "../specification/rule.ts";

// One cluster walks through the releases. Each step is begun without something that it needs, freezes, and goes on by itself once
// that is there; now and then the operator is killed while it waits.

const REC = { namespace: CAST.namespace, name: CAST.cluster };
const WALK = ["7.22.0-15", "7.22.2-21", "8.0.6-8", "8.0.10-21", "8.0.16-24", "8.0.18-11", "8.2.0-12"].map(release);
const now = new Date();
const authority = createAuthority({ commonName: "modules", now, days: 1 });
const licences = createLicenseAuthority();

let play: StoryWorld;
let at = 0;
let server: Server;
let archive: Buffer<ArrayBuffer> | undefined;
let moduleUrl = "";

before(async () => {
  play = await startStoryWorld();
  const first = next(0);
  await installOperator(play.stage, bundleFor(first), first);
  await createCluster(play.stage, first);
  server = await serveModules();
});
after(async () => {
  server.close().closeAllConnections();
  await play[Symbol.asyncDispose]();
});

rules(
  [
    "§3 digestHash + auto → InvalidUpgrade + warning event, and the upgrade is blocked",
    "§6.1 digestHash + auto → warning event on the REC, seen with describe",
    "§3 digestHash kept, auto off → upgraded by hand",
    "§7 digest with automatic upgrade → blocked until one of both is gone",
  ],
  "",
  async () => {
    const to = await operatorOf(1);
    const digestHash = `sha256:${"0".repeat(64)}`;
    await patch({ autoUpgradeStoreEnterprise: true, usageMeter: { callHomeClient: { imageSpec: { digestHash } } } });
    await frozenFor("AutoUpgradeDigestConflict", "InvalidUpgrade", /usageMeter\.callHomeClient\.imageSpec/);
    await patch({ autoUpgradeStoreEnterprise: false, storeEnterpriseImageSpec: { versionTag: to.nodeTag } });
    await arrivedAt(to);
  },
);

rules(
  [
    "§3 digestHash removed → the upgrade proceeds",
    "§2.2 digestHash may stand in each of the four image specs",
    "§2.2 autoUpgradeStoreEnterprise true → the REC follows the operator; false or unset → by hand",
    "§1.4 the REC is upgraded automatically or by hand",
  ],
  "automatic, and the operator is killed while it is frozen",
  async () => {
    await patch({ autoUpgradeStoreEnterprise: true });
    const to = await operatorOf(2);
    await frozenFor("AutoUpgradeDigestConflict", "InvalidUpgrade", /digestHash/);
    await play.kill(OPERATOR_NAME);
    await patch({ usageMeter: null });
    await arrivedAt(to);
    await patch({ autoUpgradeStoreEnterprise: false });
  },
);

rules(
  [
    "§3 licence not valid → the upgrade fails",
    "§7 invalid licence → fails until a valid one is there",
    "§1.3 an upgrade started without its prerequisites freezes, and is recovered by hand",
  ],
  "",
  async () => {
    const keys = { "public.pem": licences.publicKey };
    const named = { name: LICENSE_AUTHORITIES, namespace: CAST.namespace };
    await play.world.kube.create(ConfigMaps, { metadata: named, data: keys });
    await patch({ license: licence(20) });
    await seen("the licence is taken", ({ status }) => status?.licenseStatus?.shardsLimit === 20);
    await play.world.kube.delete(ConfigMaps, named);
    await seen("it is not in force", ({ status }) => status?.licenseStatus?.licenseState === "Invalid");
    const to = await operatorOf(3);
    await patch({ storeEnterpriseImageSpec: { versionTag: to.nodeTag } });
    await frozenFor("LicenseInvalid", undefined, /none of the 0 authorities/);
    await play.world.kube.create(ConfigMaps, { metadata: named, data: keys });
    await arrivedAt(to);
  },
);

rules(
  [
    "§3 configuration error during an upgrade → InvalidUpgrade",
    "§7 configuration error → InvalidUpgrade, explained by describe and the log",
  ],
  "a tag that is in no release",
  async () => {
    const to = await operatorOf(4);
    await patch({ storeEnterpriseImageSpec: { versionTag: "9.9.9-99" } });
    await frozenFor("UnknownImageTag", "InvalidUpgrade", /"9\.9\.9-99", which is in no release/);
    await patch({ storeEnterpriseImageSpec: { versionTag: to.nodeTag } });
    await arrivedAt(to);
  },
);

rules(
  [
    "§2.2 the name of a user-defined module is one of its manifest",
    "§2.2 userDefinedModules: name, source.https.url and credentialsSecret",
    "§7 module name and manifest differ → refused until they are equal",
    "§4.1 module errors and events are seen with describe rec",
    "§7 prerequisites of user-defined modules unmet → named by describe",
  ],
  "first it cannot be fetched, then it is another one",
  async () => {
    const to = await operatorOf(5);
    await listModule("counter");
    await patch({ storeEnterpriseImageSpec: { versionTag: to.nodeTag } });
    await frozenFor("UserModuleInvalid", undefined, /the server answers 404/);
    archive = await tallyArchive({ compatible: "7.2" });
    await frozenFor("UserModuleInvalid", undefined, /listed as "counter".*module_name "tally".*display_name "Tally"/);
    await listModule("Tally");
    await arrivedAt(to);
  },
);

rules(
  [
    "§2.2 autoUpgradeStoreEnterprise must be false while user-defined modules are listed",
    "§4.3.2 with user-defined modules, automatic upgrade is off before the operator is upgraded",
  ],
  "",
  async () => {
    await patch({ autoUpgradeStoreEnterprise: true });
    const to = await operatorOf(6);
    await frozenFor("AutoUpgradeUserModules", "InvalidUpgrade", /Tally/);
    await patch({ autoUpgradeStoreEnterprise: false, storeEnterpriseImageSpec: { versionTag: to.nodeTag } });
    await arrivedAt(to);
  },
);

function next(index: number): Release {
  const found = WALK[index];
  assert.ok(found);
  return found;
}

/** Applies the bundle of the next release; its operator leaves the cluster alone. */
async function operatorOf(index: number): Promise<Release> {
  assert.equal(index, at + 1, "one step after the other");
  at = index;
  const to = next(index);
  await installOperator(play.stage, bundleFor(to), to);
  return to;
}

async function patch(spec: object): Promise<void> {
  await play.world.kube.patch(Clusters, REC, { type: "merge", body: { spec } });
}

function seen(
  what: string,
  isMet: (rec: Stored<StoreEnterpriseCluster>) => boolean,
): Promise<Stored<StoreEnterpriseCluster>> {
  return until(play.stage, Clusters, REC, { what, withinMs: 60_000, isMet });
}

/** The upgrade is refused with this finding, an event tells it, and no node was touched. */
async function frozenFor(id: string, state: ClusterState | undefined, evidence: RegExp): Promise<void> {
  const rec = await seen(`it is frozen: ${id}`, ({ metadata, status }) => {
    const finding = status?.findings?.find((one) => one.id === id && one.severity === "block");
    const isNew = status?.observedGeneration === metadata.generation;
    return isNew && evidence.test(finding?.evidence ?? "") && (state === undefined || status?.state === state);
  });
  const blocked = rec.status?.conditions?.find(({ type }) => type === "UpgradeBlocked");
  assert.equal(blocked?.status, "True");
  assert.match(blocked.message, evidence);
  await eventually(`an event ${id}`, async () => {
    const { items } = await play.world.kube.list(Events, { namespace: CAST.namespace });
    const told = items.filter((event) => event.involvedObject.name === CAST.cluster && event.reason === id);
    return told.some(({ type, message = "" }) => type === "Warning" && evidence.test(message));
  });
  assert.deepEqual(tagsOf(rec), [next(at - 1).nodeTag], "no node was touched");
}

/** It goes on by itself, and ends with every node at the release. */
async function arrivedAt(to: Release): Promise<void> {
  await seen("it goes on", ({ status }) => status?.state === "Upgrade");
  const rec = await seen(`every node runs ${to.nodeTag}`, ({ metadata, status }) => {
    const isNew = status?.observedGeneration === metadata.generation;
    return isNew && status?.state === "Running" && status.version === to.nodeTag && status.replicas === 3;
  });
  assert.deepEqual(tagsOf(rec), [to.nodeTag]);
  assert.deepEqual(
    (rec.status?.findings ?? []).filter(({ severity }) => severity === "block"),
    [],
  );
}

function tagsOf({ status }: Stored<StoreEnterpriseCluster>): readonly string[] {
  return [...new Set((status?.nodes ?? []).map(({ version }) => version))];
}

function licence(shards: number): string {
  const terms = {
    cluster_name: clusterNames.dnsName(CAST.cluster, CAST.namespace),
    owner: "",
    activation_date: new Date(now.getTime() - 60_000).toISOString(),
    expiration_date: new Date(now.getTime() + 86_400_000).toISOString(),
    shards_limit: shards,
    features: [],
  };
  return signLicense(terms, licences.privateKey);
}

/** A module repository: TLS with an authority of its own, credentials, and nothing in it at first. */
async function serveModules(): Promise<Server> {
  const identity = issue(authority, {
    commonName: "modules",
    dnsNames: ["localhost"],
    ipAddresses: [],
    usages: ["server"],
    now,
    days: 1,
  });
  const login = `Basic ${Buffer.from("reader:word").toString("base64")}`;
  const started = createServer({ key: identity.key, cert: identity.certificate }, (request, response) => {
    if (request.headers.authorization !== login) response.writeHead(401).end();
    else if (archive === undefined) response.writeHead(404).end();
    else response.end(archive);
  }).listen(0, "127.0.0.1");
  await once(started, "listening");
  moduleUrl = `https://localhost:${(started.address() as AddressInfo).port}/tally.zip`;
  await play.world.kube.create(Secrets, {
    metadata: { name: "module-login", namespace: CAST.namespace },
    stringData: { username: "reader", password: "word", "ca.crt": authority.certificate },
  });
  return started;
}

async function listModule(name: string): Promise<void> {
  await patch({
    userDefinedModules: [{ name, source: { https: { url: moduleUrl } }, credentialsSecret: "module-login" }],
  });
}
