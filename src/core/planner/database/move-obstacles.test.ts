import assert from "node:assert/strict";
import { test } from "node:test";
import { moveObstacle } from "./move-obstacles.ts";
import type { ObstacleView } from "./move-obstacles.ts";

const LIMIT = 100_000_000;

interface Sides {
  readonly primary?: Partial<ObstacleView["primary"]>;
  readonly target?: Partial<ObstacleView["target"]>;
  readonly more?: Partial<ObstacleView>;
}

function view({ primary = {}, target = {}, more = {} }: Sides): ObstacleView {
  const engine = {
    host: "10.0.0.1",
    port: 1,
    role: "primary",
    offset: 0,
    replicas: [],
    maxMemory: LIMIT,
    countedMemory: 50_000_000,
    backlogMemory: 0,
    evicts: false,
    clock: { aheadMs: 0, uncertainMs: 1 },
    modules: [],
  } as const;
  return {
    primary: { ...engine, engine: { family: "valkey", version: "8.0.1" }, ...primary },
    target: { ...engine, engine: { family: "redis", version: "8.0.2" }, role: "replica", ...target },
    rollback: false,
    database: { name: "orders" },
    from: 1,
    to: 2,
    ...more,
  };
}

const cases: readonly (Sides & { readonly rule: string; readonly finds?: readonly [string, RegExp, RegExp] })[] = [
  { rule: "data that fits into both engines moves" },
  {
    rule: "data over the limit of the next engine would refuse writes",
    primary: { countedMemory: 93_100_000 },
    target: { countedMemory: 102_300_000 },
    finds: [
      "MemoryTooSmall",
      /takes 102300000 bytes in redis 8\.0\.2 and 93100000 in valkey 8\.0\.1; its limit is 100000000: writes .* refused/,
      /kubectl patch redb orders .*"memorySize":"113MB"/,
    ],
  },
  {
    rule: "so does what is within a margin below the limit, and more than it was",
    primary: { countedMemory: 98_000_000 },
    target: { countedMemory: 99_500_000 },
    finds: ["MemoryTooSmall", /99500000/, /110MB/],
  },
  {
    rule: "what the backlog of a primary takes counts for a replica that has filled none yet",
    primary: { countedMemory: 98_000_000, backlogMemory: 5_000_000 },
    target: { countedMemory: 96_100_000, backlogMemory: 1_000_000 },
    finds: ["MemoryTooSmall", /takes 100100000 bytes/, /111MB/],
  },
  {
    rule: "what is near the limit and takes less than before moves",
    primary: { countedMemory: 99_600_000 },
    target: { countedMemory: 99_500_000 },
  },
  {
    rule: "a primary at its limit refuses writes already, and moves",
    primary: { countedMemory: 100_000_000 },
    target: { countedMemory: 104_000_000 },
  },
  {
    rule: "a database that evicts, and has had room, says how much would be evicted",
    primary: { countedMemory: 93_000_000, evicts: true },
    target: { countedMemory: 102_000_000, evicts: true },
    finds: ["MemoryTooSmall", /2000000 bytes of it would be evicted/, /memorySize/],
  },
  {
    rule: "a cache at its limit evicts all the time, and moves",
    primary: { countedMemory: 99_900_000, evicts: true },
    target: { countedMemory: 102_000_000, evicts: true },
  },
  {
    rule: "an engine without a limit takes everything",
    primary: { countedMemory: 1, maxMemory: 0 },
    target: { countedMemory: 1e12, maxMemory: 0 },
  },
  {
    rule: "a move to another engine of the same version is judged by its clock alone",
    primary: { countedMemory: 93_100_000 },
    target: { countedMemory: 102_300_000, engine: { family: "valkey", version: "8.0.1" } },
  },
  {
    rule: "a return to the former engine is not held up",
    primary: { countedMemory: 93_100_000 },
    target: { countedMemory: 102_300_000 },
    more: { rollback: true },
  },
  {
    rule: "an Active-Active database names its own object",
    primary: { countedMemory: 93_100_000 },
    target: { countedMemory: 102_300_000 },
    more: { database: { name: "orders", activeActive: { guid: "g", site: 1 } } },
    finds: ["MemoryTooSmall", /102300000/, /kubectl patch reaadb orders .*globalConfigurations.*113MB/],
  },
  {
    rule: "clocks that differ by less than two seconds are the same",
    target: { clock: { aheadMs: 1_900, uncertainMs: 1 } },
  },
  {
    rule: "a clock that is ahead expires keys too early",
    target: { clock: { aheadMs: 600_000, uncertainMs: 1 } },
    finds: ["ClockApart", /node 2 is 600\.0 s ahead of that of node 1.*too early/, /kubectl get pods .*-o wide/],
  },
  {
    rule: "a clock that is behind lets keys live on",
    target: { clock: { aheadMs: -5_000, uncertainMs: 1 } },
    finds: ["ClockApart", /node 2 is 5\.0 s behind that of node 1.*too late/, /chronyc/],
  },
  {
    rule: "an answer that took long proves no difference",
    primary: { clock: { aheadMs: 0, uncertainMs: 700 } },
    target: { clock: { aheadMs: 3_000, uncertainMs: 400 } },
  },
];

for (const { rule, finds, ...sides } of cases)
  test(rule, () => {
    const found = moveObstacle(view(sides));
    assert.equal(found?.id, finds?.[0]);
    if (found === undefined || finds === undefined) return;
    assert.equal(found.severity, "wait");
    assert.match(found.evidence, finds[1]);
    assert.match(found.remedy, finds[2]);
  });
