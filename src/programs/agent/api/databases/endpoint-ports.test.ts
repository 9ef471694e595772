import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { endpointPort, withClusterPort } from "./endpoint-ports.ts";

const { record } = factsOf({ instances: [on(1, 1)] });

/** A cluster with databases at these ports. */
function clusterWith(...ports: readonly Partial<DatabaseRecord>[]) {
  const databases = ports.map((one, at) => ({ ...record, uid: at + 1, name: `db${at + 1}`, ...one }));
  return { records: { databases: () => databases } };
}

test("a database gets the lowest port that no other one has, also not for clients of a cluster", () => {
  assert.equal(endpointPort(clusterWith({ port: 10_000, clusterPort: 10_001 }), undefined), 10_002);
});

test("a port that is asked for is refused when another database has it, also for clients of a cluster", () => {
  const context = clusterWith({ port: 10_000, clusterPort: 19_999 });
  assert.throws(() => endpointPort(context, 10_000), /port 10000 belongs to database 1 \("db1"\)$/);
  assert.throws(() => endpointPort(context, 19_999), /port 19999 .*where libraries in cluster mode connect/);
  assert.equal(endpointPort(context, 19_998), 19_998);
});

test("a database that shows a cluster gets the highest free port for its clients, and keeps that", () => {
  const context = clusterWith({ port: 10_000, clusterPort: 19_999 }, { port: 19_998 });
  const asked = { ...record, port: 19_997, ossCluster: true };
  assert.equal(withClusterPort(context, asked).clusterPort, 19_996);
  assert.equal(withClusterPort(context, { ...asked, clusterPort: 12_345 }).clusterPort, 12_345);
  assert.equal("clusterPort" in withClusterPort(context, { ...asked, ossCluster: false }), false);
});

test("without a free port the request is refused", () => {
  const all = Array.from({ length: 10_000 }, (_, at) => ({ port: 10_000 + at }));
  const asked = { ...record, ossCluster: true };
  assert.throws(() => withClusterPort(clusterWith(...all), asked), { code: "AGENT_PORT_UNAVAILABLE" });
});
