import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { noPackagedModule, packagedLibrary } from "../../../test/kit/modules/packaged-module.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { modulesOfEngine } from "./engine-modules.ts";
import { discoverEngines, type FoundEngine } from "./engines.ts";

const tools = { clock: systemClock, log: silentLog };
const engines = await discoverEngines(process.env);

function engineLike(family: string, major: RegExp): FoundEngine {
  const found = engines.find((one) => one.family === family && major.test(one.version));
  assert.ok(found !== undefined, `there is no ${family} ${String(major)} on this machine`);
  return found;
}

test("redis 8 brings vector sets, built in", async () => {
  assert.deepEqual(await modulesOfEngine(engineLike("redis", /^8\./), tools), [
    { name: "vectorset", version: "0.0.1" },
  ]);
});

test("an engine with a package of a module beside it brings this module", { skip: noPackagedModule() }, async (t) => {
  const home = await mkdtemp(join(tmpdir(), "engine-"));
  t.after(() => rm(home, { recursive: true }));
  const real = engineLike("redis", /^7\./);
  const path = join(home, "bin", basename(real.path));
  const modules = join(home, "lib/redis/modules");
  await mkdir(dirname(path), { recursive: true });
  await symlink(real.path, path);
  await mkdir(modules, { recursive: true });
  await cp(packagedLibrary(), join(modules, "redisearch.so"));
  await cp(real.path, join(modules, "no-module.so"));
  assert.deepEqual(await modulesOfEngine({ ...real, path }, tools), [
    { name: "ft", version: "1.2.0", path: join(modules, "redisearch.so") },
  ]);
});

test("of an engine that does not start nothing is known", async () => {
  const real = engineLike("redis", /^8\./);
  assert.equal(await modulesOfEngine({ ...real, path: "/bin/false" }, tools), undefined);
});
