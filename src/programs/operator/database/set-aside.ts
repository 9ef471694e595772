import { recoverFromSetAside } from "../../../core/api/kubectl.ts";
import type { NodeRecord } from "../../../ports/management/records.ts";

/** A copy of a database that a node has moved out of the way because no record asked for it. */
export interface SetAsideCopy {
  readonly node: number;
  readonly id: string;
  readonly instance: number;
  readonly bytes: number;
  readonly since: string;
}

/** The copies of a database that nodes have set aside, the newest first. */
export function setAsideCopies(
  nodes: readonly Pick<NodeRecord, "uid" | "set_aside">[],
  bdb: number,
): readonly SetAsideCopy[] {
  return nodes
    .flatMap(({ uid: node, set_aside = [] }) =>
      set_aside.filter((one) => one.bdb === bdb).map((one) => ({ ...one, node })),
    )
    .toSorted((one, other) => other.since.localeCompare(one.since) || other.instance - one.instance);
}

/** What they are, for a sentence. */
export function describeCopies(copies: readonly SetAsideCopy[]): string {
  return copies
    .map(({ node, instance, bytes, since }) => `node ${node} (instance ${instance}, ${bytes} bytes, since ${since})`)
    .join(", ");
}

/** The command with which the newest one is used again; undefined where there is none. */
export function adoptionOf([newest]: readonly SetAsideCopy[], cluster: string, bdb: number): string | undefined {
  return newest && recoverFromSetAside(cluster, bdb, { node: newest.node, id: newest.id });
}
