import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterStateRecord } from "../api/records.ts";
import {
  isDraining,
  maintenanceOf,
  withEvacuated,
  withMaintenance,
  withMaintenanceReason,
  withReturn,
  withReturned,
} from "./maintenance.ts";

const empty: ClusterStateRecord = { createdTime: "t0", nextDatabase: 1, maintenance: [], finished: [] };
const asked = (
  state: ClusterStateRecord,
  cause: "request" | "shutdown" = "request",
  demote = false,
  newUid = "on",
): ClusterStateRecord => withMaintenance(state, { node: 2, cause, demote, now: "t1", newUid });

test("a node that goes into maintenance drains, and only that node", () => {
  const state = asked(empty);
  assert.deepEqual([isDraining(state, 2), isDraining(state, 1)], [true, false]);
  assert.equal(maintenanceOf(state, 2)?.action.status, "running");
});

test("a second request for maintenance has no effect: the action stays the same", () => {
  const twice = asked(asked(empty), "request", false, "another");
  assert.equal(twice.maintenance.length, 1);
  assert.equal(maintenanceOf(twice, 2)?.action.uid, "on");
});

test("leadership leaves when either asked for it", () => {
  assert.equal(maintenanceOf(asked(asked(empty), "request", true), 2)?.demote, true);
  assert.equal(maintenanceOf(asked(asked(empty, "request", true)), 2)?.demote, true);
});

test("a user's request outlives the shutdown of the agent, whichever came first", () => {
  assert.equal(maintenanceOf(asked(asked(empty, "shutdown"), "request"), 2)?.cause, "request");
  assert.equal(maintenanceOf(asked(asked(empty, "request"), "shutdown"), 2)?.cause, "request");
});

test("a node in maintenance stays draining, and its action is completed and kept", () => {
  const state = withEvacuated(asked(empty), 2);
  assert.equal(maintenanceOf(state, 2)?.state, "on");
  assert.ok(isDraining(state, 2));
  assert.deepEqual(state.finished, [
    { uid: "on", name: "maintenance_on", status: "completed", progress: 100, object: "node:2" },
  ]);
  assert.equal(withEvacuated(state, 2), state);
});

test("a node whose maintenance ended does not drain, and is out of the record once it serves", () => {
  const returning = withReturn(withEvacuated(asked(empty), 2), 2, "t2", "off");
  assert.equal(isDraining(returning, 2), false);
  const back = withReturned(returning, 2);
  assert.deepEqual(back.maintenance, []);
  assert.deepEqual(
    back.finished.map(({ uid, status }) => [uid, status]),
    [
      ["on", "completed"],
      ["off", "completed"],
    ],
  );
});

test("a return during the evacuation: the first action has failed, with a reason", () => {
  const state = withReturn(asked(empty), 2, "t2", "off");
  assert.deepEqual(
    state.finished.map(({ uid, status, error }) => [uid, status, error]),
    [["on", "failed", "ended by maintenance_off"]],
  );
});

test("ending the maintenance of a node in service changes nothing", () => {
  assert.equal(withReturn(empty, 2, "t2", "off"), empty);
  assert.equal(withReturned(empty, 2), empty);
});

test("an evacuation during the return: it drains again, with an action of its own", () => {
  const again = asked(withReturn(withEvacuated(asked(empty), 2), 2, "t2", "off"), "request", false, "on-2");
  const { state, action } = maintenanceOf(again, 2) ?? {};
  assert.deepEqual([state, action?.uid], ["evacuating", "on-2"]);
});

test("the record of a node that is being evacuated says why it waits", () => {
  assert.equal(maintenanceOf(withMaintenanceReason(asked(empty), 2, "because"), 2)?.waitingFor, "because");
  assert.equal(withMaintenanceReason(empty, 2, "because"), empty);
});

test("fields of a newer release survive every change", () => {
  const newer = { ...empty, invented: "later" };
  const road = withReturned(withReturn(withEvacuated(asked(newer), 2), 2, "t2", "off"), 2);
  assert.deepEqual({ ...road, finished: [] }, newer);
});
