import { invalidError, apiErrors, apiError } from "../faults.ts";
import { childOf, jsonAt, textAt, textsAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { ServerContext } from "../context/server-context.ts";

/**
 * Gives a service its cluster IP: the one it had, the one it asks for when that is free and in range, else the next free
 * one. Headless services keep `None`, ExternalName services have no address.
 */
export function assignClusterIp(context: ServerContext, service: KubeObject, before: KubeObject | undefined): void {
  const spec = childOf(service, "spec");
  if (spec["type"] === "ExternalName") {
    delete spec["clusterIP"];
    delete spec["clusterIPs"];
    return;
  }
  const old = before === undefined ? "" : textAt(before, "spec", "clusterIP");
  const asked = textAt(spec, "clusterIP") || (textsAt(spec, "clusterIPs")[0] ?? "");
  if (asked === "None" || (old !== "" && asked !== "" && asked !== old)) {
    spec["clusterIP"] = asked;
    spec["clusterIPs"] = [asked];
    return;
  }
  const address = old === "" ? allocateAddress(context, service, asked) : old;
  spec["clusterIP"] = address;
  spec["clusterIPs"] = [address];
}

function allocateAddress(context: ServerContext, service: KubeObject, asked: string): string {
  const taken = new Set(context.store.list("services").map((other) => textAt(jsonAt(other, "spec"), "clusterIP")));
  const range = Array.from({ length: 254 }, (_, index) => `${context.servicePrefix}${index + 1}`);
  if (asked === "") {
    const free = range.find((address) => !taken.has(address));
    if (free === undefined)
      throw apiError(apiErrors.internal, `all 254 cluster IPs of ${context.servicePrefix}0/24 are in use`);
    return free;
  }
  const why = taken.has(asked)
    ? "provided IP is already allocated"
    : `the provided network does not match the current range ${context.servicePrefix}0/24`;
  if (!taken.has(asked) && range.includes(asked)) return asked;
  const message = `Invalid value: ${JSON.stringify([asked])}: failed to allocate IP ${asked}: ${why}`;
  throw invalidError({ group: "", kind: "Service" }, service.metadata.name, [
    { reason: "FieldValueInvalid", field: "spec.clusterIPs", message },
  ]);
}
