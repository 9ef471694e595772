import type { ClusterState } from "../../../src/core/api/states.ts";
import type { Lane } from "./lane.ts";

/** An upgrade that cannot go on, and the documented ways out. */
export interface FrozenCase {
  /** While nothing moves yet: brings about what the upgrade will lack. */
  readonly before?: (lane: Lane) => Promise<void>;
  /** Right before the upgrade begins. */
  readonly spoil?: (lane: Lane) => Promise<void>;
  /** What is asked for besides the new tag. */
  readonly spec?: (lane: Lane) => CaseSpec;
  /** The upgrade is automatic: it begins with the new operator, and no tag is asked for. */
  readonly automatic?: true;
  readonly state: ClusterState;
  /** Name of the finding, the condition and the event. */
  readonly reason: string;
  readonly evidence: RegExp;
  readonly remedy: RegExp;
  /** Resolves when the cause is gone and was acknowledged. */
  readonly recoveries: Readonly<Record<string, (lane: Lane) => Promise<void>>>;
  /** Nodes that are replaced before it is noticed. */
  readonly touched?: number;
  readonly after?: (lane: Lane) => Promise<void>;
}

export interface CaseSpec {
  readonly storeEnterpriseImageSpec?: object;
  readonly [field: string]: unknown;
}
