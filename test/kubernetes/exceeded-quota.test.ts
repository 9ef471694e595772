import assert from "node:assert/strict";
import { test } from "node:test";
import { admitByQuota, type Quota } from "../../src/core/planner/prerequisites/exceeded-quota.ts";
import { Events, Namespaces, Pods, ResourceQuotas, Secrets, StatefulSets } from "#kit/kube/builtin";
import { messageOf } from "#kit/base/fault";
import { until } from "#kit/testing/until";
import { onRealServer, type TestServer } from "../api-servers/test-server.ts";

const namespace = "quota";
const PATIENCE = { withinMs: 60_000, everyMs: 100 };
const resources = { requests: { cpu: "150m", memory: "64Mi" } };
const spec = { containers: [{ name: "one", image: "none", resources }] };
const labels = { app: "store" };

await onRealServer(async (server) => {
  await server.kube.create(Namespaces, { metadata: { name: namespace } });
  await test("a Secret that a quota of a real server refuses is admitted once its line is typed", () =>
    admitSecret(server));
  await test("so is a pod of which a quota wants to know more", () => admitUnsaid(server));
  await test("so are the pods of a StatefulSet, by the words of its controller", () => admitPods(server));
});

async function admitUnsaid({ kube, kubectl }: TestServer): Promise<void> {
  await makeQuota({ kubectl }, "limits", "limits.cpu=9,limits.memory=9Gi,pods=9");
  const one = { ...spec, containers: spec.containers.map((container) => ({ ...container, resources: {} })) };
  const make = () => kube.create(Pods, { metadata: { name: "unsaid", namespace }, spec: one });
  const refusal = await make().then(() => "", messageOf);
  assert.match(refusal, /failed quota: limits: must specify limits\.cpu for: one; limits\.memory for: one/);
  assert.notEqual(admitByQuota(refusal, { quotas: await quotas(kube) }), undefined);
  await type({ kubectl }, refusal);
  assert.equal(admitByQuota(refusal, { quotas: await quotas(kube) }), undefined, "what was typed is printed no more");
  await until("it is admitted", () => make().then(Boolean, () => false), PATIENCE);
  await kubectl(`delete quota limits -n ${namespace}`);
  await kubectl(`delete pod unsaid -n ${namespace} --force --grace-period=0`);
}

async function quotas(kube: TestServer["kube"]): Promise<readonly Quota[]> {
  const { items } = await kube.list(ResourceQuotas, { namespace });
  return items.map(({ metadata: { name }, spec: asked, status }) => ({
    name,
    hard: asked?.hard ?? {},
    used: status?.used ?? {},
  }));
}

async function admitSecret({ kube, kubectl }: TestServer): Promise<void> {
  await makeQuota({ kubectl }, "objects", "secrets=0");
  const make = () => kube.create(Secrets, { metadata: { name: "one", namespace }, stringData: { a: "b" } });
  const refusal = await make().then(() => "", messageOf);
  await type({ kubectl }, refusal);
  await until("it is admitted", () => make().then(Boolean, () => false), PATIENCE);
}

async function admitPods({ kube, kubectl }: TestServer): Promise<void> {
  await makeQuota({ kubectl }, "compute", "requests.cpu=200m,requests.memory=100Mi,pods=5");
  const template = { metadata: { labels }, spec };
  const set = { replicas: 2, serviceName: "store", selector: { matchLabels: labels }, template };
  await kube.create(StatefulSets, {
    metadata: { name: "store", namespace },
    spec: { ...set, podManagementPolicy: "Parallel" },
  });
  const refusal = async (): Promise<string> => {
    const { items } = await kube.list(Events, { namespace, fieldSelector: "reason=FailedCreate" });
    return items.map(({ message = "" }) => message).find((message) => message.includes("exceeded quota")) ?? "";
  };
  await until("a pod is refused", async () => (await refusal()) !== "", PATIENCE);
  const message = await refusal();
  const refusing = (await quotas(kube)).find(({ name }) => name === "compute");
  await type({ kubectl }, message);
  // the controller has perhaps made the second pod by now: what was refused is judged by what was in use then
  const typed = (await quotas(kube)).map((quota) => ({ ...quota, used: refusing?.used ?? {} }));
  assert.equal(admitByQuota(message, { quotas: typed }), undefined, "what was typed is printed no more");
  const { length } = (await kube.list(Pods, { namespace })).items;
  assert.ok(length <= 2);
  await until("both are there", async () => (await kube.list(Pods, { namespace })).items.length === 2, {
    ...PATIENCE,
    withinMs: 120_000,
  });
}

/** A quota counts once its controller has seen it. */
async function makeQuota({ kubectl }: Pick<TestServer, "kubectl">, name: string, hard: string): Promise<void> {
  await kubectl(`create quota ${name} -n ${namespace} --hard=${hard}`);
  await until(
    "the quota counts",
    async () => (await kubectl(`get quota ${name} -n ${namespace} -o jsonpath={.status.used}`)) !== "",
    PATIENCE,
  );
}

async function type({ kubectl }: Pick<TestServer, "kubectl">, refusal: string): Promise<void> {
  const remedy = admitByQuota(refusal) ?? `none for: ${refusal}`;
  const [, line = "", body = ""] = /: kubectl (patch resourcequota \S+ --type merge -p) '(.*)'$/.exec(remedy) ?? [];
  assert.notEqual(line, "", remedy);
  await kubectl(`${line} ${body} -n ${namespace}`);
}
