import { LABELS } from "../../../core/api/names.ts";
import type { NodeMaintenance } from "../../../core/api/records.ts";
import { Fault } from "../../../core/base/fault.ts";
import { EndpointSlices } from "../../../ports/kube/builtin.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { decideEvacuation } from "../../../core/planner/database/evacuation.ts";
import type { EvacuationFacts } from "../../../core/planner/database/evacuation.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { isBeingCopied } from "../../../core/planner/database/stand-in.ts";
import { settled, waiting } from "../../../mechanisms/reconcile/outcome.ts";
import type { Outcome } from "../../../mechanisms/reconcile/outcome.ts";
import { addressOf, everyInstance } from "../records/cluster-view.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { gatherNodes } from "./facts.ts";
import { isDraining, maintenanceOf, withEvacuated, withReason, withReturned } from "../records/maintenance.ts";

export interface NodeLeaderDeps {
  readonly view: ClusterView;
  readonly kube: Kube;
  /** Lets the clients of a node end what they are at, within `deadlineMs`. */
  readonly drain: (node: number, deadlineMs: number) => Promise<void>;
  readonly stepDown: () => void;
}

const LOOK_AGAIN_MS = 100;
/** How long clients get to end what they are at, in milliseconds. */
const DRAIN_MS = 10_000;

/** Passes over the nodes that are being left or taken back, for one term of leadership. */
export class NodeLeader {
  readonly #deps: NodeLeaderDeps;
  readonly #drained = new Set<string>();
  readonly #primariesGoneAt = new Map<string, number>();

  constructor(deps: NodeLeaderDeps) {
    this.#deps = deps;
  }

  async pass(node: number): Promise<Outcome> {
    const { view } = this.#deps;
    const entry = maintenanceOf(view.records.state(), node);
    if (entry === undefined || entry.state === "on") return settled;
    return entry.state === "returning" ? this.#takeBack(entry) : this.#leave(entry);
  }

  async #leave(entry: NodeMaintenance): Promise<Outcome> {
    const { view, drain, stepDown } = this.#deps;
    const { node } = entry;
    const step = decideEvacuation(await this.#facts(entry));
    switch (step.kind) {
      case "hand-over-leadership":
        view.log.info("leadership is handed over", { node });
        stepDown();
        return settled;
      case "drain-clients":
        await drain(node, DRAIN_MS);
        this.#drained.add(entry.action.uid);
        return waiting(1, "Drained", "");
      case "done":
        await view.records.changeState((state) => withEvacuated(state, node));
        view.log.info("node is in maintenance", { node });
        return settled;
      case "wait":
        if (entry.waitingFor !== step.reason)
          await view.records.changeState((state) => withReason(state, node, step.reason));
        return waiting(LOOK_AGAIN_MS, "Evacuating", step.reason);
    }
  }

  async #takeBack({ node }: NodeMaintenance): Promise<Outcome> {
    const { view } = this.#deps;
    const member = view.members.get(node);
    if (member?.fresh === true && !member.report.acceptsClients) {
      return waiting(LOOK_AGAIN_MS, "Returning", `node ${node} does not take clients yet`);
    }
    await view.records.changeState((state) => withReturned(state, node));
    view.log.info("node is back in service", { node });
    return settled;
  }

  async #facts(entry: NodeMaintenance): Promise<EvacuationFacts> {
    const { view } = this.#deps;
    const { node, demote } = entry;
    const nodes = await gatherNodes(view);
    const primaries = view.records
      .databases()
      .filter((record) => record.shards.some((shard) => primaryOf(shard).node === node))
      .map((record) => ({ name: record.name, waitingFor: record.upgrade?.waitingFor || (record.waitingFor ?? "") }));
    const databases = view.records.databases();
    const everything = everyInstance(databases);
    const copies = databases.filter((record) => isBeingCopied({ record, nodes, everything }, node));
    const now = view.clock.now().getTime();
    const goneAt = this.#primariesGoneAt.get(entry.action.uid) ?? now;
    if (primaries.length === 0) this.#primariesGoneAt.set(entry.action.uid, goneAt);
    return {
      node,
      demote,
      alive: nodes.some(({ uid, alive }) => uid === node && alive),
      isLeader: node === view.config.node,
      hasSuccessor: nodes.some(({ uid, alive }) => uid !== node && alive && !isDraining(view.records.state(), uid)),
      primaries,
      copies: copies.map(({ name }) => name),
      listedIn: primaries.length === 0 ? await this.#slicesWith(node) : [],
      waitedForEndpointsMs: now - goneAt,
      clientsDrained: this.#drained.has(entry.action.uid),
    };
  }

  /** Services of databases that still send clients to the node. Without an answer of the API nobody is being sent anew. */
  async #slicesWith(node: number): Promise<readonly string[]> {
    const { view, kube } = this.#deps;
    const address = addressOf(view, node);
    const { namespace, cluster } = view.config;
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
      view.log.warn("endpoint slices cannot be read, clients are drained all the same", { error });
      return [];
    }
  }
}
