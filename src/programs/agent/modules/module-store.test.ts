import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempDisposable, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { openModuleStore } from "./module-store.ts";

test("what is given to other nodes is the shared object, and nothing that a link in its place leads to", async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), "modules-"));
  const [library, uid] = [Buffer.from("library"), "a".repeat(32)];
  const store = await openModuleStore(join(root.path, "modules"));
  const sha256 = createHash("sha256").update(library).digest("hex");
  await store.put({ uid, sha256 }, Readable.from([library]));
  assert.deepEqual(await buffer(await store.read(uid)), library);

  const token = join(root.path, "token");
  await writeFile(token, "secret");
  await rm(store.pathOf(uid));
  await symlink(token, store.pathOf(uid));
  await assert.rejects(store.read(uid), { code: "ELOOP" });
});
