import type { StatusCause } from "../faults.ts";
import { at, isJson, listAt, numberAt, textAt, type Json } from "../objects/json.ts";

const MAX_PORT = 65_535;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DNS_LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/**
 * What is wrong with a pod's spec beyond its schema; `path` is where the spec stands, `claimed` names volumes that its
 * workload adds.
 */
export function podSpecRules(spec: Json, path: string, claimed: readonly string[] = []): StatusCause[] {
  const volumes = new Set([...claimed, ...listAt(spec, "volumes").map((volume) => textAt(volume, "name"))]);
  const lists = ["initContainers", "containers"].flatMap((list) =>
    listAt(spec, list).flatMap((container, i) => containerRules(container, `${path}.${list}[${i}]`, volumes)),
  );
  const names = listAt(spec, "containers").map((container) => textAt(container, "name"));
  const repeated = names.flatMap((name, i) =>
    names.indexOf(name) < i ? [duplicate(`${path}.containers[${i}].name`, name)] : [],
  );
  const sources = listAt(spec, "volumes").flatMap((volume, i) => volumeRules(volume, `${path}.volumes[${i}]`));
  const none = names.length === 0 ? [requiredCause(`${path}.containers`)] : [];
  return [...sources, ...none, ...lists, ...repeated];
}

/** The rules for `spec.template.spec` of a workload, and for its number of replicas. */
export function workloadRules(object: Json): StatusCause[] {
  const template = at(object, "spec", "template", "spec");
  const replicas = numberAt(object, "spec", "replicas") ?? 0;
  const negative = replicas < 0 ? [invalid("spec.replicas", replicas, "must be greater than or equal to 0")] : [];
  const claimed = listAt(object, "spec", "volumeClaimTemplates").map((claim) => textAt(claim, "metadata", "name"));
  return [...negative, ...(isJson(template) ? podSpecRules(template, "spec.template.spec", claimed) : [])];
}

/** A port number that is none. */
export function portRules(port: unknown, field: string): StatusCause[] {
  const valid = typeof port === "number" && port >= 1 && port <= MAX_PORT;
  return valid ? [] : [invalid(field, port, "must be between 1 and 65535, inclusive")];
}

function containerRules(container: Json, path: string, volumes: ReadonlySet<string>): StatusCause[] {
  const name = textAt(container, "name");
  const ports = listAt(container, "ports").flatMap(({ containerPort }, i) =>
    portRules(containerPort, `${path}.ports[${i}].containerPort`),
  );
  const mounts = listAt(container, "volumeMounts").flatMap((mount, i) => {
    const volume = textAt(mount, "name");
    const field = `${path}.volumeMounts[${i}].name`;
    return volumes.has(volume)
      ? []
      : [{ reason: "FieldValueNotFound", field, message: `Not found: ${JSON.stringify(volume)}` }];
  });
  return [
    ...(DNS_LABEL.test(name) ? [] : [invalid(`${path}.name`, name, DNS_LABEL_RULE)]),
    ...(textAt(container, "image") === "" ? [requiredCause(`${path}.image`)] : []),
    ...ports,
    ...mounts,
  ];
}

function volumeRules(volume: Json, path: string): StatusCause[] {
  const [type, ...more] = Object.keys(volume).filter((key) => key !== "name");
  if (type === undefined) return [requiredCause(path, ": must specify a volume type")];
  const message = "Forbidden: may not specify more than 1 volume type";
  return more.map((other) => ({ reason: "FieldValueForbidden", field: `${path}.${other}`, message }));
}

function requiredCause(field: string, rule = ""): StatusCause {
  return { reason: "FieldValueRequired", field, message: `Required value${rule}` };
}

function duplicate(field: string, value: string): StatusCause {
  return { reason: "FieldValueDuplicate", field, message: `Duplicate value: ${JSON.stringify(value)}` };
}

function invalid(field: string, value: unknown, rule: string): StatusCause {
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${JSON.stringify(value)}: ${rule}` };
}
