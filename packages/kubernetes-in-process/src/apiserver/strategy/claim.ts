import { parseQuantity } from "../../../../controller-kit/src/base/quantity.ts";
import type { StatusCause } from "../faults.ts";
import { childOf, fillIn, jsonAt, mapAt, textAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import { sameJson } from "../schema/json.ts";
import type { Strategy } from "../resources/resource.ts";

export const claimStrategy: Strategy = {
  defaults: (claim) => {
    fillIn(childOf(claim, "spec"), { volumeMode: "Filesystem" });
  },
  begin: (claim) => {
    claim["status"] = { phase: "Pending" };
    const finalizers = (claim.metadata.finalizers ??= []);
    if (!finalizers.includes("kubernetes.io/pvc-protection")) finalizers.push("kubernetes.io/pvc-protection");
  },
  check: (claim, before) =>
    before === undefined ? [] : [...requireSameSpec(claim, before), ...requireNotSmaller(claim, before)],
};

/** A claim keeps its spec; the volume is named once, and what is requested may change once it is bound. */
function requireSameSpec(claim: KubeObject, before: KubeObject): StatusCause[] {
  const old = jsonAt(before, "spec");
  const free = [
    ...(textAt(before, "status", "phase") === "Bound" ? ["resources", "volumeAttributesClassName"] : []),
    ...["volumeName", "storageClassName"].filter((name) => (old[name] ?? "") === ""),
  ];
  const rest = (spec: Json): Json => Object.fromEntries(Object.entries(spec).filter(([name]) => !free.includes(name)));
  if (sameJson(rest(jsonAt(claim, "spec")), rest(old))) return [];
  const message =
    "Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  return [{ reason: "FieldValueForbidden", field: "spec", message }];
}

/** Less may be requested only while the volume has not grown so far. */
function requireNotSmaller(claim: KubeObject, before: KubeObject): StatusCause[] {
  const [now, then] = [claim, before].map((one) => storageIn(mapAt(one, "spec", "resources", "requests")));
  const has = storageIn(mapAt(before, "status", "capacity"));
  if (now === undefined || then === undefined || now >= then || (has !== undefined && now > has)) return [];
  const message = "Forbidden: field can not be less than status.capacity";
  return [{ reason: "FieldValueForbidden", field: "spec.resources.requests.storage", message }];
}

function storageIn({ storage }: Json): number | undefined {
  return storage === undefined ? undefined : parseQuantity(String(storage));
}
