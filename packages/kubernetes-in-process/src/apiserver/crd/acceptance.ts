import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { jsonAt, listAt, textAt, textsAt, type Json } from "../objects/json.ts";
import { copyOf, type KubeObject } from "../objects/object.ts";
import type { ServerContext } from "../context/server-context.ts";
import { bucketOf } from "./definition.ts";

/** Where the store keeps CustomResourceDefinitions. */
export const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

/** `definition` as it is when its names are accepted: what `kubectl wait --for=condition=Established` waits for. */
export function acceptDefinition(context: ServerContext, definition: KubeObject): KubeObject {
  const next = copyOf(definition);
  const conflict = nameConflict(context, definition);
  const spec = jsonAt(definition, "spec");
  const stored = listAt(spec, "versions").find((version) => version["storage"] === true);
  const versions = new Set([...textsAt(definition, "status", "storedVersions"), textAt(stored, "name")]);
  const conditions = [
    conflict === undefined
      ? ["NamesAccepted", "True", "NoConflicts", "no conflicts found"]
      : ["NamesAccepted", "False", "NameConflict", conflict],
    conflict === undefined
      ? ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"]
      : ["Established", "False", "NotAccepted", "not all names are accepted"],
    ...(definition.metadata.deletionTimestamp === undefined
      ? []
      : [["Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"]]),
  ] as const;
  next["status"] = {
    conditions: conditions.map(([type, status, reason, message]) =>
      condition(context, definition, { type, status, reason, message }),
    ),
    acceptedNames: conflict === undefined ? spec["names"] : { plural: "", kind: "" },
    storedVersions: [...versions],
  };
  return next;
}

function condition(context: ServerContext, definition: KubeObject, wanted: Json): Json {
  const current = listAt(definition, "status", "conditions").find(({ type }) => type === wanted["type"]);
  const since = current?.["status"] === wanted["status"] ? current?.["lastTransitionTime"] : undefined;
  const { type, status, reason, message } = wanted;
  return { lastTransitionTime: since ?? timestamp(context.clock.now()), message, reason, status, type };
}

/** Which other resource of the group has one of the names already. */
function nameConflict(context: ServerContext, definition: KubeObject): string | undefined {
  const names = jsonAt(definition, "spec", "names");
  const wanted = [textAt(names, "plural"), textAt(names, "singular"), ...textsAt(names, "shortNames")];
  const bucket = bucketOf(definition);
  const others = context.registry
    .all()
    .filter((other) => other.bucket !== bucket && other.group === textAt(definition, "spec", "group"));
  for (const other of others) {
    const taken = [other.plural, other.singular, ...other.shortNames].find((name) => wanted.includes(name));
    if (taken !== undefined) return `${JSON.stringify(taken)} is already in use`;
    if (other.kind === textAt(names, "kind")) return `${JSON.stringify(other.kind)} is already in use`;
  }
  return undefined;
}
