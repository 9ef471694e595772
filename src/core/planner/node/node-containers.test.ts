import assert from "node:assert/strict";
import { test } from "node:test";
import { parseQuantity } from "#kit/base/quantity";
import { NODE_RESERVE_BYTES } from "./capacity.ts";
import { dividedMemory, dividedResources, type Resources } from "./node-containers.ts";

const MIB = 1024 * 1024;

const rules: readonly (readonly [rule: string, node: Resources, agent: Resources, engines: Resources])[] = [
  [
    "agent and proxy get what they take at worst, and the engines the rest",
    { limits: { cpu: "2", memory: "4Gi" } },
    { limits: { cpu: "1000m", memory: "704Mi" } },
    { limits: { cpu: "1000m", memory: "3392Mi" } },
  ],
  [
    "in a small node they get eleven sixteenths",
    { requests: { memory: "512Mi" } },
    { requests: { memory: "352Mi" } },
    { requests: { memory: "160Mi" } },
  ],
  [
    "in a large node they get a sixteenth, since it has more clients",
    { limits: { memory: "64Gi" } },
    { limits: { memory: "4096Mi" } },
    { limits: { memory: "61440Mi" } },
  ],
  ["what is not limited stays so", {}, {}, {}],
  [
    "each shares the CPUs that are idle where CPU is not limited",
    { requests: { cpu: "2" }, limits: { memory: "4Gi" } },
    { requests: { cpu: "1000m" }, limits: { memory: "704Mi" } },
    { requests: { cpu: "1000m" }, limits: { memory: "3392Mi" } },
  ],
  [
    "agent and proxy get no more CPU than their two threads can use",
    { requests: { cpu: "3" }, limits: { cpu: "16" } },
    { requests: { cpu: "1500m" }, limits: { cpu: "2000m" } },
    { requests: { cpu: "1500m" }, limits: { cpu: "14000m" } },
  ],
  [
    "of an odd number the engines get more",
    { requests: { cpu: "3m" } },
    { requests: { cpu: "1m" } },
    { requests: { cpu: "2m" } },
  ],
  [
    "resources that cannot be divided stay with the agent",
    { limits: { "ephemeral-storage": "1Gi" } },
    { limits: { "ephemeral-storage": "1Gi" } },
    { limits: {} },
  ],
];
for (const [rule, node, agent, engines] of rules)
  test(`containers of a node: ${rule}`, () => {
    assert.deepEqual(dividedResources(node), { agent, engines });
  });

test("both containers together have exactly what the node has, and no request is above its limit", () => {
  const sizes = ["1", "300Mi", "1000000001", "1Gi", "1.5Gi", "4Gi", "11Gi", "12Gi", "64G"];
  const of = (part: Resources): number => parseQuantity(part.limits?.["memory"] ?? "");
  const parts = sizes.map((memory) => ({ memory, ...dividedResources({ limits: { memory } }) }));
  for (const { memory, agent, engines } of parts)
    assert.equal(of(agent) + of(engines), Math.floor(parseQuantity(memory)));
  const growing = (values: readonly number[]) => values.toSorted((a, b) => a - b);
  assert.deepEqual(
    parts.map(({ agent }) => of(agent)),
    growing(parts.map(({ agent }) => of(agent))),
  );
  assert.deepEqual(
    parts.map(({ engines }) => of(engines)),
    growing(parts.map(({ engines }) => of(engines))),
  );
});

for (const [rule, agent, engines, machine, limit, reserve] of [
  ["the limits of both, and all of the agent's is taken", 704, 3392, 24_576, 4096, 704 + 48],
  ["without limits the machine, of which agent and proxy take their part", 24_576, 24_576, 24_576, 24_576, 704 + 48],
  ["a large container of the agent takes nothing from the engines", 2048, 2048, 24_576, 4096, 2048 + 48],
  ["in a small node the agent's part is what its container has", 352, 160, 24_576, 512, 352 + 48],
] as const)
  test(`memory of a node with two containers: ${rule}`, () => {
    const found = dividedMemory({ bytes: agent * MIB, reserve: NODE_RESERVE_BYTES }, engines * MIB, machine * MIB);
    assert.deepEqual(found, { limit: limit * MIB, reserve: reserve * MIB });
  });
