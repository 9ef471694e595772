import assert from "node:assert/strict";
import type { TablePorts, TableResult, TableStep } from "../../../src/programs/agent/switchover/table-ports.ts";
import { switchTable } from "../../../src/programs/agent/switchover/table-switch.ts";
import type { TableLoad, TableScene } from "./table-scene.ts";

/** One attempt of a leader to let the shards to be serve. */
export function switchNow(scene: TableScene, ports: TablePorts = scene.ports()): Promise<TableResult> {
  return switchTable({ record: scene.record, insists: false, drainMs: 500 }, ports);
}

/** Fails unless they serve. */
export async function mustSwitch(scene: TableScene, load: TableLoad): Promise<void> {
  const result = await switchNow(scene);
  assert.equal(result.kind, "done", JSON.stringify(result));
  await load.more();
  await scene.requireOneTable();
}

/** Clients are served where they were, and the shards to be are filled anew where that is due. */
export async function requireAsBefore(scene: TableScene, load: TableLoad): Promise<void> {
  assert.equal(scene.record.reshape?.phase, "copy");
  await load.more();
  await scene.filled();
  await scene.requireOneTable();
}

/** A leader that is suspended before a step, until it thaws. */
export function freezeAt(step: TableStep) {
  const reached = Promise.withResolvers<undefined>();
  const thawed = Promise.withResolvers<undefined>();
  return {
    before: async (at: TableStep): Promise<void> => {
      if (at !== step) return;
      reached.resolve(undefined);
      await thawed.promise;
    },
    reached: reached.promise,
    thaw: () => {
      thawed.resolve(undefined);
    },
  };
}
