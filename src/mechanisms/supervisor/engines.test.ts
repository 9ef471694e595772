import assert from "node:assert/strict";
import { chmod, mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { discoverEngines } from "./engines.ts";

test("the machine has engines of two versions, each with an absolute path", async () => {
  const found = await discoverEngines(process.env);
  assert.ok(found.length >= 2, `found ${JSON.stringify(found)}`);
  for (const { path } of found) assert.match(path, /^\//);
});

test("engines are known by what they report, not by their file names", async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), "engines-"));
  const folder = temporary.path;
  await fill(folder, {
    "a/bin/redis-server": `echo "Valkey server v=91.1.1 sha=0 bits=64"`,
    "b/bin/valkey-server": `echo "Redis server v=90.2.10 sha=0 bits=64"`,
    "c/bin/redis-server": `echo "Redis server v=90.2.10 sha=0 bits=64"`,
    "d/bin/redis-server": `echo "I am a teapot"`,
    "e/bin/redis-server": `exit 1`,
  });
  const found = (await discoverEngines({ STORE_ENGINES_DIR: folder })).filter(({ path }) => path.startsWith(folder));
  assert.deepEqual(found, [
    { family: "valkey", version: "91.1.1", path: join(folder, "a/bin/redis-server") },
    { family: "redis", version: "90.2.10", path: join(folder, "b/bin/valkey-server") },
  ]);
});

test("a folder that does not exist holds no engines", async () => {
  const found = await discoverEngines({ STORE_ENGINES_DIR: "/nowhere/engines" });
  assert.deepEqual(
    found.filter(({ path }) => path.startsWith("/nowhere")),
    [],
  );
});

/** Makes each script executable. */
async function fill(folder: string, scripts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, body] of Object.entries(scripts)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `#!/bin/sh\n${body}\n`);
    await chmod(file, 0o755);
  }
}
