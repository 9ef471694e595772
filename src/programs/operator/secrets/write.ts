import type { Secret } from "kubernetes-types/core/v1.js";
import { WRITTEN_ANNOTATION } from "../../../core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { isMarkedAs, listedToo } from "../../../core/planner/ownership/marks.ts";
import { Secrets } from "#kit/kube/builtin";
import { faults } from "#kit/kube/faults";
import type { Kube, Ref, Stored, Wanted } from "#kit/kube/kube";
import { refOf } from "#kit/kube/ref";
import { encodeBase64, encodedAll } from "./secret-text.ts";

/**
 * Writes keys of a Secret that was read as one that may be used; an empty text takes a key away. KUBE_CONFLICT when it has changed
 * meanwhile. In one that is not marked as what belongs to the owner with this uid it notes which keys the operator has written.
 */
export async function writeGiven(
  kube: Kube,
  secret: Stored<Secret>,
  texts: Texts,
  ownerUid: string,
): Promise<Stored<Secret>> {
  const { resourceVersion, annotations = {} } = secret.metadata;
  const isOwn = isMarkedAs(secret.metadata, ownerUid);
  const noted = Object.keys(texts).reduce<Readonly<Record<string, string>>>(
    (marks, key) => ({ ...marks, [WRITTEN_ANNOTATION]: listedToo({ annotations: marks }, WRITTEN_ANNOTATION, key) }),
    annotations,
  );
  const metadata = isOwn ? { resourceVersion } : { resourceVersion, annotations: noted };
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text === "" ? null : encodeBase64(text)]),
  );
  return kube.patch(Secrets, refOf(secret), { type: "merge", body: { metadata, data } });
}

/** Writes keys of a Secret of the operator's own that was read, and annotations; KUBE_CONFLICT when it has changed meanwhile. */
export async function writeOwn(
  kube: Kube,
  secret: Stored<Secret>,
  texts: Readonly<Record<string, string | undefined>>,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const metadata = { resourceVersion: secret.metadata.resourceVersion, annotations };
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text === undefined ? null : encodeBase64(text)]),
  );
  await kube.patch(Secrets, refOf(secret), { type: "merge", body: { metadata, data } });
}

/** Writes annotations of a Secret of the product's own; KUBE_NOT_FOUND when it is gone. */
export function annotateOwn(
  kube: Kube,
  ref: Ref,
  annotations: Readonly<Record<string, string>>,
): Promise<Stored<Secret>> {
  return kube.patch(Secrets, ref, { type: "merge", body: { metadata: { annotations } } });
}

/** Makes a Secret with these texts; KUBE_ALREADY_EXISTS when there is one of its name. */
export function createOwn(kube: Kube, metadata: Wanted<Secret>["metadata"], texts: Texts): Promise<Stored<Secret>> {
  return kube.create(Secrets, { metadata, type: "Opaque", data: encodedAll(texts) });
}

/**
 * Writes keys of a Secret that was read, in one write, and removes those of undefined. What another writer changed meanwhile is
 * looked at by the next pass.
 */
export async function writeUnlessChanged(
  kube: Kube,
  secret: Stored<Secret>,
  texts: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  try {
    await writeOwn(kube, secret, texts);
  } catch (error) {
    if (!isFault(error, faults.conflict)) throw error;
  }
}

type Texts = Readonly<Record<string, string>>;
