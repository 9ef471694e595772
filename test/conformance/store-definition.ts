import assert from "node:assert/strict";
import { until } from "#kit/testing/until";
import type { RuleContext } from "./rule-set.ts";

export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The API group of the scene's own definitions: definitions have no namespace, and a Kubernetes outlives a run. */
export function groupOf({ namespace }: RuleContext): string {
  return `${namespace}.example.io`;
}

/** A version with everything that our own definitions use. */
export function version(name: string) {
  return {
    name,
    served: true,
    storage: name === "v1",
    schema: { openAPIV3Schema: { type: "object", properties: { spec: SPEC, status: STATUS } } },
    subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
    additionalPrinterColumns: COLUMNS,
  };
}

/** A definition of `kind`, named after the scene's group. */
export function definition(
  context: RuleContext,
  plural: string,
  kind: string,
  versions: readonly object[] = [version("v1"), version("v1alpha1")],
) {
  const group = groupOf(context);
  const names = { plural, kind, shortNames: [plural.slice(0, 3)], categories: ["all"] };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names, versions },
  };
}

/** A Store in the scene's group. */
export function store(context: RuleContext, name: string, spec: object = { size: 1 }): object {
  return { apiVersion: `${groupOf(context)}/v1`, kind: "Store", metadata: { name }, spec };
}

/** Creates the definition, waits until its objects can be listed, and takes it away with the scene. */
export async function install(context: RuleContext, body: ReturnType<typeof definition>): Promise<void> {
  const made = await context.send("POST", CRDS, { body });
  assert.equal(made.code, 201, made.text);
  context.cleanUp(async () => {
    await context.send("DELETE", `${CRDS}/${body.metadata.name}`);
  });
  const objects = context.at(`${body.spec.group}/v1/${body.spec.names.plural}`);
  await until("it is served", async () => (await context.send("GET", objects)).code === 200, { everyMs: 50 });
}

const SPEC = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 9 },
    mode: { type: "string", enum: ["fast", "slow"], default: "fast" },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, port: { type: "integer" } },
      },
    },
  },
};

const STATUS = {
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
  properties: { phase: { type: "string" } },
};

const COLUMNS: object[] = [
  { name: "Size", type: "integer", jsonPath: ".spec.size" },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Port", type: "string", jsonPath: ".status.ports[*].port", priority: 1 },
  { name: "Big", type: "boolean", jsonPath: ".status.big" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];
