import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { StoreEnterpriseCluster } from "../../src/core/api/kinds.ts";
import { OPERATOR_NAME, PORTS } from "../../src/core/api/names.ts";
import { jsonLog, silentLog } from "#kit/base/log";
import { ConfigMaps, EndpointSlices, Events, Roles, Services, StatefulSets } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import type { Kube, Stored } from "#kit/kube/kube";
import { ownerReference } from "#kit/kube/ref";
import type { BdbRecord, NodeRecord } from "../../src/ports/management/records.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { reviewPermissions } from "../../src/mechanisms/observe/permissions/permissions.ts";
import { runOperator } from "../../src/programs/operator/run.ts";
import { planCluster } from "../../src/core/planner/cluster/plan.ts";
import { objectApplier } from "#kit/reconcile/object-applier";
import { systemClock } from "#kit/reconcile/system-clock";
import {
  clusterNeeds,
  clusterRules,
  operatorNeeds,
  type Need,
  type PolicyRule,
  operatorRules,
} from "../../src/core/releases/permissions/roles.ts";
import { databaseEndpoints, databaseService } from "../../src/programs/rigger/endpoints.ts";
import { clusterView, NEW } from "../kit/facts/cluster-view.ts";
import { loopbackAddress } from "../kit/engines/engine.ts";
import type { TestServer } from "../api-servers/test-server.ts";
import { defineKinds, lineOf, openNamespace, rulesWithout, writeRole } from "../kit/kubernetes/permission-scene.ts";
import { until } from "#kit/testing/until";

const REC = "rec";

/** Takes each verb in turn from each Role: a finding names it, nothing begins, and the command of the finding restores it. */
export async function permissionSuite(server: TestServer): Promise<void> {
  await defineKinds(server);
  await describe(
    "the operator without one verb says so, begins nothing, and goes on once the command of the finding was run",
    { concurrency: 6 },
    () => {
      for (const need of operatorNeeds().filter(isReported)) test(lineOf(need), () => takeFromOperator(server, need));
    },
  );
  await test("every verb that the operator lacks is found by name", () => findForOperator(server));
  for (const who of ["node", "rigger"] as const)
    await test(`every verb that a ${who} lacks is found by name`, () => findForCluster(server, who));
  await test("the rigger may make what belongs to a database, and hand it on to a record", () => makeAsRigger(server));
  await test("the operator gives nodes and rigger back the rules that were taken from them", () => giveBack(server));
}

async function takeFromOperator(server: TestServer, need: Need): Promise<void> {
  await using scene = await startOperator(server, rulesWithout(operatorRules("kubernetes"), need));
  await server.kube.create(Clusters, { metadata: { name: REC, namespace: scene.namespace }, spec: {} });
  const said = isUntold(need) ? await scene.saidByProbe() : await scene.saidByCluster();
  assert.match(said.evidence, new RegExp(`may not ${escaped(lineOf(need).replace("operator ", ""))} in namespace`));
  assert.ok(said.evidence.includes(`namespace ${scene.namespace} (Role ${OPERATOR_NAME})`), said.evidence);
  assert.equal(await scene.nodes(), undefined, "the nodes were made all the same");
  const command = /^kubectl (patch role .* --type json -p )'(.*)'$/.exec(said.remedy);
  assert.ok(command, `no command in ${said.remedy}`);
  await server.kubectl(command[1] ?? "", command[2] ?? "");
  await until("the nodes are made", async () => (await scene.nodes()) !== undefined, PATIENCE);
  await until("the finding is gone", async () => (await scene.findings()).length === 0, PATIENCE);
}

async function findForOperator(server: TestServer): Promise<void> {
  const namespace = newNamespace();
  await using operator = closing(
    await openNamespace(server, namespace, { [OPERATOR_NAME]: operatorRules("kubernetes") }),
  );
  const permissions = reviewPermissions(operator.kube, { namespace, clock: systemClock, log: silentLog });
  const lacking = async () => {
    const answer = await permissions.operator(0);
    assert.ok(answer.read);
    return answer.value;
  };
  for (const need of operatorNeeds()) {
    await writeRole(server, namespace, OPERATOR_NAME, rulesWithout(operatorRules("kubernetes"), need));
    await until(lineOf(need), async () => (await lacking()).map(lineOf).join() === lineOf(need), PATIENCE);
    const environment = { permissions: { read: true, value: await lacking() } } as const;
    const { findings, ownsObjects } = planCluster(clusterView(), "", environment);
    if (need.spare === true) {
      assert.deepEqual([findings, ownsObjects], [[], true], "an operator with the Role of an older release goes on");
      continue;
    }
    assert.deepEqual([findings[0]?.id, findings[0]?.severity, ownsObjects], ["PermissionsMissing", "block", false]);
    assert.ok(findings[0]?.evidence.includes(`${need.verb} ${need.resource}`), findings[0]?.evidence);
  }
}

async function findForCluster(server: TestServer, who: "node" | "rigger"): Promise<void> {
  const namespace = newNamespace();
  const scope = { name: REC, nodes: 3, secrets: ["rec-db-1", "rec-user-1"] };
  const roles = { node: REC, rigger: `${REC}-services-rigger` };
  await using operator = closing(
    await openNamespace(server, namespace, {
      [OPERATOR_NAME]: operatorRules("kubernetes"),
      [roles.node]: clusterRules("node", scope),
      [roles.rigger]: clusterRules("rigger", scope),
    }),
  );
  const permissions = reviewPermissions(operator.kube, { namespace, clock: systemClock, log: silentLog });
  const lacking = async () => {
    const answer = await permissions.cluster({ ...scope, account: REC }, 0);
    assert.ok(answer.read);
    return answer.value;
  };
  for (const need of clusterNeeds(who, scope)) {
    await writeRole(server, namespace, roles[who], rulesWithout(clusterRules(who, scope), need));
    await until(lineOf(need), async () => (await lacking()).map(lineOf).join() === lineOf(need), PATIENCE);
    const environment = { permissions: { read: true, value: await lacking() } } as const;
    const { findings, step } = planCluster(clusterView(), "", environment);
    assert.deepEqual([findings[0]?.id, step.kind], ["PermissionsMissing", "wait"]);
    assert.ok(findings[0]?.evidence.includes(`${need.verb} ${need.resource}`), findings[0]?.evidence);
  }
}

async function makeAsRigger(server: TestServer): Promise<void> {
  const namespace = newNamespace();
  const account = `${REC}-services-rigger`;
  const rules = { [account]: clusterRules("rigger", { name: REC, nodes: 3 }) };
  await using rigger = closing(await openNamespace(server, namespace, rules));
  const record = await server.kube.create(ConfigMaps, { metadata: { name: "rec-db-1", namespace } });
  const place = { cluster: REC, namespace, owner: ownerReference(record) };
  const bdb = { uid: 1, name: "orders", port: 10_000 } as BdbRecord;
  const node = { uid: 1, addr: "10.0.0.1" } as NodeRecord;
  const stop = new AbortController();
  const following = { namespace, clock: systemClock, log: silentLog, signal: stop.signal };
  const applier = objectApplier(rigger.kube, account, [
    { type: Services, cache: startInformer(rigger.kube, Services, following) },
    { type: EndpointSlices, cache: startInformer(rigger.kube, EndpointSlices, following) },
  ]);
  const objects = [
    { type: Services, object: databaseService(bdb, place) },
    { type: EndpointSlices, object: databaseEndpoints(bdb, [node], place) },
  ];
  await applier.keep(objects);
  await applier.keep(objects, true);
  const [service] = (await server.kube.list(Services, { namespace })).items;
  assert.deepEqual(service?.metadata.ownerReferences?.[0]?.uid, record.metadata.uid);
  stop.abort();
}

async function giveBack(server: TestServer): Promise<void> {
  await using scene = await startOperator(server, operatorRules("kubernetes"));
  const { namespace } = scene;
  await server.kube.create(Clusters, { metadata: { name: REC, namespace }, spec: {} });
  await until("the nodes are made", async () => (await scene.nodes()) !== undefined, PATIENCE);
  const rules = async (): Promise<unknown> => (await server.kube.get(Roles, { name: REC, namespace }))?.rules;
  const granted = await rules();
  await writeRole(server, namespace, REC, []);
  await until("the rules are back", async () => isDeepStrictEqual(await rules(), granted), PATIENCE);
  await until("no finding is left", async () => (await scene.findings()).length === 0, PATIENCE);
}

const PATIENCE = { withinMs: 60_000, everyMs: 50 };

interface Said {
  readonly evidence: string;
  readonly remedy: string;
}

interface OperatorScene extends AsyncDisposable {
  readonly namespace: string;
  nodes(): Promise<Stored<object> | undefined>;
  findings(): Promise<readonly Said[]>;
  /** What status, condition and event of the cluster say alike. */
  saidByCluster(): Promise<Said>;
  /** What readiness probe, metrics and log say alike. */
  saidByProbe(): Promise<Said>;
}

/** A real operator under an account with these rules alone. */
async function startOperator(server: TestServer, rules: readonly PolicyRule[]): Promise<OperatorScene> {
  const namespace = newNamespace();
  const kube = await openNamespace(server, namespace, { [OPERATOR_NAME]: rules });
  const lines: string[] = [];
  const log = jsonLog(
    (line) => {
      lines.push(line);
    },
    () => new Date(),
  );
  const stop = new AbortController();
  const address = loopbackAddress();
  const config = { namespace, identity: "test", address, release: NEW };
  const ended = runOperator({ kube, clock: systemClock, log, config }, stop.signal);
  const cluster = async (): Promise<Stored<StoreEnterpriseCluster> | undefined> =>
    server.kube.get(Clusters, { name: REC, namespace });
  const findings = async (): Promise<readonly Said[]> =>
    ((await cluster())?.status?.findings ?? []).filter(({ id }) => id === "PermissionsMissing");
  const eventually = async (what: string, claim: () => Promise<boolean>): Promise<void> => {
    await until(what, claim, PATIENCE).catch(async (error: unknown) => {
      throw new Error(`${String(error)}; ${JSON.stringify((await cluster())?.status)}; ${lines.slice(-12).join("")}`);
    });
  };
  return {
    namespace,
    findings,
    nodes: () => server.kube.get(StatefulSets, { name: REC, namespace }),
    async saidByCluster() {
      let said: Said | undefined;
      await eventually("the cluster says what is missing", async () => {
        [said] = await findings();
        return said !== undefined && (await hasWarning(server.kube, namespace));
      });
      assert.ok(said);
      return said;
    },
    async saidByProbe() {
      const probe = async (path: string): Promise<string> => {
        const answer = await fetch(`http://${address}:${PORTS.metrics}/${path}`).catch(() => undefined);
        return answer === undefined ? "" : `${answer.status} ${await answer.text()}`;
      };
      await eventually("the probe says what is missing", async () => /^503 .*may not/.test(await probe("readiness")));
      assert.match(await probe("metrics"), /store_operator_missing_permissions [1-9]/);
      const reported = lines.map((line): Partial<Said> & { msg?: string } => JSON.parse(line));
      const said = reported.find(({ msg }) => msg === "permissions are missing");
      return { evidence: said?.evidence ?? "", remedy: said?.remedy ?? "" };
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test ends it"));
      await ended;
      await kube.close();
    },
  };
}

async function hasWarning(kube: Kube, namespace: string): Promise<boolean> {
  const { items } = await kube.list(Events, { namespace });
  return items.some(({ reason, type }) => reason === "PermissionsMissing" && type === "Warning");
}

/** One of each resource, and all that only the probe can tell of: an operator is started for each. */
function isReported(need: Need, index: number, needs: readonly Need[]): boolean {
  const isFirst =
    needs.findIndex(({ group, resource }) => group === need.group && resource === need.resource) === index;
  return need.spare !== true && (isFirst || isUntold(need));
}

/** Without these the cluster's own status or events cannot tell. */
function isUntold({ resource, verb }: Need): boolean {
  switch (resource) {
    case "storeenterpriseclusters":
      return verb !== "patch";
    case "storeenterpriseclusters/status":
      return true;
    case "events":
      return verb === "create";
    case "leases":
      return ["get", "create", "update"].includes(verb);
    default:
      return false;
  }
}

function closing(kube: Kube & { close(): Promise<void> }): AsyncDisposable & { readonly kube: Kube } {
  return { kube, [Symbol.asyncDispose]: () => kube.close() };
}

function newNamespace(): string {
  return `p-${randomBytes(4).toString("hex")}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
