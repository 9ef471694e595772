import assert from "node:assert/strict";
import { chmod, mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { THROW_AWAY_BDB } from "../../core/api/throw-away.ts";
import { engineChildren } from "./engine-process.ts";
import { instanceFiles } from "./instance-files.ts";

test("an engine that loads a backup gives way to those that have clients", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "engine-process-"));
  const path = join(folder.path, "engine");
  await writeFile(path, "#!/bin/sh\nexec sleep 60\n");
  await chmod(path, 0o700);
  const priorityOf = async (bdb: number): Promise<number> => {
    const files = instanceFiles(folder.path, bdb, 1);
    await mkdir(files.directory, { recursive: true });
    const engine = { family: "redis", version: "7.2.4", path } as const;
    const child = await engineChildren(silentLog).start(engine, { bdb, instance: 1, files });
    const priority = getPriority(child.pid);
    child.signal("SIGKILL");
    await child.exited;
    return priority;
  };
  const own = getPriority();
  assert.deepEqual([await priorityOf(1), await priorityOf(THROW_AWAY_BDB)], [own, 19]);
});
