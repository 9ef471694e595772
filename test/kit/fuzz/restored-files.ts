import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFault } from "#kit/base/fault";
import { visibleLine } from "#kit/base/visible";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import type { StoreVersion } from "../../../src/core/api/records.ts";
import { chooseEngine } from "../../../src/core/releases/engines/engines.ts";
import { discoverEngines } from "../../../src/mechanisms/supervisor/engines.ts";
import { instanceFiles } from "../../../src/mechanisms/supervisor/instance-files.ts";
import type { InstanceReport } from "../../../src/mechanisms/supervisor/instance-report.ts";
import { draftRestored } from "../../../src/mechanisms/supervisor/restored-data.ts";
import type { WantedInstance } from "../../../src/mechanisms/supervisor/wanted-instance.ts";
import { faults } from "../../../src/programs/backup/faults.ts";
import { fetchFile } from "../../../src/programs/backup/fetch-file.ts";
import { fetchCommand } from "../facts/fetch-command.ts";
import { startEngine } from "../engines/engine.ts";
import { callInstance, superviseNode } from "../engines/supervised-node.ts";

/** What a restore gets out of the bucket, whose owner has made the manifest fit it. */
export interface HostileFile {
  readonly bytes: Buffer;
  /** As the manifest says. */
  readonly keys: number | undefined;
  readonly storeVersion: StoreVersion;
  readonly hasAppendOnlyFile: boolean;
  /** For messages. */
  readonly what: string;
}

/** What came of it: refused before an engine has it, by the engine in its words, by an engine that a signal has ended, or loaded. */
export type Restored = "damaged" | "refused" | "crashed" | "loaded";

/** The name of the engine of this machine that serves the version. */
export async function engineNameOf(storeVersion: StoreVersion): Promise<string> {
  const chosen = chooseEngine(storeVersion, await discoverEngines(process.env));
  assert.ok(chosen !== undefined);
  return `${chosen.engine.family}-${chosen.engine.version}`;
}

/** Restores these at once, each as a database of one node, and holds each against what its stock engine makes of it. */
export async function restoreAll(files: readonly HostileFile[]): Promise<readonly Restored[]> {
  await using node = await superviseNode();
  const shapes = files.map((file, at) => shapeOf(node.primary(), file, at + 1));
  const placed = await Promise.all(
    shapes.map(async ({ file, wanted }) => {
      const draft = await draftOf(node.data, file, wanted);
      if (draft !== undefined) await node.supervisor.placeRestored(wanted.bdb, wanted.instance, draft);
      return draft !== undefined;
    }),
  );
  await node.reconcile(shapes.filter((_, at) => placed[at] === true).map(({ wanted }) => wanted));
  const reportOf = ({ bdb }: WantedInstance): InstanceReport => {
    const report = node.supervisor.report().find((one) => one.bdb === bdb);
    assert.ok(report !== undefined);
    return report;
  };
  const ended = await Promise.allSettled(
    shapes.map(async ({ file, wanted }, at): Promise<Restored> => {
      if (placed[at] !== true) return "damaged";
      const hasEnded = (): boolean => reportOf(wanted).failed_starts > 0 && reportOf(wanted).ended_by !== "";
      const isOver = (): boolean => reportOf(wanted).state === "serving" || hasEnded();
      await until(`${file.what}: it serves or has ended`, isOver, { withinMs: 60_000 });
      if (!hasEnded()) return await comparedWithStock(file, wanted);
      await until(`${file.what}: its last words are read`, () => reportOf(wanted).last_words !== "");
      const { state, ended_by: endedBy, last_words: words } = reportOf(wanted);
      assert.notEqual(state, "serving", file.what);
      assert.ok(words.length <= 400, file.what);
      assert.ok(existsSync(instanceFiles(node.data, wanted.bdb, wanted.instance).restoredFile), file.what);
      return endedBy.startsWith("SIG") ? "crashed" : "refused";
    }),
  );
  return await Promise.all(
    ended.map(async (one, at) => {
      if (one.status === "fulfilled") return one.value;
      const { bytes = "", what = "" } = files[at] ?? {};
      const kept = join(tmpdir(), `${what}.rdb`);
      await writeFile(kept, bytes);
      throw new Error(`it is kept as ${kept}`, { cause: one.reason });
    }),
  );
}

function shapeOf(shape: WantedInstance, file: HostileFile, bdb: number) {
  const save = { appendonly: file.hasAppendOnlyFile ? "yes" : "no", save: "", "enable-debug-command": "local" };
  const { storeVersion } = file;
  const directives = { ...shape.directives, ...save };
  return { file, wanted: { ...shape, bdb, port: shape.port + bdb, storeVersion, directives } };
}

/** As the process of a restore fetches it; undefined when that says that it is damaged. */
async function draftOf(data: string, file: HostileFile, wanted: WantedInstance): Promise<string | undefined> {
  const { bdb, instance, database } = wanted;
  const { hasAppendOnlyFile } = file;
  const provide = (path: string, mode: number): Promise<void> => fetchHostile(file, path, mode);
  try {
    return await draftRestored(data, { bdb, instance, database, launch: 0, hasAppendOnlyFile, provide }, 0o600);
  } catch (error) {
    assert.ok(isFault(error, faults.damaged), `${file.what}: ${String(error)}`);
    assert.ok(error.message.length <= 400 && visibleLine(error.message) === error.message, file.what);
    return undefined;
  }
}

async function fetchHostile({ bytes, keys }: HostileFile, path: string, mode: number): Promise<void> {
  const command = fetchCommand(bytes, keys, path, mode);
  await fetchFile(command, { pieces: () => piecesIn(bytes) }, systemClock);
}

async function* piecesIn(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield await Promise.resolve(bytes.subarray(at, at + PIECE));
}

const PIECE = 16_384;

/** It has exactly what an engine without any of our settings finds in the file. */
async function comparedWithStock(file: HostileFile, wanted: WantedInstance): Promise<Restored> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "stock-"));
  await writeFile(join(folder.path, "dump.rdb"), file.bytes);
  await using stock = await startEngine({
    engine: await engineNameOf(file.storeVersion),
    args: ["--dir", folder.path],
  });
  const [ours, theirs] = await Promise.all([
    Promise.all([callInstance(wanted, "DEBUG", "DIGEST"), callInstance(wanted, "FUNCTION", "DUMP")]),
    Promise.all([stock.call("DEBUG", "DIGEST"), stock.call("FUNCTION", "DUMP")]),
  ]);
  assert.deepEqual(ours, theirs, file.what);
  return "loaded";
}
