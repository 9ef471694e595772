import { at, textAt, type Json } from "../objects/json.ts";
import { copyOf, type KubeObject } from "../objects/object.ts";
import type { Strategy } from "../resources/resource.ts";

/** Names of the same field in v1 (stored) and in events.k8s.io/v1. */
const RENAMED: readonly (readonly [core: string, modern: string])[] = [
  ["message", "note"],
  ["involvedObject", "regarding"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

export const coreEventStrategy: Strategy = {
  defaults: (event) => {
    event["source"] ??= {};
    event["reportingComponent"] ??= "";
    event["reportingInstance"] ??= "";
  },
  check: (event) => {
    const namespace = textAt(event, "involvedObject", "namespace");
    const own = event.metadata.namespace ?? "";
    if (namespace === own || (namespace === "" && ["default", "kube-system"].includes(own))) return [];
    const message = `Invalid value: ${JSON.stringify(namespace)}: does not match event.namespace`;
    return [{ reason: "FieldValueInvalid", field: "involvedObject.namespace", message }];
  },
};

/** events.k8s.io/v1 shows the events of the core group under newer names. */
export const modernEventStrategy: Strategy = {
  toStored: (event) => renameFields(event, "v1", (pair) => [pair[1], pair[0]]),
  fromStored: (event) => renameFields(event, "events.k8s.io/v1", (pair) => [pair[0], pair[1]]),
  check: (event) =>
    at(event, "eventTime") === undefined && at(event, "deprecatedFirstTimestamp") === undefined
      ? [{ reason: "FieldValueRequired", field: "eventTime", message: "Required value" }]
      : [],
};

function renameFields(
  event: KubeObject,
  apiVersion: string,
  direction: (pair: readonly [string, string]) => readonly [from: string, to: string],
): KubeObject {
  const result: KubeObject = { ...copyOf(event), apiVersion };
  const fields: Json = result;
  for (const pair of RENAMED) {
    const [from, to] = direction(pair);
    if (fields[from] === undefined) continue;
    fields[to] = fields[from];
    delete fields[from];
  }
  return result;
}
