import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import type { ClusterStateRecord } from "../../../../core/api/records.ts";
import { clusterHandlers, type ClusterApiContext } from "./cluster-handlers.ts";
import { withinLimit } from "./record-limit.ts";

/** The handlers of a node that leads, and what they make of the record of the cluster. */
function scene() {
  let state: ClusterStateRecord = {
    createdTime: "2026-01-01T00:00:00Z",
    nextDatabase: 1,
    maintenance: [],
    finished: [],
  };
  const records = {
    state: () => state,
    changeState: async (change: (old: ClusterStateRecord) => ClusterStateRecord) => (state = change(state)),
    changeDatabase: () => Promise.reject(new Error("not of this test")),
    createDatabase: () => Promise.reject(new Error("not of this test")),
  };
  const context = { records, election: { isLeader: () => true }, clock: systemClock } as unknown as ClusterApiContext; // these are all that are used
  return { handlers: clusterHandlers(context, withinLimit(records)), state: () => state };
}

test("remote sites that would leave the cluster no room in its record are refused, and those before stay", async () => {
  const { handlers, state } = scene();
  const sites = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, at) => {
      const authorities = "a".repeat(bytes);
      return { name: `site-${at}`, host: "site.test", serverName: "site.test", authorities };
    });
  const put = (count: number, bytes: number) => {
    return handlers.putRemoteSites({ params: {}, query: {}, body: sites(count, bytes) });
  };
  await put(2, 2_000);
  const before = state();
  await assert.rejects(put(60, 16_384), { code: "AGENT_RECORD_FULL" });
  assert.equal(state(), before);
});
