import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { test } from "node:test";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { startSites, type Site, type Sites } from "../kit/world/sites.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { proves } from "../kit/specification/proves.ts";
import {
  database,
  failWith,
  installTally,
  management,
  PATIENCE,
  reachable,
  says,
  serves,
} from "./active-active-scene.ts";
import { goPastFirst, oneAfterTheOther } from "./active-active-turns.ts";
import { listOf } from "./by-hand-scene.ts";

// Three clusters: the namespaces east and west of one Kubernetes, and north in another one, of an older release at first.

const older = release("7.22.2-21");
const latest = latestRelease();

/** The three clusters. */
interface Scene {
  readonly sites: Sites;
  readonly east: Site;
  readonly west: Site;
  readonly north: Site;
}

test("an Active-Active database has one definition and one version on each of three clusters", async () => {
  await using sites = await startSites();
  const scene = await openSites(sites);
  await steps(scene, {
    "each remote cluster is listed: whether it answers, is valid, is this one": listRemoteClusters,
    "a participant with an old operator holds the version up until it is upgraded": upgradeOldParticipant,
    "an object made on one participant appears on the others, also on one listed later": spreadObject,
    "each database knows which site it is, each cluster where the others are": numberSites,
    "a version set on one participant reaches the others, one site after the other": spreadVersion,
    "module numbers stay, and the bundled build is used": keepNumbers,
    "module numbers edited with the version are refused, alone they change nothing": editNumbers,
    "a site that does not get on holds up those behind it, until a user lets one go past it": passSite,
    "wrong credentials hold the version up where they are wrong": refuseCredentials,
    "of two versions set at once the higher one wins everywhere": joinVersions,
    "a remote cluster in use waits; an object deleted on one participant goes on all": removeAll,
  });
});

async function openSites(sites: Sites): Promise<Scene> {
  const [[east, west] = [], [north] = []] = await Promise.all([
    sites.open(["east", "west"], latest),
    sites.open(["north"], older),
  ]);
  assert.ok(east && west && north);
  await sites.introduce([east, west, north]);
  return { sites, east, west, north };
}

async function listRemoteClusters({ east, west, north }: Scene): Promise<void> {
  const listed = async (site: Site): Promise<readonly string[][]> =>
    (await site.kubectl("get rerc")).split("\n").map((line) => line.split(/ {2,}/).slice(0, 4));
  for (const site of [east, west, north]) {
    const rows = ["east", "north", "west"].map((name) => [name, "Active", "Valid", String(name === site.name)]);
    const wanted = [["NAME", "STATUS", "SPEC STATUS", "LOCAL"], ...rows];
    await until(`${site.name} lists three`, async () => isDeepStrictEqual(await listed(site), wanted), PATIENCE).catch(
      failWith(site),
    );
  }
}

async function upgradeOldParticipant({ east, north }: Scene): Promise<void> {
  await east.apply(
    database("old", { participatingClusters: [{ name: "east" }, { name: "north" }], storeVersion: "7.2" }),
  );
  for (const site of [east, north]) await serves(site, "old", "7.2");
  await east.kubectl(`patch reaadb old --type merge -p '{"spec":{"storeVersion":"7.4"}}'`);
  for (const site of [east, north]) {
    await says(
      site,
      "old",
      /^OperatorTooOld .*the upgrade to 7\.4 waits: participant "north": its operator is 7\.22\.2-21/,
    );
    proves(
      "§9 Active-Active: operator 8.0.2-2 or later on every participant",
      "version of the database on both sites while the operator of one is 7.22.2-21: the old one",
    ).match(await site.kubectl("get redb old -o jsonpath='{.status.version}'"), /^7\.2 /);
    await describes(site, "reaadb old", /Warning +OperatorTooOld/);
  }
  await north.install(latest);
  const tag = JSON.stringify({ spec: { storeEnterpriseImageSpec: { versionTag: latest.nodeTag } } });
  await north.kubectl(`patch rec north --type merge -p '${tag}'`);
  for (const site of [east, north]) await serves(site, "old", "7.4");
}

async function spreadObject({ sites, east, west, north }: Scene): Promise<void> {
  for (const site of [east, west, north]) await installTally(sites, site);
  const spec = {
    participatingClusters: [{ name: "east" }, { name: "west" }],
    storeVersion: "7.2",
    moduleList: [{ name: "tally", version: "0.0.1" }],
    globalConfigurations: { memorySize: "120MB" },
  };
  await east.apply(database("carts", spec));
  await serves(west, "carts", "7.2");
  const [head = "", row = ""] = (await west.kubectl("get reaadb carts")).split("\n");
  assert.match(head, /^NAME +STATUS +SPEC STATUS +LINKED REDBS +REPLICATION STATUS +AGE$/);
  proves(
    "§2.1 short names rec, redb and reaadb; Deployment, Role, account and binding are all store-enterprise-operator",
    "the row that `kubectl get reaadb` prints",
  ).match(row, /^carts +active +Valid +\["carts"\] +(up|down) +/);
  const list = `[{"name":"east"},{"name":"west"},{"name":"north"}]`;
  await west.kubectl(`patch reaadb carts --type merge -p '{"spec":{"participatingClusters":${list}}}'`);
  for (const site of [east, west, north]) await serves(site, "carts", "7.2");
  const names = () => east.kubectl("get reaadb carts -o jsonpath='{.spec.participatingClusters[*].name}'");
  await until("the first site knows the third one", async () => (await names()) === "east west north", PATIENCE);
  assert.equal(await north.kubectl("get redb carts -o jsonpath='{.spec.memorySize}'"), "120MB");
  assert.match(await east.kubectl("describe reaadb carts"), /Replicating/);
}

async function numberSites({ east, west, north }: Scene): Promise<void> {
  const sites = [east, west, north];
  for (const [index, site] of sites.entries()) {
    const known = async () => listOf(await management(site, "/v1/bdbs")).find(({ name }) => name === "carts");
    const linked = async () => JSON.stringify((await known())?.["active_active"]);
    const guid = await site.kubectl("get reaadb carts -o jsonpath='{.status.guid}'");
    const wanted = JSON.stringify({ guid, site: index + 1 });
    await until(`${site.name} knows its number`, async () => (await linked()) === wanted, PATIENCE);
    const ids = await site.kubectl("get reaadb carts -o jsonpath='{.status.participatingClusters[*].id}'");
    assert.equal(ids, "1 2 3");
    const remote = async () =>
      listOf(await management(site, "/v1/cluster/remote_sites")).map(({ name, local, serverName, authorities }) => ({
        name,
        local,
        serverName,
        isTrusted: /BEGIN CERTIFICATE/.test(String(authorities)),
      }));
    const others = ["east", "north", "west"].map((name) => ({
      name,
      local: name === site.name ? true : undefined,
      serverName: `${name}.${name}.svc.cluster.local`,
      isTrusted: name !== site.name,
    }));
    await until(`${site.name} knows the others`, async () => isDeepStrictEqual(await remote(), others), PATIENCE);
  }
}

async function spreadVersion({ east, west, north }: Scene): Promise<void> {
  await oneAfterTheOther([east, west, north], "7.4");
  for (const site of [east, west, north]) {
    await serves(site, "carts", "7.4");
    proves(
      "§4.3.9 storeVersion set on one participant of a REAADB reaches the others",
      "spec.storeVersion on each of three sites, set on one; and each database serves it",
    ).equal(await site.kubectl("get reaadb carts -o jsonpath='{.spec.storeVersion}'"), "7.4");
  }
}

async function keepNumbers({ east, west, north }: Scene): Promise<void> {
  for (const site of [east, west, north]) {
    proves(
      "§2.3 moduleList numbers are left as they are when storeVersion changes, and have no effect",
      "the number in spec.moduleList on each site after the upgrade: the one that was written, 0.0.1",
    ).equal(await site.kubectl("get reaadb carts -o jsonpath='{.spec.moduleList[*].version}'"), "0.0.1");
    const bdbs = listOf(await management(site, "/v1/bdbs"));
    const used = bdbs.find(({ name }) => name === "carts")?.["module_list"];
    proves(
      "§2.3 moduleList numbers are left as they are when storeVersion changes, and have no effect",
      "the build that the database has loaded after the upgrade: 7.4.0, whatever the list says",
    ).match(JSON.stringify(used), /"tally".*"7\.4\.0"/);
    proves(
      "§2.5 database records have a module_list of names and versions",
      "module_list of a database with one module",
    ).deepEqual(
      (Array.isArray(used) ? used : []).map((one) => [one.module_name, one.semantic_version]),
      [["tally", "7.4.0"]],
    );
    proves("§4.2 GET /v1/bdbs shows the modules in use", "the databases whose module_list is not empty").deepEqual(
      bdbs.filter(({ module_list: list }) => Array.isArray(list) && list.length > 0).map(({ name }) => name),
      ["carts"],
    );
  }
}

async function editNumbers({ east, west, north }: Scene): Promise<void> {
  const kind = "ValidatingWebhookConfiguration";
  await east.type(`sed 's/OPERATOR_NAMESPACE/east/g' deploy/admission/webhook-template.yaml | kubectl create -f -`);
  const certificate = await east.kubectl("get secret admission-tls -o jsonpath='{.data.cert}'");
  const trust = { name: "storeenterprise.admission.storeenterprise", clientConfig: { caBundle: certificate } };
  await east.kubectl(`patch ${kind} store-enterprise-admission -p '${JSON.stringify({ webhooks: [trust] })}'`);
  const edit = (spec: object) =>
    east.type.run(`kubectl -n east patch reaadb carts --type merge -p '${JSON.stringify({ spec })}'`);
  const moduleList = [{ name: "tally", version: "9.9.9" }];
  const before = await Promise.all([east, west, north].map(changesOfCarts));
  const refused = await edit({ storeVersion: "8.0", moduleList });
  assert.match(refused.stderr, /spec\.moduleList: Forbidden: it is edited together with the version/);
  assert.equal((await edit({ moduleList })).code, 0);
  for (const site of [east, west, north]) {
    const numbers = async () => site.kubectl("get reaadb carts -o jsonpath='{.spec.moduleList[*].version}'");
    await until(`${site.name} has the number`, async () => (await numbers()) === "9.9.9", PATIENCE);
    await until(`${site.name} has acted on it`, () => isActedOn(site, "carts"), PATIENCE);
    await serves(site, "carts", "7.4");
  }
  proves(
    "§2.3 moduleList numbers are left as they are when storeVersion changes, and have no effect",
    "modules, epoch, last action and last change of each database after the number was edited to 9.9.9: as before",
  ).deepEqual(await Promise.all([east, west, north].map(changesOfCarts)), before);
  await east.kubectl(`delete ${kind} store-enterprise-admission`);
}

/** Version and modules of the database, how often its primary moved, its last action and its last change. */
async function changesOfCarts(site: Site): Promise<unknown> {
  const carts = listOf(await management(site, "/v1/bdbs")).find(({ name }) => name === "carts") ?? {};
  return ["version", "module_list", "epoch", "action_uid", "last_changed_time"].map((field) => carts[field]);
}

/** Whether what was done about the objects of the database is done about their specs as they are. */
async function isActedOn(site: Site, name: string): Promise<boolean> {
  const path = "{range .items[*]}{.metadata.generation}={.status.observedGeneration} {end}";
  const each = (await site.kubectl(`get reaadb/${name} redb/${name} -o jsonpath='${path}'`)).trim().split(" ");
  return each.every((one) => new Set(one.split("=")).size === 1);
}

async function passSite({ east, west, north }: Scene): Promise<void> {
  await goPastFirst([east, west, north], "7.4", "8.0");
}

async function refuseCredentials({ east, north }: Scene): Promise<void> {
  const credentials = (stringData: object) =>
    north.kubectl(`patch secret store-enterprise-east --type merge -p '${JSON.stringify({ stringData })}'`);
  const viewer = { username: "sites@example.com", password: "may-look-and-no-more" };
  await credentials(viewer);
  // what is used is read again after a minute, or when the object changes
  await north.kubectl('patch rerc east --type merge -p \'{"spec":{"apiPort":9443}}\'');
  await until(
    "refused credentials are reported",
    async () => (await reachable(north, "east")).startsWith("CredentialsRefused"),
    PATIENCE,
  );
  await east.kubectl(`patch reaadb old --type merge -p '{"spec":{"storeVersion":"8.0"}}'`);
  await serves(east, "old", "8.0");
  assert.match(await north.kubectl("get redb old -o jsonpath='{.status.version}'"), /^7\.4 /);
  const user = { email: viewer.username, password: viewer.password, role: "cluster_viewer" };
  await management(east, "/v1/users", `-H "Content-Type: application/json" -d '${JSON.stringify(user)}'`);
  await serves(north, "old", "8.0");
  await describes(north, "rerc east", /Warning +CredentialsRefused/);
}

/** Waits until an event says so: it may be written behind the status. */
async function describes(site: Site, object: string, claim: RegExp): Promise<void> {
  await until(
    `${object} has ${String(claim)}`,
    async () => claim.test(await site.kubectl(`describe ${object}`)),
    PATIENCE,
  );
}

async function joinVersions({ east, west }: Scene): Promise<void> {
  await west.apply(
    database("twice", { participatingClusters: [{ name: "east" }, { name: "west" }], storeVersion: "7.2" }),
  );
  for (const site of [east, west]) await serves(site, "twice", "7.2");
  await Promise.all([
    east.kubectl(`patch reaadb twice --type merge -p '{"spec":{"storeVersion":"8.2"}}'`),
    west.kubectl(`patch reaadb twice --type merge -p '{"spec":{"storeVersion":"8.0"}}'`),
  ]);
  for (const site of [east, west]) {
    await serves(site, "twice", "8.2");
    assert.equal(await site.kubectl("get reaadb twice -o jsonpath='{.spec.storeVersion}'"), "8.2");
  }
}

async function removeAll({ east, west, north }: Scene): Promise<void> {
  await west.kubectl("delete rerc east --wait=false");
  const removable = `get rerc east -o jsonpath='{.status.conditions[?(@.type=="Removable")].message}'`;
  await until("it says why", async () => /kubectl delete reaadb/.test(await west.kubectl(removable)), PATIENCE);
  for (const name of ["twice", "carts"]) {
    await west.kubectl(`delete reaadb ${name} --timeout=60s`);
    for (const site of [east, west, north]) {
      const left = async () => site.kubectl(`get reaadb,redb ${name} --ignore-not-found -o name`);
      await until(`${name} is gone from ${site.name}`, async () => (await left()) === "", PATIENCE).catch(
        failWith(site),
      );
    }
  }
  await west.kubectl("wait rerc/east --for=delete --timeout=60s");
}
