import { describeObject, editObject, getObjects, uncordon } from "../../api/kubectl.ts";
import type { ClusterSpec } from "../../api/cluster-spec.ts";
import { newPorts } from "../../releases/catalogue/ports.ts";
import { PORTS } from "../../api/names.ts";
import { block, warn } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";
import type { PortRule, Taint, Worker } from "./environment.ts";

/** A pod that is replaced needs a worker that takes it, and no other node's. */
export const workersTakePods = defineCheck({
  id: "WorkerUnschedulable",
  asks: "workers accept the pods that are replaced",
  at: ["plan"],
  ofUpgrades: true,
  needs: ["workers"],
  find({ view: { spec }, environment: { workers } }) {
    if (workers?.read !== true) return undefined;
    const refusals = workers.value.map((worker) => ({ worker, why: refusalOf(worker, spec) }));
    const able = refusals.filter(({ why }) => why === "").map(({ worker }) => worker);
    const away = refusals.filter(({ why }) => why !== "");
    const said = away.map(({ worker, why }) => `${worker.name} ${why}`).join(", ");
    const cordoned = away.find(({ worker }) => worker.cordoned)?.worker.name;
    const remedy = cordoned === undefined ? getObjects("nodes --show-labels") : uncordon(cordoned);
    const needed = able.every(({ spreads }) => spreads) && spec.podAntiAffinity === undefined ? spec.nodes : 1;
    if (able.length < needed) {
      const evidence = `${spec.nodes} nodes need ${needed === 1 ? "a worker" : `${needed} workers, one each`}, and ${able.length} take pods`;
      return block("WorkerUnschedulable", said === "" ? evidence : `${evidence}: ${said}`, remedy);
    }
    const left = away.filter(({ worker }) => worker.pods.length > 0);
    if (left.length === 0) return undefined;
    const evidence = left.map(({ worker, why }) => `${worker.name}, with ${worker.pods.join(", ")}, ${why}`).join("; ");
    return warn("WorkerUnschedulable", `${evidence}: a pod that is replaced goes elsewhere`, remedy);
  },
});

/** Why a worker takes no node pod; empty when it does. */
function refusalOf({ ready, cordoned, labels, taints }: Worker, spec: ClusterSpec): string {
  const lacks = Object.entries(spec.nodeSelector ?? {}).find(([key, value]) => labels[key] !== value);
  if (lacks !== undefined) return `does not carry ${lacks.join("=")} of spec.nodeSelector`;
  const taint = taints.find((one) => !(spec.podTolerations ?? []).some((toleration) => tolerates(toleration, one)));
  if (taint !== undefined) return `is tainted ${taint.key}`;
  if (!ready) return "is not ready";
  return cordoned ? "is cordoned" : "";
}

function tolerates({ key, operator = "Equal", value = "" }: Readonly<Record<string, unknown>>, taint: Taint): boolean {
  if (key !== undefined && key !== taint.key) return false;
  return operator === "Exists" || (key !== undefined && value === taint.value);
}

/** A node whose volume is not bound cannot begin, and one that is being resized may not be detached. */
export const volumesAreBound = defineCheck({
  id: "VolumeNotBound",
  asks: "every node's volume is bound and none is being resized",
  at: ["plan"],
  needs: ["volumes"],
  find({ environment: { volumes } }) {
    const wrong =
      volumes?.read === true ? volumes.value.filter(({ phase, resizing }) => phase !== "Bound" || resizing) : [];
    const [first] = wrong;
    if (first === undefined) return undefined;
    return block(
      first.resizing ? "VolumeResizing" : "VolumeNotBound",
      wrong.map(({ name, phase, resizing }) => `${name} is ${resizing ? "being resized" : phase}`).join(", "),
      describeObject(`pvc ${first.name}`),
    );
  },
});

/** Nodes talk on ports that an older policy does not know. */
export const portsAreOpen = defineCheck({
  id: "PortsClosed",
  asks: "network policies allow the traffic that nodes and operator need",
  at: ["plan"],
  needs: ["networkPolicies"],
  find({ environment: { networkPolicies }, step }) {
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
      editObject(`networkpolicy ${names[0] ?? ""}`),
    );
  },
});

function letsIn({ ports }: PortRule, port: number): boolean {
  return ports === undefined || ports.some(({ first, last }) => first <= port && port <= last);
}
