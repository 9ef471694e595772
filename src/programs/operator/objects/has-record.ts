import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { ConfigMaps } from "../../../ports/kube/builtin.ts";
import type { Kube, Ref } from "../../../ports/kube/kube.ts";

/** Whether there is that record. What is followed may have nothing yet, and that is no answer: the API server is asked then. */
export async function hasRecord(
  { kube, cache }: { readonly kube: Pick<Kube, "list">; readonly cache: Pick<InformerCache, "records"> },
  { name, namespace }: Required<Ref>,
): Promise<boolean> {
  if (cache.records.get({ name, namespace }) !== undefined) return true;
  const { items } = await kube.list(ConfigMaps, { namespace, fieldSelector: `metadata.name=${name}` });
  return items.length > 0;
}
