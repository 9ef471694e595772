import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { callInstance, superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { instanceFiles } from "./instance-files.ts";
import { draftRestored } from "./restored-data.ts";

// Files as backups bring them, with a form that is right and one value whose lengths lie: an engine that took it would end when that is read.

const HASH = "19190000000600b2610201018162027374776f048163020301ff";
const STRING = "0161";

/** A file with one key; eight bytes of zero: it has no checksum. */
function fileWith(type: string, value: string): Buffer {
  const key = "0576616c7565";
  return Buffer.from(`${Buffer.from("REDIS0010").toString("hex")}fe00${type}${key}${value}ff0000000000000000`, "hex");
}

for (const storeVersion of ["7.2", "8.0", "8.2"] as const)
  for (const hasAppendOnlyFile of [false, true]) {
    const how = `${storeVersion}, ${hasAppendOnlyFile ? "append-only file" : "snapshot"}`;
    const start = async (file: Buffer) => {
      const node = await superviseNode();
      const directives = { appendonly: hasAppendOnlyFile ? "yes" : "no", save: "" };
      const shape = node.primary({ storeVersion });
      const wanted = { ...shape, directives: { ...shape.directives, ...directives } };
      const { bdb, instance, database } = wanted;
      const provide = (path: string, mode: number) => writeFile(path, file, { mode });
      const draft = await draftRestored(
        node.data,
        { bdb, instance, database, launch: 0, hasAppendOnlyFile, provide },
        0o600,
      );
      await node.supervisor.placeRestored(bdb, instance, draft);
      return { node, wanted, files: instanceFiles(node.data, bdb, instance) };
    };

    test(`a value that would end the engine is refused with the reason, and nothing serves (${how})`, async () => {
      const { node, wanted, files } = await start(fileWith("10", HASH));
      await using _node = node;
      await node.reconcile([wanted]);
      await until("it has ended", () => node.report().failed_starts > 0 && node.report().last_words !== "");
      const { ended_by: endedBy, state, last_words: words } = node.report();
      assert.notEqual(state, "serving");
      assert.doesNotMatch(endedBy, /SIG/);
      assert.match(words, /integrity check failed/);
      assert.ok(existsSync(files.restoredFile));
      await assert.rejects(callInstance(wanted, "DBSIZE"));
    });

    test(`a value that is whole is loaded, and counts as checked once the engine serves (${how})`, async () => {
      const { node, wanted, files } = await start(fileWith("00", STRING));
      await using _node = node;
      await node.serve(wanted);
      assert.equal(await callInstance(wanted, "DBSIZE"), 1);
      await until("it is noted", async () => {
        await node.reconcile([wanted]);
        return !existsSync(files.restoredFile);
      });
    });
  }

test("data that an engine has served with gives way to none of a backup", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ storeVersion: "7.2" });
  await node.serve(wanted);
  assert.equal(await callInstance(wanted, "SET", "k", "v"), "OK");
  await node.supervisor.stopAll();
  const { bdb, instance, database } = wanted;
  const provide = (path: string, mode: number) => writeFile(path, fileWith("00", STRING), { mode });
  const saved = { bdb, instance, database, launch: 1, hasAppendOnlyFile: false, provide };
  const draft = await draftRestored(node.data, saved, 0o600);
  await assert.rejects(node.supervisor.placeRestored(bdb, instance, draft), { code: "SUPERVISOR_HAS_DATA" });
});
