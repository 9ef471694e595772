import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { OPERATOR_CONFIG, OPERATOR_NAME } from "../../src/core/api/names.ts";
import { silentLog } from "../../src/core/base/log.ts";
import { Events, StatefulSets, ValidatingWebhookConfigurations } from "../../src/ports/kube/builtin.ts";
import type { Stored } from "../../src/ports/kube/kube.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { followWatchedNamespaces } from "../../src/mechanisms/observe/kubernetes/watched-namespaces.ts";
import { runOperator } from "../../src/programs/operator/run.ts";
import { systemClock } from "../../src/mechanisms/reconcile/system-clock.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { NAMESPACE_NAME } from "../../src/core/releases/bundle/admission.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";
import { loopbackAddress } from "../kit/engines/engine.ts";
import { until } from "../kit/time/until.ts";
import type { Judge } from "../api-servers/judge.ts";
import type { StoreEnterpriseCluster } from "../../src/core/api/kinds.ts";

const OWN = "default";
const PATIENCE = { withinMs: 60_000, everyMs: 50 };
const CLUSTER = "apply -f deploy/samples/cluster.yaml -n";

/** Registers one test. */
export type Step = (when: string, body: () => Promise<void>) => void;

/** The operator of one namespace looks after others: added, left alone and taken back while it runs. */
export function watchedSuite(judge: () => Judge, step: Step): void {
  let operator: AsyncDisposable | undefined;

  test("the operator comes by its bundle", async () => {
    const { kubectl } = judge();
    await kubectl("apply -f deploy/bundle.yaml");
    await kubectl("wait --for=condition=Established crd --all --timeout=20s");
    const access = readFileSync("deploy/admission/cluster-role.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", OWN);
    await kubectl.given(access, "apply -f -");
    for (const name of ["team-a", "team-b", "team-c", "labelled"]) await kubectl(`create namespace ${name}`);
    operator = await startOperator(judge());
  });
  after(() => operator?.[Symbol.asyncDispose]());

  step("a granted namespace is looked after", async () => {
    await grant("team-a");
    await watch({ REDB_NAMESPACES: "team-a" });
    await judge().kubectl(`${CLUSTER} team-a`);
    await untilNodes("team-a");
  });

  step("one without its Role is named with the command that gives it, and the others go on", async () => {
    await watch({ REDB_NAMESPACES: "team-a,team-b" });
    await judge().kubectl(`${CLUSTER} team-b`);
    const told = await untilCondition("team-a", "False", "NamespaceNotGranted");
    assert.match(told, /may not look after namespace team-b: its Role or RoleBinding store-enterprise-operator/);
    await until("the ConfigMap tells it", async () => (await eventsOf("NamespaceNotGranted")).length > 0, PATIENCE);
    await judge().kubectl("patch rec rec -n team-a --type merge -p", '{"spec":{"extraLabels":{"seen":"yes"}}}');
    await until("team-a is looked after all the same", async () => isSeen(await recOf("team-a")), PATIENCE);
    assert.equal(await nodesOf("team-b"), undefined);

    const command = /remedy: sed '(.*); (.*)' (\S+) \| kubectl (apply -f -)/.exec(told);
    assert.ok(command, told);
    await judge().kubectl.given(sed(readFileSync(command[3] ?? "", "utf8"), command.slice(1, 3)), "apply -f -");
    await untilNodes("team-b");
    await untilCondition("team-a", "True", "AllWatched");
  });

  step("a single missing verb is named in the namespace where it is missing", async () => {
    const rules = { rules: [] };
    await judge().kubectl("patch role store-enterprise-operator -n team-b --type merge -p", JSON.stringify(rules));
    await untilCondition("team-a", "False", "NamespaceNotGranted");
    await grant("team-b");
    await untilCondition("team-a", "True", "AllWatched");
    const path = "/rules/0/verbs";
    const operations = [{ op: "replace", path, value: ["get", "list", "watch"] }];
    await judge().kubectl("patch role store-enterprise-operator -n team-b --type json -p", JSON.stringify(operations));
    const told = await untilCondition("team-b", "False", "PermissionsMissing");
    assert.match(told, /may not patch storeenterpriseclusters\S+ in namespace team-b/);
    await grant("team-b");
    await untilCondition("team-b", "True", "AllWatched");
  });

  step("the webhook judges there too", async () => {
    const judged = async (): Promise<unknown> => {
      const found = await judge().kube.get(ValidatingWebhookConfigurations, { name: "store-enterprise-admission" });
      return found?.webhooks?.[0]?.namespaceSelector?.matchExpressions?.[0];
    };
    const template = readFileSync("deploy/admission/webhook-template.yaml", "utf8").replaceAll(
      "OPERATOR_NAMESPACE",
      OWN,
    );
    await judge().kubectl.given(openly(template), "create -f -");
    await endpoint();
    const wanted = { key: NAMESPACE_NAME, operator: "In", values: [OWN, "team-a", "team-b"] };
    await until("it is told", async () => JSON.stringify(await judged()) === JSON.stringify(wanted), PATIENCE);
    await judge().kubectl("delete clusterrolebinding store-enterprise-operator-admission");
    await judge().kubectl("delete endpointslice admission-test");
    await judge().kubectl("delete ValidatingWebhookConfiguration store-enterprise-admission");
  });

  step("a namespace that is taken from the list is left as it is, and taken up again", async () => {
    await watch({ REDB_NAMESPACES: "team-b" });
    await untilCondition("team-b", "True", "AllWatched", /after team-b too/);
    let round = 0;
    const isLeft = async (): Promise<boolean> => {
      round += 1;
      const body = JSON.stringify({ spec: { extraLabels: { round: `n${round}` } } });
      for (const name of ["team-a", "team-b"]) await judge().kubectl(`patch rec rec -n ${name} --type merge -p`, body);
      await until("team-b is looked after", async () => isSeen(await recOf("team-b")), PATIENCE);
      return !isSeen(await recOf("team-a"));
    };
    await until("team-a is left as it is", isLeft, PATIENCE);
    assert.ok(await nodesOf("team-a"), "its nodes are gone");
    await watch({ REDB_NAMESPACES: "team-b,team-a" });
    await until("team-a is looked after again", async () => isSeen(await recOf("team-a")), PATIENCE);
  });

  step("namespaces are found by their label", async () => {
    await grant("labelled");
    await judge().kubectl(`${CLUSTER} labelled`);
    await watch({ REDB_NAMESPACES: "team-a", REDB_NAMESPACES_LABEL: "store" });
    await untilCondition("team-a", "False", "NamespacesNotListed");
    const access = readFileSync("deploy/watched-by-label.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", OWN);
    await judge().kubectl.given(access, "apply -f -");
    await judge().kubectl("label namespace labelled store=yes");
    await untilNodes("labelled");
    await judge().kubectl("label namespace labelled store-");
    await untilCondition("team-a", "True", "AllWatched", /after team-a too/);
  });

  step("clusters there are let go when one deletes them", async () => {
    await watch({ REDB_NAMESPACES: "team-a,team-b,labelled" });
    for (const name of ["team-a", "team-b", "labelled"])
      await judge().kubectl(`delete rec rec -n ${name} --timeout=30s`);
  });

  const grant = (namespace: string): Promise<string> => {
    const text = readFileSync("deploy/watched-namespace.yaml", "utf8");
    return judge().kubectl.given(
      text.replaceAll("OPERATOR_NAMESPACE", OWN).replaceAll("WATCHED_NAMESPACE", namespace),
      "apply -f -",
    );
  };
  const watch = (data: Readonly<Record<string, string>>): Promise<string> => {
    const metadata = { name: OPERATOR_CONFIG, namespace: OWN };
    return judge().kubectl.given(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data }), "apply -f -");
  };
  const recOf = (namespace: string): Promise<Stored<StoreEnterpriseCluster> | undefined> =>
    judge().kube.get(Clusters, { name: "rec", namespace });
  const nodesOf = (namespace: string): Promise<unknown> => judge().kube.get(StatefulSets, { name: "rec", namespace });
  const untilNodes = (namespace: string): Promise<void> =>
    until(`nodes are made in ${namespace}`, async () => (await nodesOf(namespace)) !== undefined, PATIENCE);
  const eventsOf = async (reason: string): Promise<readonly unknown[]> => {
    const { items } = await judge().kube.list(Events, { namespace: OWN });
    return items.filter((event) => event.reason === reason && event.involvedObject.name === OPERATOR_CONFIG);
  };

  /** The message of the condition NamespacesWatched of the cluster in `namespace`. */
  async function untilCondition(namespace: string, status: string, reason: string, text = /./): Promise<string> {
    let message = "";
    await until(
      `${namespace} says ${reason}`,
      async () => {
        const conditions = (await recOf(namespace))?.status?.conditions ?? [];
        const all = conditions.filter(({ type }) => type === "NamespacesWatched");
        message = all[0]?.message ?? "";
        return all[0]?.status === status && text.test(message) && all[0].reason === reason;
      },
      PATIENCE,
    );
    return message;
  }

  async function endpoint(): Promise<void> {
    const metadata = {
      name: "admission-test",
      namespace: OWN,
      labels: { "kubernetes.io/service-name": "admission" },
    };
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata,
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
      ports: [{ name: "admission", port: 8443, protocol: "TCP" }],
    };
    await judge().kubectl.given(JSON.stringify(slice), "apply -f -");
  }
}

/** The pass over the spec as it is now has been made. */
function isSeen(rec: Stored<StoreEnterpriseCluster> | undefined): boolean {
  return rec?.status?.observedGeneration === rec?.metadata.generation;
}

/** Nobody answers here: what is written goes through all the same. */
function openly(template: string): string {
  return template.replace("failurePolicy: Fail", "failurePolicy: Ignore");
}

function sed(text: string, commands: readonly string[]): string {
  return commands.reduce((result, command) => {
    const [, from = "", to = ""] = command.split("/");
    return result.replaceAll(from, to);
  }, text);
}

async function startOperator(judge: Judge): Promise<AsyncDisposable> {
  const kube = await connectAs(judge, OWN, OPERATOR_NAME);
  const stop = new AbortController();
  const following = { clock: systemClock, log: silentLog, signal: stop.signal };
  const watched = followWatchedNamespaces(kube, { own: OWN, ...following });
  const config = { namespace: OWN, identity: "test", address: loopbackAddress(), release: latestRelease() };
  const ended = runOperator({ kube, clock: systemClock, log: silentLog, config, watched, healthPort: 0 }, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the test ends it"));
      await ended;
      await kube.close();
    },
  };
}
