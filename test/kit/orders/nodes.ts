import { database, node } from "../facts/cluster-view.ts";
import type { ClusterDatabase, ClusterNode } from "../../../src/core/planner/view/cluster-view.ts";

type Maintenance = "evacuating" | "on" | "returning";

/** One node, as its cluster knows it. */
interface SimulatedNode {
  readonly uid: number;
  active: boolean;
  tag: string;
  maintenance: Maintenance | undefined;
  /** It leaves only for as long as its pod restarts. */
  isShutdown: boolean;
  /** Leadership is to leave, too. */
  demote: boolean;
  leader: boolean;
}

interface SimulatedDatabase {
  readonly uid: number;
  readonly instances: { readonly node: number; primary: boolean; inSync: boolean }[];
}

/** The nodes of a cluster and what its leader does with them: evacuations, failovers, replicas that catch up. */
export class SimulatedNodes {
  readonly #nodes = new Map<number, SimulatedNode>();
  readonly #databases: readonly SimulatedDatabase[] = [
    { uid: 1, instances: [instance(3, true), instance(2, false)] },
    { uid: 2, instances: [instance(1, true), instance(3, false)] },
  ];

  constructor(tag: string) {
    for (const uid of [1, 2, 3]) this.start(uid, tag);
  }

  /** The agent of a node starts; one that left only for its restart comes back. */
  start(uid: number, tag: string): void {
    const before = this.#nodes.get(uid);
    const maintenance = before?.isShutdown === true ? "returning" : before?.maintenance;
    this.#nodes.set(uid, {
      uid,
      tag,
      active: true,
      maintenance,
      isShutdown: false,
      demote: true,
      leader: before?.leader ?? false,
    });
  }

  /** The agent of a node has ended. */
  stop(uid: number): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    node.active = false;
    for (const one of this.#instances(uid)) one.inSync = false;
  }

  /** `maintenance_on`, by request or since the pod ends. */
  leave(uid: number, { isShutdown = false, demote = true } = {}): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    if (node.maintenance === undefined || node.maintenance === "returning") {
      node.maintenance = "evacuating";
      node.isShutdown = isShutdown;
      node.demote = demote;
    } else if (!isShutdown) node.isShutdown = false;
  }

  /** `maintenance_off`. */
  takeBack(uid: number): void {
    const node = this.#nodes.get(uid);
    if (node?.maintenance !== undefined) node.maintenance = "returning";
  }

  /** Primaries and leadership have left a node, or none can take them. */
  isLeft(uid: number): boolean {
    const node = this.#nodes.get(uid);
    return node?.active !== true || node.maintenance === "on" || this.#heirs(uid).length === 0;
  }

  /** Nothing on a node serves clients. */
  isEmpty(uid: number): boolean {
    const node = this.#nodes.get(uid);
    const holds = this.#instances(uid).some(({ primary }) => primary);
    return node?.active !== true || (node.maintenance === "on" && !node.leader && !holds);
  }

  /** The node carries its share. */
  serves(uid: number): boolean {
    const node = this.#nodes.get(uid);
    return node?.active === true && (node.maintenance === undefined || node.maintenance === "returning");
  }

  /** One turn of the leader. */
  lead(): void {
    for (const node of this.#nodes.values()) {
      if (!this.serves(node.uid)) this.#moveAway(node);
      // a node that is away has nothing to open: it is in service once it is there again
      if (node.maintenance === "returning") node.maintenance = undefined;
    }
    const nodes = [...this.#nodes.values()];
    if (nodes.some(({ leader, active }) => leader && active)) return;
    const next = nodes.find(({ uid }) => this.serves(uid)) ?? nodes.find(({ active }) => active);
    for (const node of nodes) node.leader = node === next;
  }

  /** Replicas catch up, when there is a primary to catch up with. */
  sync(): void {
    for (const { instances } of this.#databases) {
      const isServed = instances.some(({ primary, node }) => primary && this.#isActive(node));
      for (const one of instances) if (isServed) one.inSync = this.#isActive(one.node);
    }
  }

  /** As the management API lists them. */
  records(): { nodes: ClusterNode[]; databases: ClusterDatabase[]; actions: { name: string; object: string }[] } {
    const all = [...this.#nodes.values()];
    return {
      nodes: all.map(({ uid, active, tag, leader, maintenance }) => {
        const isDraining = maintenance === "evacuating" || maintenance === "on";
        return node(uid, {
          active,
          tag,
          leader,
          maintenance: isDraining,
          acceptsClients: active && maintenance !== "on",
        });
      }),
      databases: this.#databases.map(({ uid, instances }) =>
        database({ uid, name: `db-${uid}`, instances: instances.map((each) => ({ ...each })) }),
      ),
      actions: all
        .filter(({ maintenance }) => maintenance === "evacuating" || maintenance === "returning")
        .map(({ uid, maintenance }) => ({
          name: maintenance === "returning" ? "maintenance_off" : "maintenance_on",
          object: `node:${uid}`,
        })),
    };
  }

  #moveAway(node: SimulatedNode): void {
    for (const { instances } of this.#databases) {
      const primary = instances.find((one) => one.primary && one.node === node.uid);
      const heir = instances.find((one) => one.inSync && one.node !== node.uid && this.#mayServe(one.node, node));
      if (primary === undefined || heir === undefined) continue;
      primary.primary = false;
      heir.primary = true;
    }
    if (node.active && node.maintenance !== "evacuating") return;
    const [next] = this.#heirs(node.uid);
    const other = next === undefined ? undefined : this.#nodes.get(next);
    if (node.leader && node.demote && other !== undefined) {
      node.leader = false;
      other.leader = true;
    }
    const holds = this.#instances(node.uid).some(({ primary }) => primary);
    const leads = node.active && node.leader && node.demote;
    if (node.maintenance === "evacuating" && !holds && !leads) node.maintenance = "on";
  }

  /** A node that has failed hands over to each node that lives; one that leaves, to one that stays. */
  #mayServe(uid: number, from: SimulatedNode): boolean {
    return from.active ? this.serves(uid) : this.#isActive(uid);
  }

  #heirs(uid: number): readonly number[] {
    return [...this.#nodes.keys()].filter((each) => each !== uid && this.serves(each));
  }

  #isActive(uid: number): boolean {
    return this.#nodes.get(uid)?.active === true;
  }

  #instances(uid: number): SimulatedDatabase["instances"] {
    return this.#databases.flatMap(({ instances }) => instances.filter((one) => one.node === uid));
  }
}

function instance(uid: number, primary: boolean): SimulatedDatabase["instances"][number] {
  return { node: uid, primary, inSync: true };
}
