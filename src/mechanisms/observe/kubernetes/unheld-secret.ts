import type { Secret } from "kubernetes-types/core/v1.js";
import { holderBesides } from "../../../core/planner/ownership/marks.ts";
import { Secrets } from "#kit/kube/builtin";
import type { Kube, Ref, Stored } from "#kit/kube/kube";

/** A Secret that was read under a name. */
export interface UnheldSecret {
  /** Undefined when there is none, and when it belongs to something else. */
  readonly secret: Stored<Secret> | undefined;
  /** To what it belongs by its marks. */
  readonly heldBy?: string;
}

/**
 * Reads a Secret under a name that follows from the name of an object; `owner` names what it may belong to. A name that is made by joining
 * may be that of another's Secret, which is never used.
 */
export async function readUnheld(kube: Pick<Kube, "get">, ref: Required<Ref>, owner = ""): Promise<UnheldSecret> {
  const secret = await kube.get(Secrets, ref);
  const heldBy = secret && holderBesides(secret.metadata, owner);
  return heldBy === undefined ? { secret } : { secret: undefined, heldBy };
}
