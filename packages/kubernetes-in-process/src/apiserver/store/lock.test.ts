import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isFault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";
import { lockFolder } from "./lock.ts";

test("a folder has one holder at a time", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const { path } = folder;
  const unlock = await lockFolder(path);
  await assert.rejects(lockFolder(path), (error) => isFault(error, faults.dataDirInUse));
  await unlock();
  await (
    await lockFolder(path)
  )();
});

test("the lock of a killed process is free", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const { path } = folder;
  const script = `import { lockFolder } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    await lockFolder(${JSON.stringify(path)}); console.log("held"); setInterval(() => 0, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  await assert.rejects(lockFolder(path), (error) => isFault(error, faults.dataDirInUse));
  child.kill("SIGKILL");
  await once(child, "exit");
  await (
    await lockFolder(path)
  )();
});
