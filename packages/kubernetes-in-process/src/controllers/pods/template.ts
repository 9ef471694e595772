import { createHash, randomInt } from "node:crypto";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import type { Stored, Wanted } from "../../../../controller-kit/src/kube/kube.ts";
import { controllerReference } from "../../../../controller-kit/src/kube/ref.ts";

/** Letters and digits that spell no word by accident and are told apart easily. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** Ten characters that stand for `value`: the same for the same content, whatever the order of its members. */
export function hashOf(value: object): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(sortMembers(value)))
    .digest();
  return [...digest.subarray(0, 10)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** The hash of a pod template. */
export function templateHash(template: PodTemplateSpec): string {
  const { creationTimestamp: _, ...metadata } = template.metadata ?? {};
  return hashOf({ ...template, metadata });
}

/** Five random characters for a name. */
export function randomSuffix(): string {
  return Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** A pod after `template` that `owner` manages, with more labels than the template's. */
export function podFrom(
  template: PodTemplateSpec,
  owner: Stored<object>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Wanted<Pod> {
  const { namespace } = owner.metadata;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, ...labels },
      annotations: { ...template.metadata?.annotations },
      ...(template.metadata?.finalizers === undefined ? {} : { finalizers: template.metadata.finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  };
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sortMembers(member)]),
  );
}
