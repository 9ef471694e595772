import assert from "node:assert/strict";
import { test } from "node:test";
import { nearby, references } from "../../../../test/kit/facts/references.ts";
import { evenSlots, slotsText } from "../../slots/shard-slots.ts";
import { databaseSpec } from "../../api/database-spec.ts";
import { DATABASE_RULES } from "./database.ts";
import { causeText, objections } from "./objection.ts";
import type { ReviewedDatabase } from "./reviewed-database.ts";

const spec = (from: object) => databaseSpec.parse(from);
const existing = { port: 10_000, storeVersion: "7.4", shards: 1, cluster: "rec" } as const;

const many = references({ clusters: [nearby({ shards: { used: 0, limit: 20 } })] });

/** What is asked of the shards of a database, and of what the licence counts. */
const cases: readonly {
  readonly rule: string;
  readonly spec: object;
  readonly change?: Partial<ReviewedDatabase>;
  /** Field of the one objection; none when absent. */
  readonly field?: string;
  readonly says?: RegExp;
}[] = [
  { rule: "a database may have several shards", spec: { shardCount: 2 } },
  {
    rule: "a database with modules has one",
    spec: { shardCount: 2, modulesList: [{ name: "search" }] },
    field: "spec.shardCount",
    says: /the commands of modules \(search\) are served from one shard alone.* set spec\.shardCount to 1/,
  },
  { rule: "the slots of each shard may be named", spec: { shardCount: 2, shardSlots: ["0-865", "866-16383"] } },
  { rule: "without their number as well", spec: { shardSlots: ["0-865", "866-16383"] } },
  {
    rule: "each slot has one shard",
    spec: { shardCount: 2, shardSlots: ["0-866", "866-16383"] },
    field: "spec.shardSlots",
    says: /slot 866 is named twice.*name each slot from 0 to 16383 once, .* \["0-865", "866-16383"\]; or leave it out/,
  },
  {
    rule: "as many shards have slots as there are to be",
    spec: { shardCount: 3, shardSlots: ["0-865", "866-16383"] },
    change: { existing: { ...existing, shards: 2 } },
    field: "spec.shardSlots",
    says: /it has 2 entries, and spec\.shardCount is 3.*set spec\.shardCount to 2; or .*kubectl patch redb .*"shardSlots":null/,
  },
  {
    rule: "more shards than the licence allows are refused in numbers",
    spec: { replication: true },
    change: { references: references({ clusters: [nearby({ shards: { used: 3, limit: 4 } })] }) },
    field: "spec.replication",
    says: /needs 2 more \(1 primary and 1 replica\), and the licence allows 4 shards of which 3 are in use/,
  },
  {
    rule: "of a database that gets replicas these alone are counted",
    spec: { replication: true },
    change: {
      before: spec({}),
      existing,
      references: references({ clusters: [nearby({ shards: { used: 4, limit: 4 } })] }),
    },
    field: "spec.replication",
    says: /needs 1 more \(1 replica\), and the licence/,
  },
  {
    rule: "a database may get more shards than it was made with",
    spec: { shardCount: 4 },
    change: {
      before: spec({}),
      existing,
      references: references({ clusters: [nearby({ shards: { used: 1, limit: 40 } })] }),
    },
  },
  {
    rule: "a spec without a number keeps the shards of the database, which the licence counts already",
    spec: {},
    change: {
      before: spec({ shardCount: 4 }),
      existing: { ...existing, shards: 4 },
      references: references({ clusters: [nearby({ shards: { used: 40, limit: 40 } })] }),
    },
  },
  {
    rule: "their replicas are counted",
    spec: { replication: true },
    change: {
      before: spec({}),
      existing: { ...existing, shards: 4 },
      references: references({ clusters: [nearby({ shards: { used: 39, limit: 40 } })] }),
    },
    field: "spec.replication",
    says: /needs 4 more \(4 replicas\)/,
  },
  {
    rule: "their memory is judged",
    spec: { memorySize: "100MB" },
    change: { existing: { ...existing, shards: 8 } },
    field: "spec.memorySize",
    says: /8 shards need at least 160 MB together.*kubectl patch redb .*"shardCount":8,"memorySize":"160MB"/,
  },
  {
    rule: "the further ones are counted",
    spec: { shardCount: 4 },
    change: {
      before: spec({}),
      existing,
      references: references({ clusters: [nearby({ shards: { used: 1, limit: 3 } })] }),
    },
    field: "spec.shardCount",
    says: /needs 3 more \(3 primaries\), and the licence allows 3/,
  },
  {
    rule: "a database of several may get fewer",
    spec: {},
    change: { before: spec({ shardCount: 4, memorySize: "1GB" }), existing: { ...existing, shards: 4 } },
  },
  {
    rule: "one of several shards may be changed otherwise",
    spec: { shardCount: 4, memorySize: "2GB" },
    change: { before: spec({ shardCount: 4, memorySize: "1GB" }), existing: { ...existing, shards: 4 } },
  },
  {
    rule: "its shards need room",
    spec: { shardCount: 6 },
    change: { before: spec({ shardCount: 6, memorySize: "1GB" }), existing: { ...existing, shards: 6 } },
    field: "spec.memorySize",
    says: /6 shards need at least 120 MB together/,
  },
  {
    rule: "the slots in which a new database gets its data are a table",
    spec: { shardCount: 3 },
    change: { firstSlots: ["0-866", "866-16383"], references: many },
    field: "metadata.annotations[storeenterprise.io/awaits-slots]",
    says: /slot 866 is named twice.*kubectl annotate redb orders --overwrite storeenterprise\.io\/awaits-slots-/,
  },
  {
    rule: "a database with modules gets its data in one shard",
    spec: { modulesList: [{ name: "search" }] },
    change: { firstSlots: ["0-866", "867-16383"] },
    field: "metadata.annotations[storeenterprise.io/awaits-slots]",
    says: /the commands of modules \(search\) are served from one shard alone/,
  },
  {
    rule: "the shards in which it gets its data need memory too",
    spec: { shardCount: 2 },
    change: { firstSlots: evenSlots(6).map(slotsText), references: many },
    field: "spec.memorySize",
    says: /6 shards need at least 120 MB together/,
  },
  {
    rule: "the licence counts them where they are more",
    spec: { shardCount: 2 },
    change: {
      firstSlots: evenSlots(4).map(slotsText),
      references: references({ clusters: [nearby({ shards: { used: 1, limit: 4 } })] }),
    },
    field: "spec.shardCount",
    says: /needs 4 more \(4 primaries\), and the licence allows 4 shards of which 1/,
  },
  {
    rule: "they count for nothing once the database is there",
    spec: {},
    change: { before: spec({}), existing, firstSlots: ["none"] },
  },
  {
    rule: "shards of an existing database are not counted again",
    spec: { memorySize: "1GB" },
    change: {
      before: spec({}),
      existing,
      references: references({ clusters: [nearby({ shards: { used: 4, limit: 4 } })] }),
    },
  },
];

for (const { rule, spec: given, change, field, says } of cases)
  test(`redb: ${rule}`, () => {
    const common = { kind: "redb", name: "orders", at: "spec", before: undefined, existing: undefined } as const;
    const found = objections(DATABASE_RULES, { ...common, references: references(), spec: spec(given), ...change });
    assert.deepEqual(
      found.map((objection) => objection.field),
      field === undefined ? [] : [field],
    );
    if (says !== undefined) assert.match(found.map(causeText).join(), says);
  });
