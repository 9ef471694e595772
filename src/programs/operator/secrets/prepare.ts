import type { Secret } from "kubernetes-types/core/v1.js";
import { isFault } from "#kit/base/fault";
import { faults } from "#kit/kube/faults";
import type { Informer } from "#kit/kube/informer";
import type { Kube, Wanted } from "#kit/kube/kube";
import { refOf } from "#kit/kube/ref";
import { createOwn } from "./write.ts";

/** With what Secrets are made ahead. */
export interface PrepareDeps {
  readonly kube: Kube;
  readonly secrets: Pick<Informer<object>, "get" | "learn">;
}

/**
 * Makes those of these Secrets that are missing, the lowest number first: empty, for a node to fill. An object that has the name already stays
 * as it is.
 */
export async function prepareSecrets(
  { kube, secrets }: PrepareDeps,
  wanted: readonly Wanted<Secret>["metadata"][],
): Promise<void> {
  for (const metadata of wanted) {
    if (secrets.get(refOf({ metadata })) !== undefined) continue;
    try {
      secrets.learn(await createOwn(kube, metadata, {}));
    } catch (error) {
      // another operator was first, or someone who has the name: what is followed says it soon
      if (!isFault(error, faults.alreadyExists)) throw error;
    }
  }
}
