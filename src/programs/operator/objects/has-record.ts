import { z } from "zod";
import { LABELS } from "../../../core/api/names.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import type { Kube, Ref } from "#kit/kube/kube";

/** Whether there is that record. What is followed may have nothing yet, and that is no answer: the API server is asked then. */
export async function hasRecord(
  { kube, cache }: { readonly kube: Pick<Kube, "list">; readonly cache: Pick<InformerCache, "records"> },
  { name, namespace }: Required<Ref>,
): Promise<boolean> {
  if (cache.records.get({ name, namespace }) !== undefined) return true;
  const { items } = await kube.list(ConfigMaps, { namespace, fieldSelector: `metadata.name=${name}` });
  return items.length > 0;
}

/**
 * Whether the cluster has a record of a database of this name, whatever its uid; one that cannot be read may be it. The API server is
 * asked, not what is followed.
 */
export async function hasRecordNamed(
  { kube }: { readonly kube: Pick<Kube, "list"> },
  cluster: string,
  { name, namespace }: Required<Ref>,
): Promise<boolean> {
  const labelSelector = `${LABELS.cluster}=${cluster},${LABELS.record}=database`;
  const { items } = await kube.list(ConfigMaps, { namespace, labelSelector });
  return items.some(({ data }) => [name, undefined].includes(nameIn(data?.["record"])));
}

/** Undefined when it cannot be read. */
function nameIn(record = ""): string | undefined {
  try {
    return RECORD.safeParse(JSON.parse(record)).data?.name;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const RECORD = z.object({ name: z.string() });
