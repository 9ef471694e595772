import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { discoverEngines } from "../../src/mechanisms/supervisor/engines.ts";
import { secured } from "../kit/tls/secured-endpoint.ts";
import { startTestCluster } from "../kit/world/cluster.ts";

// One engine of the machine behaves as one that is built without TLS: it ends when its configuration names a directive of TLS.

const WITHOUT = "8.0";
const found = await discoverEngines(process.env);

await test("TLS is refused where an engine speaks none, before anything starts, and so is an upgrade to such an engine", async () => {
  const folder = await mkdtemp(join(tmpdir(), "engines-"));
  const { STORE_ENGINES_DIR: before } = process.env;
  try {
    process.env.STORE_ENGINES_DIR = await enginesWithout(folder);
    await using cluster = await startTestCluster();
    const [node] = await cluster.client.call("nodes");
    const spoken = node?.supported_database_versions.map(({ redis_version, tls }) => [redis_version, tls]);
    assert.deepEqual(Object.fromEntries(spoken ?? [])[WITHOUT], false);
    const body = { name: "asked", memory_size: 20_000_000, ...secured("asked") };
    const refused = { error_code: "engine_without_tls" };
    const isRefused = (error: { details?: object }) => {
      assert.partialDeepStrictEqual(error.details, refused);
      return true;
    };
    await assert.rejects(cluster.client.call("createBdb", { body: { ...body, redis_version: WITHOUT } }), isRefused);
    assert.deepEqual(await cluster.client.call("bdbs"), []);
    const { uid } = await cluster.create({ ...body, redis_version: "7.2" });
    const upgrade = cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: WITHOUT } });
    await assert.rejects(upgrade, /the 8\.0 engine of node 1 \(.+\) speaks no TLS; the 8\.0 engine of node 2/);
    const plain = await cluster.create({ name: "plain", memory_size: 20_000_000, redis_version: WITHOUT });
    const change = cluster.client.call("updateBdb", { params: { uid: plain.uid }, body: secured("plain") });
    await assert.rejects(change, isRefused);
  } finally {
    if (before === undefined) delete process.env.STORE_ENGINES_DIR;
    else process.env.STORE_ENGINES_DIR = before;
    await rm(folder, { recursive: true, force: true });
  }
});

/** A folder of engines that take the place of those of version 8, and refuse TLS. */
async function enginesWithout(folder: string): Promise<string> {
  for (const { family, version, path } of found.filter((engine) => engine.version.startsWith("8."))) {
    const bin = join(folder, `${family}-${version}`, "bin");
    await mkdir(bin, { recursive: true });
    const program = join(bin, `${family}-server`);
    await writeFile(program, stub(path));
    await chmod(program, 0o755);
  }
  return folder;
}

function stub(path: string): string {
  return `#!/bin/sh
case "$1" in
-) configuration=$(cat) ;;
--*) exec ${path} "$@" ;;
*) configuration=$(cat "$1") ;;
esac
if echo "$configuration" | grep -q '^tls-'; then echo "Bad directive or wrong number of arguments"; exit 1; fi
exec ${path} "$@" <<END
$configuration
END
`;
}
