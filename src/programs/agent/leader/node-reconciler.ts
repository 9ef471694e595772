import { LABELS } from "../../../core/api/names.ts";
import type { NodeMaintenance } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { EndpointSlices } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { decideEvacuation } from "../../../core/planner/database/evacuation.ts";
import type { EvacuationFacts } from "../../../core/planner/database/evacuation.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { isBeingReplaced } from "../../../core/planner/database/replacement.ts";
import { AT_REST, lookAgain } from "#kit/reconcile/outcome";
import type { Outcome } from "#kit/reconcile/outcome";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { nodeAddress } from "../members/addresses.ts";
import type { AddressContext } from "../members/addresses.ts";
import { gatherNodes } from "../observation/node-facts.ts";
import type { NodeFactsContext } from "../observation/node-facts.ts";
import { placedInstances } from "../../../core/records/placed-instances.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";
import {
  isDraining,
  maintenanceOf,
  withEvacuated,
  withMaintenanceReason,
  withReturned,
} from "../../../core/records/maintenance.ts";

/** What reconciling the maintenance of nodes works on. */
export type NodeReconcilerContext = NodeFactsContext &
  AddressContext & {
    readonly config: Pick<AgentConfig, "cluster" | "namespace">;
    readonly records: Pick<Records, "databases" | "changeState">;
    readonly kube: Kube;
    /** Drains the clients of a node within `deadlineMs`. */
    readonly drain: (node: number, deadlineMs: number) => Promise<void>;
    readonly stepDown: () => void;
    readonly clock: Clock;
    readonly log: Log;
  };

const RECHECK_MS = 100;
/** How long clients have to end their transactions, in milliseconds. */
const DRAIN_MS = 10_000;

/** Reconciles the nodes that are evacuated or returning, for one leader term. */
export class NodeReconciler {
  readonly #context: NodeReconcilerContext;
  readonly #drained = new Set<string>();
  readonly #primariesGoneAt = new Map<string, number>();

  constructor(context: NodeReconcilerContext) {
    this.#context = context;
  }

  async reconcile(node: number): Promise<Outcome> {
    const { records } = this.#context;
    this.#forgetEnded();
    const entry = maintenanceOf(records.state(), node);
    if (entry === undefined || entry.state === "on") return AT_REST;
    return entry.state === "returning" ? this.#return(entry) : this.#evacuate(entry);
  }

  /** What is kept of an evacuation goes with it. */
  #forgetEnded(): void {
    const under = new Set((this.#context.records.state()?.maintenance ?? []).map(({ action }) => action.uid));
    for (const uid of this.#drained) if (!under.has(uid)) this.#drained.delete(uid);
    for (const uid of this.#primariesGoneAt.keys()) if (!under.has(uid)) this.#primariesGoneAt.delete(uid);
  }

  async #evacuate(entry: NodeMaintenance): Promise<Outcome> {
    const { records, log, drain, stepDown } = this.#context;
    const { node } = entry;
    const step = decideEvacuation(await this.#facts(entry));
    switch (step.kind) {
      case "act":
        if (step.act === "hand-over-leadership") {
          log.info("leadership is handed over", { node });
          stepDown();
          return AT_REST;
        }
        await drain(node, DRAIN_MS);
        this.#drained.add(entry.action.uid);
        return lookAgain(1);
      case "rest":
        await records.changeState((state) => withEvacuated(state, node));
        log.info("node is in maintenance", { node });
        return AT_REST;
      case "wait":
        if (entry.waitingFor !== step.wait.evidence)
          await records.changeState((state) => withMaintenanceReason(state, node, step.wait.evidence));
        return lookAgain(RECHECK_MS);
    }
  }

  async #return({ node }: NodeMaintenance): Promise<Outcome> {
    const { members, records, log } = this.#context;
    const member = members.get(node);
    if (member?.fresh === true && !member.report.acceptsClients) {
      return lookAgain(RECHECK_MS);
    }
    await records.changeState((state) => withReturned(state, node));
    log.info("node is back in service", { node });
    return AT_REST;
  }

  async #facts(entry: NodeMaintenance): Promise<EvacuationFacts> {
    const { config, records, clock } = this.#context;
    const { node, demote } = entry;
    const nodes = await gatherNodes(this.#context);
    const primaries = records
      .databases()
      .filter((record) => record.shards.some((shard) => primaryOf(shard).node === node))
      .map((record) => ({ name: record.name, waitingFor: record.upgrade?.waitingFor || (record.waitingFor ?? "") }));
    const databases = records.databases();
    const everything = placedInstances(databases);
    const replacing = databases.filter((record) => isBeingReplaced({ record, nodes, everything }, node));
    const now = clock.uptimeMs();
    const goneAt = this.#primariesGoneAt.get(entry.action.uid) ?? now;
    if (primaries.length === 0) this.#primariesGoneAt.set(entry.action.uid, goneAt);
    return {
      node,
      demote,
      alive: nodes.some(({ uid, alive }) => uid === node && alive),
      isLeader: node === config.node,
      hasSuccessor: nodes.some(({ uid, alive }) => uid !== node && alive && !isDraining(records.state(), uid)),
      primaries,
      replacing: replacing.map(({ name }) => name),
      listedIn: primaries.length === 0 ? await this.#slicesWith(node) : [],
      waitedForEndpointsMs: now - goneAt,
      clientsDrained: this.#drained.has(entry.action.uid),
    };
  }

  /** Services of databases that still send clients to the node; none when the Kubernetes API does not answer. */
  async #slicesWith(node: number): Promise<readonly string[]> {
    const { config, kube, log } = this.#context;
    const address = nodeAddress(this.#context, node);
    const { namespace, cluster } = config;
    try {
      const labelSelector = `${LABELS.cluster}=${cluster},${LABELS.database}`;
      const { items } = await kube.list(EndpointSlices, { namespace, labelSelector });
      return items
        .filter((slice) =>
          // typed as always there, yet a slice without endpoints has null or nothing in its place
          (slice.endpoints ?? []).some(
            (one) => one.conditions?.ready !== false && one.addresses.some((each) => each === address),
          ),
        )
        .map(({ metadata }) => `endpointslice ${metadata.name}`);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log.warn("endpoint slices cannot be read; clients are drained without waiting for them", { error });
      return [];
    }
  }
}
