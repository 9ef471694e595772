import { newPorts } from "../../releases/ports.ts";
import { PORTS } from "../../api/names.ts";
import { block, warn, type Check } from "./check.ts";
import type { PortRule, Worker } from "./surroundings.ts";

/** Case 13: a pod that is replaced needs a machine that takes it. */
export const workersTakePods: Check = {
  id: "WorkerUnschedulable",
  asks: "workers take the pods that are replaced",
  at: ["plan"],
  needs: ["workers"],
  find({ view: { spec }, around: { workers } }) {
    if (workers?.read !== true) return undefined;
    const labels = Object.entries(spec.nodeSelector ?? {});
    const fits = (worker: Worker): boolean => labels.every(([key, value]) => worker.labels[key] === value);
    const chosen = workers.value.filter(fits);
    const able = chosen.filter(({ ready, cordoned }) => ready && !cordoned);
    if (able.length === 0) {
      const said = chosen.map(({ name, cordoned }) => `${name} is ${cordoned ? "cordoned" : "not ready"}`).join(", ");
      const selector = labels.map(([key, value]) => `${key}=${value}`).join(",");
      const evidence = said === "" ? `no worker carries the labels of spec.nodeSelector, ${selector}` : said;
      return block("WorkerUnschedulable", evidence, `kubectl uncordon ${chosen[0]?.name ?? "<worker>"}`);
    }
    const left = workers.value.filter((worker) => worker.pods.length > 0 && !able.includes(worker));
    const [first] = left;
    if (first === undefined) return undefined;
    return warn(
      "WorkerUnschedulable",
      left.map(({ name, pods }) => `${name}, with ${pods.join(", ")}, takes no new pods`).join("; "),
      `kubectl uncordon ${first.name}  # else the replaced pod goes to ${able.map(({ name }) => name).join(", ")}`,
    );
  },
};

/** Case 34. */
export const volumesAreBound: Check = {
  id: "VolumeNotBound",
  asks: "every node's volume is bound and none is being resized",
  at: ["plan"],
  needs: ["volumes"],
  find({ around: { volumes } }) {
    const wrong =
      volumes?.read === true ? volumes.value.filter(({ phase, resizing }) => phase !== "Bound" || resizing) : [];
    const [first] = wrong;
    if (first === undefined) return undefined;
    return block(
      first.resizing ? "VolumeResizing" : "VolumeNotBound",
      wrong.map(({ name, phase, resizing }) => `${name} is ${resizing ? "being resized" : phase}`).join(", "),
      `kubectl describe pvc ${first.name}`,
    );
  },
};

/** Case 23: nodes talk on ports that an older policy does not know. */
export const portsAreOpen: Check = {
  id: "PortsClosed",
  asks: "network policies let in what nodes and operator need",
  at: ["plan"],
  needs: ["networkPolicies"],
  find({ around: { networkPolicies }, step }) {
    if (networkPolicies?.read !== true || networkPolicies.value.length === 0) return undefined;
    const rules = networkPolicies.value;
    const fresh = step === undefined ? [] : newPorts(step.from, step.to);
    const closed = [{ first: PORTS.management, last: PORTS.management }, ...fresh].filter(
      ({ first, last }) => !rules.some((rule) => letsIn(rule, first) && letsIn(rule, last)),
    );
    if (closed.length === 0) return undefined;
    const ports = closed.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
    const names = [...new Set(rules.map(({ policy }) => policy))];
    return warn(
      "PortsClosed",
      `no network policy on the node pods lets in ${ports}: ${names.join(", ")}`,
      `kubectl edit networkpolicy ${names[0] ?? ""}`,
    );
  },
};

function letsIn({ ports }: PortRule, port: number): boolean {
  return ports === undefined || ports.some(({ first, last }) => first <= port && port <= last);
}
