import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { apiErrors, apiError } from "../faults.ts";
import { writeHead, type ApiCall } from "../http/call.ts";
import { childOf, listAt, textAt } from "../objects/json.ts";
import { copyOf, type KubeObject } from "../objects/object.ts";
import type { PodLogOptions } from "../context/pod-logs.ts";
import type { ServerContext } from "../context/server-context.ts";

/** Streams what a container writes: `GET pods/<name>/log`. */
export async function streamLog(context: ServerContext, call: ApiCall, pod: KubeObject): Promise<void> {
  if (context.podLogs === undefined) throw apiError(apiErrors.notImplemented, "this server has no source of pod logs");
  const container = containerOf(pod, call.query.get("container"));
  const ended = new AbortController();
  call.response.once("close", () => {
    ended.abort();
  });
  const signal = AbortSignal.any([ended.signal, context.closing]);
  const stream = context.podLogs(pod, container, logOptions(call.query), signal);
  const iterator = stream[Symbol.asyncIterator]();
  let next = await firstPiece(iterator);
  writeHead(call, 200, "text/plain");
  call.response.flushHeaders();
  while (next.done !== true && !signal.aborted) {
    if (!call.response.write(next.value)) await awaitDrain(call, signal);
    next = await iterator.next();
  }
  await iterator.return?.(); // the reader went away: the source closes its files
  call.response.end();
}

/** Decides between an error, which still can be a Status, and a stream. */
async function firstPiece(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next();
  } catch (error) {
    if (error instanceof Fault) throw apiError(apiErrors.badRequest, error.message);
    throw error;
  }
}

/** `pod` bound to the node that a Binding names; 409 when it has one already. */
export function bindPod(context: ServerContext, pod: KubeObject, binding: unknown): KubeObject {
  const node = textAt(binding, "target", "name");
  if (node === "") throw apiError(apiErrors.badRequest, "target.name of the Binding is missing");
  const current = textAt(pod, "spec", "nodeName");
  const { name } = pod.metadata;
  if (current !== "") {
    const why = `pod ${name} is already assigned to node ${JSON.stringify(current)}`;
    throw apiError(
      apiErrors.conflict,
      `Operation cannot be fulfilled on pods/binding ${JSON.stringify(name)}: ${why}`,
      {
        name,
        kind: "pods/binding",
      },
    );
  }
  const next = copyOf(pod);
  childOf(next, "spec")["nodeName"] = node;
  const status = childOf(next, "status");
  const others = listAt(status, "conditions").filter(({ type }) => type !== "PodScheduled");
  const lastTransitionTime = timestamp(context.clock.now());
  status["conditions"] = [...others, { type: "PodScheduled", status: "True", lastTransitionTime }];
  return next;
}

/** Exec, attach and port-forward: containers are plain processes here, so there is nothing to enter. */
export function refuseStream(plural: string, subresource: string): never {
  throw apiError(
    apiErrors.notImplemented,
    `${plural}/${subresource} is not offered: pods of this cluster are processes of the host; use the host's own tools`,
  );
}

function containerOf(pod: KubeObject, wanted: string | null): string {
  const all = [...listAt(pod, "spec", "initContainers"), ...listAt(pod, "spec", "containers")];
  const names = all.map((container) => textAt(container, "name"));
  const { name } = pod.metadata;
  if (wanted !== null && wanted !== "") {
    if (names.includes(wanted)) return wanted;
    throw apiError(apiErrors.badRequest, `container ${wanted} is not valid for pod ${name}`);
  }
  const main = listAt(pod, "spec", "containers").map((container) => textAt(container, "name"));
  if (main.length === 1 && main[0] !== undefined) return main[0];
  throw apiError(
    apiErrors.badRequest,
    `a container name must be specified for pod ${name}, choose one of: [${names.join(" ")}]`,
  );
}

function logOptions(query: URLSearchParams): PodLogOptions {
  const yes = (name: string): boolean => ["true", "1"].includes(query.get(name) ?? "");
  const number = (name: string): number | undefined => {
    const value = query.get(name);
    if (value === null) return undefined;
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw apiError(apiErrors.badRequest, `${name} must be a whole number, not ${value}`);
  };
  const [tailLines, sinceSeconds] = [number("tailLines"), number("sinceSeconds")];
  return {
    follow: yes("follow"),
    previous: yes("previous"),
    timestamps: yes("timestamps"),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
  };
}

function awaitDrain(call: ApiCall, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    call.response.once("drain", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
