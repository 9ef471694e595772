import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container } from "kubernetes-types/core/v1.js";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { environmentOf, expand } from "./environment.ts";
import { podFactsOf } from "../../testing/pod-facts.ts";
import { inUnits, parseQuantity } from "../../../../controller-kit/src/base/quantity.ts";
import type { ConfigSources } from "./config-sources.ts";

const facts = podFactsOf({ labels: { app: "web" }, annotations: { note: "a b" } });
const sources: ConfigSources = {
  secret: async (name) => (name === "login" ? { user: Buffer.from("ann"), password: Buffer.from("pw") } : undefined),
  configMap: async (name) => (name === "settings" ? { color: Buffer.from("red") } : undefined),
};

const cases: { name: string; container: Partial<Container>; want: Record<string, string> }[] = [
  {
    name: "later variables see earlier ones; unknown names stay as they are",
    container: {
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "$(A)-$(BASE)-$(NONE)-$$(A)" },
      ],
    },
    want: { A: "1", B: "1-base-$(NONE)-$(A)" },
  },
  {
    name: "fields of the pod",
    container: {
      env: [
        field("NAME", "metadata.name"),
        field("UID", "metadata.uid"),
        field("NS", "metadata.namespace"),
        field("APP", "metadata.labels['app']"),
        field("NOTE", "metadata.annotations['note']"),
        field("IP", "status.podIP"),
        field("NODE", "spec.nodeName"),
      ],
    },
    want: { NAME: "web-0", UID: "u1", NS: "shop", APP: "web", NOTE: "a b", IP: "127.42.1.7", NODE: "here" },
  },
  {
    name: "resources in units of the divisor, rounded up; the node's where no limit is set",
    container: {
      resources: { limits: { cpu: "1500m", memory: "1Gi" } },
      env: [
        resource("CPU", "limits.cpu"),
        resource("MIB", "requests.memory", "1Mi"),
        resource("MILLI", "limits.cpu", "1m"),
      ],
    },
    want: { CPU: "2", MIB: "1024", MILLI: "1500" },
  },
  {
    name: "keys of Secrets and ConfigMaps, all of one with a prefix, optional ones that are missing left out",
    container: {
      envFrom: [{ prefix: "S_", secretRef: { name: "login" } }, { configMapRef: { name: "gone", optional: true } }],
      env: [
        { name: "USER", valueFrom: { secretKeyRef: { name: "login", key: "user" } } },
        { name: "COLOR", valueFrom: { configMapKeyRef: { name: "settings", key: "color" } } },
        { name: "LESS", valueFrom: { secretKeyRef: { name: "gone", key: "x", optional: true } } },
      ],
    },
    want: { S_user: "ann", S_password: "pw", USER: "ann", COLOR: "red" },
  },
];

for (const { name, container, want } of cases) {
  test(`environment: ${name}`, async () => {
    const env = await environmentOf({ name: "main", ...container }, { BASE: "base" }, facts, sources);
    assert.deepEqual(env, { BASE: "base", ...want });
  });
}

const refusals = [
  {
    name: "a missing Secret is named",
    env: { name: "X", valueFrom: { secretKeyRef: { name: "gone", key: "k" } } },
    says: /secret "gone" not found/,
  },
  {
    name: "a missing key is named",
    env: { name: "X", valueFrom: { secretKeyRef: { name: "login", key: "k" } } },
    says: /key k in secret login/,
  },
  { name: "an unknown field is named", env: field("X", "spec.color"), says: /"spec.color"/ },
];

for (const { name, env, says } of refusals) {
  test(`environment: ${name}`, async () => {
    await assert.rejects(environmentOf({ name: "main", env: [env] }, {}, facts, sources), (error) => {
      assert.ok(error instanceof Fault);
      assert.match(error.message, says);
      return true;
    });
  });
}

test("arguments are expanded like variables", () => {
  assert.equal(expand("--port=$(PORT) $$(PORT) $(", { PORT: "80" }), "--port=80 $(PORT) $(");
});

test("quantities are numbers with decimal, binary or exponent suffixes", () => {
  const texts = ["500m", "2", "1.5Gi", "1e3", "12E", "10k", "x", ""];
  assert.deepEqual(texts.map(parseQuantity), [0.5, 2, 1.5 * 2 ** 30, 1000, 12e18, 10_000, NaN, NaN]);
  assert.equal(inUnits(parseQuantity("100m"), parseQuantity("1m")), 100);
});

function field(name: string, fieldPath: string): { name: string; valueFrom: { fieldRef: { fieldPath: string } } } {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

function resource(name: string, of: string, divisor = "1"): NonNullable<Container["env"]>[number] {
  return { name, valueFrom: { resourceFieldRef: { resource: of, divisor } } };
}
