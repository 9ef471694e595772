import { isDeepStrictEqual } from "node:util";
import type { Endpoints, Service } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import * as builtin from "../../../../controller-kit/src/kube/builtin.ts";
import type { Kube, ResourceType, Stored, Wanted } from "../../../../controller-kit/src/kube/kube.ts";
import { keyOf, refOf, refOfKey } from "../../../../controller-kit/src/kube/ref.ts";
import { selectsAll } from "../../../../controller-kit/src/kube/selector.ts";
import { AT_REST, type Outcome } from "../../../../controller-kit/src/reconcile/outcome.ts";
import type { ControllerDefinition, ControllerContext } from "../context/context.ts";
import { enqueueChanged } from "../context/informers.ts";
import { backendOf } from "./endpoint.ts";
import { endpointsOf, MANAGED_BY, SERVICE_LABEL, SLICE_MANAGER, endpointSlicesOf } from "./slices.ts";

/** Keeps the EndpointSlices and Endpoints of each Service that has a selector. */
export function serviceController(context: ControllerContext): ControllerDefinition {
  const { services, pods, endpointSlices, endpoints } = context.informers;
  return {
    name: "service",
    workers: 2,
    reconcile: (key) => reconcile(context, key),
    wire: (enqueue) => {
      enqueueChanged(services, enqueue);
      enqueueChanged(endpoints, enqueue);
      endpointSlices.onChange((ref, current, previous) => {
        const name = (current ?? previous)?.metadata.labels?.[SERVICE_LABEL];
        if (name !== undefined) enqueue(keyOf({ ...ref, name }));
      });
      pods.onChange((ref, current, previous) => {
        for (const service of services.list()) {
          if (service.metadata.namespace !== ref.namespace) continue;
          if (selectsPod(service, current) || selectsPod(service, previous)) enqueue(keyOf(refOf(service)));
        }
      });
    },
  };
}

async function reconcile({ kube, informers }: ControllerContext, key: string): Promise<Outcome> {
  const ref = refOfKey(key);
  const service = informers.services.get(ref);
  if (service?.spec?.selector === undefined || service.spec.type === "ExternalName") return AT_REST;
  if (service.metadata.deletionTimestamp !== undefined) return AT_REST;
  const pods = informers.pods
    .list()
    .filter((pod) => pod.metadata.namespace === ref.namespace && selectsPod(service, pod));
  const backends = pods.flatMap((pod) => backendOf(service, pod) ?? []);
  const slices = endpointSlicesOf(service, backends);
  const existing = informers.endpointSlices.list().filter((slice) => isOwn(slice, service));
  for (const slice of slices)
    await createOrReplace(kube, builtin.EndpointSlices, existing, slice, (one) => [one.endpoints, one.ports]);
  const kept = new Set(slices.map(({ metadata }) => metadata.name));
  for (const slice of existing)
    if (!kept.has(slice.metadata.name)) await kube.delete(builtin.EndpointSlices, refOf(slice));
  const older = informers.endpoints.get(ref);
  await createOrReplace(
    kube,
    builtin.Endpoints,
    older === undefined ? [] : [older],
    endpointsOf(service, backends),
    (one) => one.subsets,
  );
  return AT_REST;
}

function selectsPod(service: Stored<Service>, pod: Stored<object> | undefined): boolean {
  const selector = service.spec?.selector;
  return (
    pod !== undefined &&
    selector !== undefined &&
    Object.keys(selector).length > 0 &&
    selectsAll(selector, pod.metadata.labels)
  );
}

function isOwn({ metadata }: Stored<EndpointSlice>, service: Stored<Service>): boolean {
  const { labels, namespace } = metadata;
  return (
    namespace === service.metadata.namespace &&
    labels?.[SERVICE_LABEL] === service.metadata.name &&
    labels[MANAGED_BY] === SLICE_MANAGER
  );
}

/** Creates what is missing, and replaces what differs in the facts that matter or in its labels. */
async function createOrReplace<T extends EndpointSlice | Endpoints>(
  kube: Kube,
  type: ResourceType<T>,
  existing: readonly Stored<T>[],
  wanted: Wanted<T>,
  factsOf: (object: Stored<T> | Wanted<T>) => unknown,
): Promise<void> {
  const before = existing.find(({ metadata }) => metadata.name === wanted.metadata.name);
  if (before === undefined) {
    await kube.create(type, wanted);
    return;
  }
  const parts = (object: Stored<T> | Wanted<T>): unknown => [factsOf(object) ?? [], object.metadata.labels ?? {}];
  if (isDeepStrictEqual(parts(before), parts(wanted))) return;
  const { labels = {}, ownerReferences = [] } = wanted.metadata;
  await kube.update(type, { ...before, ...wanted, metadata: { ...before.metadata, labels, ownerReferences } });
}
