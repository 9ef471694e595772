import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Pods, PersistentVolumeClaims, Services } from "#kit/kube/builtin";
import { conditionOf, createPod, HTTP_SERVER, podWhen, scriptContainer } from "../kit/kubernetes/pods.ts";
import { testWorld } from "../kit/world/test-world.ts";
import type { TestWorld } from "../kit/world/test-world.ts";
import { until } from "#kit/testing/until";

const kubectlIsThere = await promisify(execFile)("kubectl", ["version", "--client"]).then(
  () => true,
  () => false, // not on PATH
);

test(
  "kubectl applies a Deployment with a Service: it rolls out, answers on the cluster IP, and its logs can be followed",
  { skip: !kubectlIsThere && "no kubectl on PATH" },
  async () => {
    await using local = await testWorld();
    const file = join(local.dir, "shop.yaml");
    await writeFile(
      file,
      shop()
        .map((object) => JSON.stringify(object))
        .join("\n---\n"),
    );
    assert.match(await kubectl(local, "apply", "-f", file), /deployment.apps\/shop created/);
    assert.match(
      await kubectl(local, "rollout", "status", "deployment/shop", "--timeout=90s"),
      /successfully rolled out/,
    );
    const { kube } = local.world();
    const ip = (await kube.get(Services, { name: "shop", namespace: "default" }))?.spec?.clusterIP ?? "";
    assert.ok(ip.startsWith(local.world().subnet));
    const names = new Set<string>();
    await until("both pods answer", async () => {
      const answer = await fetch(`http://${ip}:80/hello`, { headers: { connection: "close" } }).catch(() => undefined);
      names.add((await answer?.text()) ?? "");
      return names.has("") ? !names.delete("") : names.size === 2;
    });
    const follower = spawn("kubectl", ["logs", "-f", "--prefix", "-l", "app=shop"], { env: environment(local) });
    let seen = "";
    follower.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    await until("the past is shown", () => seen.includes("GET /hello"));
    await fetch(`http://${ip}:80/later`, { headers: { connection: "close" } });
    await until("the present is shown", () => seen.includes("GET /later"));
    follower.kill();
    await once(follower, "exit");
    assert.match(await kubectl(local, "logs", "deployment/shop", "--tail=1", "--timestamps"), /^20\d\d-.*\n$/m);
    await kubectl(local, "delete", "-f", file, "--timeout=90s");
  },
);

test("what a pod writes to its claim is there for the next pod, and after a restart of the world", async () => {
  await using local = await testWorld();
  const { kube } = local.world();
  await kube.create(PersistentVolumeClaims, {
    metadata: { name: "data", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const script = `
    const { appendFileSync, readFileSync } = require("node:fs");
    const file = process.env.CONTAINER_ROOT + "/data/names";
    appendFileSync(file, process.env.POD_NAME + " ");
    console.log(readFileSync(file, "utf8"));
    setInterval(() => {}, 1000);`;
  const container = scriptContainer(script, { volumeMounts: [{ name: "data", mountPath: "/data" }] });
  const spec = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
  await createPod(kube, "first", container, spec);
  await until("the first line", async () => (await logs(local, "first")) === "first \n");
  await kube.delete(Pods, { name: "first", namespace: "default" });
  await podWhen(kube, "first", "gone", (pod) => pod === undefined);
  await createPod(kube, "second", container, spec);
  await until("the second line", async () => (await logs(local, "second")) === "first second \n");
  await local.restart();
  await until("the third line", async () => (await logs(local, "second")) === "first second second \n");
});

test("a pod that ran when the world stopped runs again with the same address, one restart later", async () => {
  await using local = await testWorld();
  await createPod(
    local.world().kube,
    "steady",
    scriptContainer(HTTP_SERVER, { readinessProbe: { httpGet: { port: 8080 } } }),
  );
  const before = await podWhen(local.world().kube, "steady", "Ready", (pod) => conditionOf(pod, "Ready") === "True");
  await local.restart();
  const after = await podWhen(
    local.world().kube,
    "steady",
    "restarted",
    (pod) => pod?.status?.containerStatuses?.[0]?.restartCount === 1,
  );
  assert.equal(after?.status?.podIP, before?.status?.podIP);
  assert.equal(after?.metadata.uid, before?.metadata.uid);
  await podWhen(local.world().kube, "steady", "Ready", (pod) => conditionOf(pod, "Ready") === "True");
  const answer = await fetch(`http://${after?.status?.podIP ?? ""}:8080/`);
  assert.equal(await answer.text(), "steady\n");
});

async function logs(local: TestWorld, name: string): Promise<string> {
  return local
    .world()
    .kube.raw("GET", `/api/v1/namespaces/default/pods/${name}/log`)
    .catch(() => "");
}

function environment(local: TestWorld): NodeJS.ProcessEnv {
  return { ...process.env, KUBECONFIG: local.world().kubeconfig, HOME: local.dir };
}

async function kubectl(local: TestWorld, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("kubectl", [...args], { env: environment(local), timeout: 120_000 });
  return stdout;
}

function shop(): object[] {
  const labels = { app: "shop" };
  const container = scriptContainer(HTTP_SERVER, {
    ports: [{ name: "http", containerPort: 8080 }],
    readinessProbe: { httpGet: { port: "http" } },
  });
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop", namespace: "default" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "shop", namespace: "default" },
      spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] },
    },
  ];
}
