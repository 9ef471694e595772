import assert from "node:assert/strict";
import { test } from "node:test";
import { on } from "../../../../../test/kit/facts/database-scene.ts";
import { twoShards, type TwoShards } from "../../../../../test/kit/facts/two-shards.ts";
import type { BdbRecord } from "../../../../ports/management/records.ts";
import { parseEngine } from "../../../../core/releases/engines/engines.ts";
import type { EngineAnswer } from "../../observation/engine-watch.ts";
import { bdbView } from "./bdb-view.ts";

const search = { name: "search", version: 20_600 };
const json = { name: "ReJSON", version: 20_600 };

function serving(version: string, modules: Extract<EngineAnswer, { state: "serving" }>["modules"] = []): EngineAnswer {
  const engine = parseEngine(`redis ${version}`);
  assert.ok(engine !== undefined);
  return {
    state: "serving",
    engine,
    modules,
    replication: { role: "primary", replicationId: "a", offset: 1, replicas: [] },
    info: new Map(),
    hasData: true,
    configFile: "",
  };
}

/** Of a database whose primaries are the instances 1 and 3. */
function shown(first: EngineAnswer, second: EngineAnswer, scene: TwoShards = {}): BdbRecord {
  const answers = new Map([
    [1, first],
    [3, second],
  ]);
  return bdbView(twoShards(scene).record, { answers, endpoints: [], namespace: "n", script: undefined });
}

test("a database serves while the primary of each of its shards does", () => {
  assert.equal(shown(serving("7.2.4"), serving("7.2.4")).version, "7.2.4");
  assert.equal(shown(serving("7.2.4"), { state: "refused" }).version, "");
  assert.equal(shown({ state: "refused" }, serving("7.2.4")).version, "");
});

test("a database whose shards are at two versions shows the engine of its own version", () => {
  const first = { instances: [on(1, 1, "8.0"), on(2, 2, "8.0")] };
  assert.equal(shown(serving("8.0.2"), serving("7.2.4"), { first }).version, "7.2.4");
});

test("a module is loaded when the engine of each shard has loaded it", () => {
  const { module_list } = shown(serving("7.2.4", [search, json]), serving("7.2.4", [json]));
  assert.deepEqual(
    module_list.map(({ module_name }) => module_name),
    ["ReJSON"],
  );
});

test("a user sees what is asked of each shard, and what is gone once nothing is asked", () => {
  const [first, second] = [{ lacks: "the first" }, { lacks: "the second" }];
  const agreed = { ...first, consent: true } as const;
  const of = (...recoveries: readonly (typeof first | typeof agreed)[]): BdbRecord["recovery"] => {
    const { record } = twoShards({});
    const shards = record.shards.map((shard, at) => {
      const recovery = recoveries[at];
      return recovery === undefined ? shard : { ...shard, recovery };
    });
    const view = { answers: new Map(), endpoints: [], namespace: "n", script: undefined };
    return bdbView({ ...record, status: "recovery", shards }, view).recovery;
  };
  assert.deepEqual(of(first, second), { lacks: "the first; the second", needs_consent: true });
  assert.deepEqual(of(agreed, second), { lacks: "the second", needs_consent: true });
  assert.deepEqual(of(agreed), { lacks: "the first", needs_consent: false });
  assert.equal(of(), undefined);
});

test("a database shows where an upgrade of it leads, while it runs", () => {
  const { record } = twoShards({});
  const context = { answers: new Map(), endpoints: [], namespace: "n", script: undefined };
  assert.equal(bdbView(record, context).upgrades_to, undefined);
  const upgrade = { target: "8.2", actionUid: "a", startedAt: "", mayDiscardData: false, waitingFor: "" } as const;
  assert.equal(bdbView({ ...record, upgrade }, context).upgrades_to, "8.2");
});
