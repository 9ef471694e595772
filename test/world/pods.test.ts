import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Event } from "kubernetes-types/core/v1.js";
import { ConfigMaps, Events, Nodes, Pods, Secrets } from "#kit/kube/builtin";
import type { Stored } from "#kit/kube/kube";
import {
  conditionOf,
  createPod,
  HTTP_SERVER,
  podWhen,
  scriptContainer,
  waitingReason,
} from "../kit/kubernetes/pods.ts";
import { testWorld } from "../kit/world/test-world.ts";
import { until } from "#kit/testing/until";
import { assertWithin } from "#kit/testing/assert-within";

/** What holds, and the test of it; those of one group run side by side. */
type Rules = Readonly<Record<string, () => Promise<void>>>;

const READY = { httpGet: { port: 8080, path: "/ready" }, periodSeconds: 1 };

const starting: Rules = {
  "runs as a process with its own address, becomes Ready, and its node is Ready": async () => {
    await createPod(kube, "web", scriptContainer(HTTP_SERVER, { readinessProbe: READY }));
    const pod = await podWhen(kube, "web", "Ready", (seen) => conditionOf(seen, "Ready") === "True");
    const ip = pod?.status?.podIP ?? "";
    assert.ok(ip.startsWith(local.world().subnet));
    assert.equal(await (await fetch(`http://${ip}:8080/`)).text(), "web\n");
    assert.equal(pod?.status?.phase, "Running");
    assert.equal(pod?.status?.qosClass, "BestEffort");
    const node = await kube.get(Nodes, { name: pod?.spec?.nodeName ?? "" });
    assert.equal(node?.status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
    for (const reason of ["Started", "Scheduled"])
      await until(`its event ${reason}`, async () => (await reasonsFor("web")).includes(reason));
  },

  "that selects a label which the node lacks waits, says why, and runs once the node has it": async () => {
    await createPod(kube, "choosy", scriptContainer(HTTP_SERVER), { nodeSelector: { disk: "fast" } });
    await podWhen(kube, "choosy", "unschedulable", (seen) => conditionOf(seen, "PodScheduled") === "False");
    const waiting = (await pod("choosy"))?.status?.conditions?.find(({ type }) => type === "PodScheduled");
    assert.match(`${waiting?.reason} ${waiting?.message}`, /^Unschedulable 0\/1 nodes are available: .*selector/);
    await until("its event", async () => (await reasonsFor("choosy")).includes("FailedScheduling"));
    const [node] = (await kube.list(Nodes, {})).items;
    const body = { metadata: { labels: { disk: "fast" } } };
    await kube.patch(Nodes, { name: node?.metadata.name ?? "" }, { type: "merge", body });
    await podWhen(kube, "choosy", "running", (seen) => seen?.status?.phase === "Running");
  },

  "with a readiness gate is Ready only when its containers are and the gate is True": async () => {
    const gate = "example.com/in-service";
    await createPod(kube, "gated", scriptContainer(HTTP_SERVER, { readinessProbe: READY }), {
      readinessGates: [{ conditionType: gate }],
    });
    await podWhen(kube, "gated", "containers ready", (pod) => conditionOf(pod, "ContainersReady") === "True");
    assert.equal(conditionOf(await pod("gated"), "Ready"), "False");
    await setCondition("gated", gate, "True");
    await podWhen(kube, "gated", "Ready", (seen) => conditionOf(seen, "Ready") === "True");
    await setCondition("gated", gate, "False");
    await podWhen(kube, "gated", "not Ready", (seen) => conditionOf(seen, "Ready") === "False");
    assert.equal(conditionOf(await pod("gated"), gate), "False", "only its writer changes the gate");
  },

  "shows its container the limit of its memory": async () => {
    const show = `console.log(require("node:fs").readFileSync(process.env.CONTAINER_ROOT + "/sys/fs/cgroup/memory.max", "utf8")); setInterval(() => {}, 1000)`;
    await createPod(kube, "limited", scriptContainer(show, { resources: { limits: { memory: "2Gi" } } }));
    await until("its log", async () => (await logs("limited")) !== "");
    assert.equal(await logs("limited"), "2147483648\n\n");
  },

  "runs its init containers first, one after the other": async () => {
    const step = (name: string, script: string): ReturnType<typeof scriptContainer> =>
      scriptContainer(script, { name, volumeMounts: [{ name: "shared", mountPath: "/shared" }] });
    const append = (text: string): string =>
      `require("node:fs").appendFileSync(process.env.CONTAINER_ROOT + "/shared/steps", "${text} ")`;
    const main = step(
      "main",
      `console.log(require("node:fs").readFileSync(process.env.CONTAINER_ROOT + "/shared/steps", "utf8")); setInterval(() => {}, 1000)`,
    );
    await createPod(kube, "staged", main, {
      initContainers: [step("one", append("one")), step("two", append("two"))],
      volumes: [{ name: "shared", emptyDir: {} }],
    });
    await podWhen(kube, "staged", "Ready", (seen) => conditionOf(seen, "Ready") === "True");
    await until("its log", async () => (await logs("staged", "container=main")) !== "");
    assert.equal(await logs("staged", "container=main"), "one two \n");
  },
};

const failing: Rules = {
  "that keeps crashing waits longer and longer, and shows how it ended": async () => {
    await createPod(kube, "crash", scriptContainer("console.log('going down'); process.exit(3)"));
    const seen = await podWhen(kube, "crash", "backs off", (now) => {
      const status = now?.status?.containerStatuses?.[0];
      return waitingReason(now) === "CrashLoopBackOff" && (status?.restartCount ?? 0) >= 2;
    });
    const last = seen?.status?.containerStatuses?.[0]?.lastState?.terminated;
    assert.equal(last?.exitCode, 3);
    assert.equal(last?.reason, "Error");
    assert.equal(await logs("crash", "previous=true"), "going down\n");
  },

  "with an image that does not exist says so, and runs once the image is corrected": async () => {
    await createPod(kube, "bad", scriptContainer(HTTP_SERVER, { image: "busybox" }));
    await podWhen(kube, "bad", "backs off", (seen) => waitingReason(seen) === "ImagePullBackOff");
    await until("an event says why", async () =>
      (await eventsOf("bad")).some(({ message = "" }) => message.includes("busybox")),
    );
    await assert.rejects(
      kube.raw("GET", "/api/v1/namespaces/default/pods/bad/log"),
      /container "main" in pod "bad" is waiting to start: \w*ImagePull/,
    );
    const operations = [{ op: "replace", path: "/spec/containers/0/image", value: "node:1" }];
    await kube.patch(Pods, { name: "bad", namespace: "default" }, { type: "json", operations });
    await podWhen(kube, "bad", "runs", (seen) => seen?.status?.phase === "Running");
  },

  "that has done its work is Succeeded, or Failed, and is not started again": async () => {
    await createPod(kube, "done", scriptContainer("console.log('done')"), { restartPolicy: "Never" });
    await createPod(kube, "failed", scriptContainer("process.exit(7)"), { restartPolicy: "Never" });
    await podWhen(kube, "done", "Succeeded", (seen) => seen?.status?.phase === "Succeeded");
    const failed = await podWhen(kube, "failed", "Failed", (seen) => seen?.status?.phase === "Failed");
    assert.equal(failed?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 7);
    assert.equal(await logs("done"), "done\n");
  },

  "that fails its liveness probe is restarted": async () => {
    const livenessProbe = {
      exec: { command: [process.execPath, "-e", "process.exit(1)"] },
      periodSeconds: 1,
      failureThreshold: 1,
    };
    await createPod(kube, "sick", scriptContainer(HTTP_SERVER, { livenessProbe }));
    await podWhen(kube, "sick", "restarted", (seen) => (seen?.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1);
    await until("an event says why", async () => (await reasonsFor("sick")).includes("Unhealthy"));
  },
};

const stopping: Rules = {
  "gets preStop, then SIGTERM, then SIGKILL when its grace is over": async () => {
    const hook = { preStop: { httpGet: { port: 8080, path: "/pre-stop" } } };
    const stubborn = `${HTTP_SERVER.replace("process.exit(0)", 'console.log("no")')}`;
    await createPod(kube, "polite", scriptContainer(HTTP_SERVER, { lifecycle: hook, readinessProbe: READY }));
    await createPod(kube, "stubborn", scriptContainer(stubborn, { lifecycle: hook, readinessProbe: READY }), {
      terminationGracePeriodSeconds: 1,
    });
    for (const name of ["polite", "stubborn"]) {
      await podWhen(kube, name, "Ready", (seen) => conditionOf(seen, "Ready") === "True");
    }
    const politeLog = logStream("polite");
    const stubbornLog = logStream("stubborn");
    const began = performance.now();
    await kube.delete(Pods, { name: "polite", namespace: "default" });
    await podWhen(kube, "polite", "gone", (seen) => seen === undefined);
    assertWithin(20_000, performance.now() - began, "a program that ends at once is not waited for");
    assert.match(await politeLog, /GET \/pre-stop/);
    await kube.delete(Pods, { name: "stubborn", namespace: "default" });
    await podWhen(kube, "stubborn", "gone", (seen) => seen === undefined);
    assert.match(await stubbornLog, /GET \/pre-stop\n(.*\n)*no\n/);
  },
};

const supplied: Rules = {
  "sees a changed Secret in its files, and waits for one that is missing": async () => {
    const script = `setInterval(() => console.log(require("node:fs").readFileSync(process.env.CONTAINER_ROOT + "/etc/login/password", "utf8")), 50)`;
    const volumeMounts = [{ name: "login", mountPath: "/etc/login" }];
    await createPod(
      kube,
      "reader",
      scriptContainer(script, {
        volumeMounts,
        env: [{ name: "COLOR", valueFrom: { configMapKeyRef: { name: "settings", key: "color" } } }],
      }),
      {
        volumes: [{ name: "login", secret: { secretName: "login" } }],
      },
    );
    await until("an event says what is missing", async () =>
      (await eventsOf("reader")).some(({ message = "" }) => message.includes('secret "login" not found')),
    );
    await kube.create(Secrets, {
      metadata: { name: "login", namespace: "default" },
      data: { password: btoa("first") },
    });
    await podWhen(kube, "reader", "config missing", (seen) => waitingReason(seen) === "CreateContainerConfigError");
    await kube.create(ConfigMaps, { metadata: { name: "settings", namespace: "default" }, data: { color: "red" } });
    await until("the first password", async () => (await logs("reader")).includes("first"));
    await kube.patch(
      Secrets,
      { name: "login", namespace: "default" },
      { type: "merge", body: { data: { password: btoa("second") } } },
    );
    await until("the second password", async () => (await logs("reader")).includes("second"));
  },

  "reaches the API with a kubeconfig that only its owner can read": async () => {
    await createPod(
      kube,
      "client",
      scriptContainer("console.log(process.env.KUBECONFIG, process.env.FROM_IMAGE); setInterval(() => {}, 1000)"),
    );
    await until("its log", async () => (await logs("client")) !== "");
    const [path = "", fromImage] = (await logs("client")).trim().split(" ");
    assert.equal(fromImage, "yes");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.ok(path.startsWith(join(local.dir, "kubelet")));
    assert.match(await readFile(path, "utf8"), new RegExp(local.world().url));
  },

  "has no kubeconfig in a container with another mount where the token would be": async () => {
    const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
    const volumeMounts = [{ name: "nothing", mountPath }];
    const script = "console.log('kubeconfig', process.env.KUBECONFIG); setInterval(() => {}, 1000)";
    await createPod(kube, "hidden", scriptContainer(script, { volumeMounts }), {
      volumes: [{ name: "nothing", emptyDir: {} }],
    });
    await until("its log", async () => (await logs("hidden")) !== "");
    assert.equal((await logs("hidden")).trim(), "kubeconfig undefined");
  },
};

await using local = await testWorld();
const { kube } = local.world();
await together("a starting pod of the local world", starting);
await together("a failing pod of the local world", failing);
await together("a pod that the local world stops", stopping);
await together("a pod of the local world with files and credentials", supplied);

async function together(group: string, rules: Rules): Promise<void> {
  await test(group, { concurrency: 4 }, async (t) => {
    await Promise.all(Object.entries(rules).map(([rule, body]) => t.test(rule, body)));
  });
}

async function pod(name: string): ReturnType<typeof podWhen> {
  return kube.get(Pods, { name, namespace: "default" });
}

async function setCondition(name: string, type: string, status: string): Promise<void> {
  const body = { status: { conditions: [{ type, status }] } };
  await kube.patch(Pods, { name, namespace: "default" }, { type: "strategic", body }, { subresource: "status" });
}

async function logs(name: string, query = ""): Promise<string> {
  return kube.raw("GET", `/api/v1/namespaces/default/pods/${name}/log?${query}`).catch(() => "");
}

async function logStream(name: string): Promise<string> {
  return logs(name, "follow=true");
}

async function eventsOf(name: string): Promise<Stored<Event>[]> {
  const { items } = await kube.list(Events, { namespace: "default" });
  return items.filter(({ involvedObject }) => involvedObject.name === name);
}

async function reasonsFor(name: string): Promise<string[]> {
  return (await eventsOf(name)).map(({ reason = "" }) => reason);
}
