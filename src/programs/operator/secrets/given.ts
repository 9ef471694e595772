import type { Secret } from "kubernetes-types/core/v1.js";
import {
  secretObjection,
  type NamedSecret,
  type SecretObjection,
  type SecretUse,
} from "../../../core/planner/ownership/given-secret.ts";
import { Secrets } from "#kit/kube/builtin";
import type { Kube, Ref, Stored } from "#kit/kube/kube";
import type { FindHolder } from "./holders.ts";

/** With what the Secrets that specs name are read. */
export interface GivenDeps {
  readonly kube: Kube;
  readonly holderOf: FindHolder;
}

/** A Secret that a spec names, as it is now. */
export interface GivenSecret {
  /** Undefined when there is none. */
  readonly secret: Stored<Secret> | undefined;
  /** Why it may not be used for this; undefined when it may. */
  readonly objection: SecretObjection | undefined;
  /** Also a use that an older release began must end. */
  readonly isIrrevocable: boolean;
}

/** The only way to a Secret that a spec names: read with what is against its use. */
export async function readGiven(
  { kube, holderOf }: GivenDeps,
  ref: Required<Ref>,
  use: SecretUse,
): Promise<GivenSecret> {
  const held = holderOf(ref, use);
  const secret = await kube.get(Secrets, ref);
  // also a name that is to be made is held
  const named = secret === undefined ? { name: ref.name, type: undefined, keys: [] } : namedSecret(secret);
  const objection = secret === undefined && held === undefined ? undefined : secretObjection(named, use, held?.holder);
  return { secret, objection, isIrrevocable: held?.isIrrevocable === true };
}

function namedSecret({ metadata, type, data = {} }: Stored<Secret>): NamedSecret {
  const { name, labels, annotations, ownerReferences } = metadata;
  return { name, labels, annotations, ownerReferences, type, keys: Object.keys(data) };
}
