import type { Container, Pod, PodSpec } from "kubernetes-types/core/v1.js";
import { Pods } from "#kit/kube/builtin";
import type { Kube, Stored } from "#kit/kube/kube";
import type { ImageStore } from "#kubernetes";
import { until } from "#kit/testing/until";

/** An image store with one image, `node:1`, whose program is this Node. */
export const nodeImages: ImageStore = {
  resolve: (image) =>
    image === "node:1"
      ? { command: [process.execPath], env: { FROM_IMAGE: "yes" }, files: {}, digest: `sha256:${"1".repeat(64)}` }
      : undefined,
};

/** A program that answers HTTP on its pod's address, port 8080, prints what it gets, and ends when it is asked to. */
export const HTTP_SERVER = `
const { createServer } = require("node:http");
console.log("serving on", process.env.POD_IP);
createServer((request, response) => {
  console.log("GET", request.url);
  response.end(process.env.POD_NAME + "\\n");
}).listen(8080, process.env.POD_IP);
process.on("SIGTERM", () => process.exit(0));`;

/** A container of `node:1` that runs `script`, with what the test cares about laid over it. */
export function scriptContainer(script: string, over: Partial<Container> = {}): Container {
  return {
    name: "main",
    image: "node:1",
    args: ["-e", script],
    env: [
      { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
    ...over,
  };
}

/** Creates a pod in the namespace `default`. */
export async function createPod(
  kube: Kube,
  name: string,
  container: Container,
  spec: Partial<PodSpec> = {},
): Promise<Stored<Pod>> {
  return kube.create(Pods, {
    metadata: { name, namespace: "default", labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 5, ...spec, containers: [container] },
  });
}

/** Waits until the pod is as `holds` wants it, and gives it; undefined stands for a pod that is gone. */
export async function podWhen(
  kube: Kube,
  name: string,
  what: string,
  holds: (pod: Stored<Pod> | undefined) => boolean,
): Promise<Stored<Pod> | undefined> {
  let pod: Stored<Pod> | undefined;
  await until(
    `pod ${name}: ${what}`,
    async () => {
      pod = await kube.get(Pods, { name, namespace: "default" });
      return holds(pod);
    },
    { everyMs: 20 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; status: ${JSON.stringify(pod?.status)}`);
  });
  return pod;
}

/** The status of condition `type`, for instance "True". */
export function conditionOf(pod: Stored<Pod> | undefined, type: string): string | undefined {
  return pod?.status?.conditions?.find((condition) => condition.type === type)?.status;
}

/** Why the first container waits; undefined when it does not. */
export function waitingReason(pod: Stored<Pod> | undefined): string | undefined {
  return pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
}
