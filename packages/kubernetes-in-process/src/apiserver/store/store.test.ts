import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdtempDisposableSync,
  readFileSync,
  statSync,
  writeFileSync,
  type DisposableTempDir,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { isFault } from "../../../../controller-kit/src/base/fault.ts";
import { silentLog } from "../../../../controller-kit/src/base/log.ts";
import { faults } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Change } from "./history.ts";
import { openStore, type Store } from "./store.ts";

function folder(): DisposableTempDir {
  return mkdtempDisposableSync(join(tmpdir(), "store-"));
}

function open(dataDir: string, options: { historyLimit?: number; slackBytes?: number } = {}): Promise<Store> {
  return openStore({ dataDir, log: silentLog, ...options });
}

function object(name: string, value: unknown): KubeObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { name }, value };
}

test("a stored object is there after a restart, under the same version", async () => {
  using temporary = folder();
  const dir = temporary.path;
  const first = await open(dir);
  const a = await first.put("things", "x/a", object("a", 1), undefined);
  const b = await first.put("things", "x/b", object("b", 1), undefined);
  assert.ok(a !== undefined && b !== undefined);
  const c = await first.put("things", "x/a", object("a", 2), a);
  await first.remove("things", "x/b", b);
  await first.close();

  const second = await open(dir);
  assert.deepEqual(second.list("things"), [c]);
  assert.equal(second.revision(), 4);
  assert.deepEqual(second.get("things", "x/a")?.metadata.resourceVersion, "3");
  assert.deepEqual(
    second.changesAfter(2)?.map(({ type, key, revision }) => [type, key, revision]),
    [
      ["MODIFIED", "x/a", 3],
      ["DELETED", "x/b", 4],
    ],
  );
  await second.close();
});

test("a write that rests on another object than the present one changes nothing", async () => {
  using dir = folder();
  const store = await open(dir.path);
  const a = await store.put("things", "a", object("a", 1), undefined);
  assert.ok(a !== undefined);
  assert.equal(store.put("things", "a", object("a", 2), undefined), undefined);
  await store.put("things", "a", object("a", 2), a);
  assert.equal(store.put("things", "a", object("a", 3), a), undefined);
  assert.equal(store.remove("things", "a", a), undefined);
  assert.equal(store.revision(), 2);
  await store.close();
});

test("a record torn by a crash at the end is dropped, and writing goes on after it", async () => {
  using temporary = folder();
  const dir = temporary.path;
  const first = await open(dir);
  await first.put("things", "a", object("a", 1), undefined);
  await first.close();
  const file = join(dir, "store.log");
  const whole = readFileSync(file);
  for (const torn of ['1234abcd {"r":2,"b":"thi', "12", '00000000 {"r":2}\n']) {
    writeFileSync(file, whole);
    appendFileSync(file, torn);
    const again = await open(dir);
    assert.deepEqual([again.revision(), again.list("things").length], [1, 1]);
    await again.put("things", "b", object("b", 1), undefined);
    await again.close();
    const last = await open(dir);
    assert.deepEqual([last.revision(), last.list("things").length], [2, 2]);
    await last.close();
  }
});

test("a wrong record before the end is not passed over", async () => {
  using temporary = folder();
  const dir = temporary.path;
  const first = await open(dir);
  for (const name of ["a", "b"]) await first.put("things", name, object(name, 1), undefined);
  await first.close();
  const file = join(dir, "store.log");
  const bytes = readFileSync(file);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await assert.rejects(open(dir), (error) => isFault(error, faults.storeCorrupt));
});

test("the file is rewritten when it grows, and loses nothing", async () => {
  using temporary = folder();
  const dir = temporary.path;
  const store = await open(dir, { slackBytes: 20_000 });
  let current = await store.put("things", "a", object("a", 0), undefined);
  for (let n = 1; n <= 500 && current !== undefined; n++) {
    current = await store.put("things", "a", object("a", "x".repeat(100)), current);
  }
  await store.close();
  assert.ok(statSync(join(dir, "store.log")).size < 45_000);
  const again = await open(dir);
  assert.deepEqual([again.revision(), again.list("things")], [501, [current]]);
  assert.equal(again.changesAfter(1), undefined, "the changes before the rewriting are gone");
  await again.close();
});

test("listeners see each change once, in order, when it is on the disk", async () => {
  using dir = folder();
  const store = await open(dir.path);
  const seen: Change[] = [];
  store.subscribe((change) => seen.push(change));
  const writes = Array.from({ length: 50 }, async (_, n) => {
    await store.put("things", `k${n}`, object(`k${n}`, n), undefined);
  });
  assert.equal(seen.length, 0);
  await Promise.all(writes);
  assert.deepEqual(
    seen.map(({ revision }) => revision),
    Array.from({ length: 50 }, (_, n) => n + 1),
  );
  await store.close();
});

test("history reaches back as far as its limit at least, and says so beyond", async () => {
  using dir = folder();
  const store = await open(dir.path, { historyLimit: 10 });
  for (let n = 0; n < 40; n++) await store.put("things", `k${n}`, object(`k${n}`, n), undefined);
  assert.equal(store.changesAfter(30)?.length, 10);
  assert.equal(store.changesAfter(5), undefined);
  assert.deepEqual(store.changesAfter(40), []);
  await store.close();
});

test("a closed store refuses writes", async () => {
  using dir = folder();
  const store = await open(dir.path);
  await store.close();
  assert.throws(
    () => store.put("things", "a", object("a", 1), undefined),
    (error) => isFault(error, faults.storeClosed),
  );
});

test("a write that was acknowledged before kill -9 is there afterwards", async () => {
  using temporary = folder();
  const dir = temporary.path;
  const [store, log] = ["store.ts", "../../../../controller-kit/src/base/log.ts"].map((file) =>
    JSON.stringify(join(import.meta.dirname, file)),
  );
  const script = `import { openStore } from ${store};
    import { silentLog } from ${log};
    const store = await openStore({ dataDir: ${JSON.stringify(dir)}, log: silentLog, slackBytes: 20_000 });
    for (let n = 0; ; n++) {
      await store.put("things", "k" + n, { apiVersion: "v1", kind: "Thing", metadata: { name: "k" + n } }, undefined);
      process.stdout.write(n + "\\n");
    }`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let acknowledged = -1;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === 300) child.kill("SIGKILL");
  }
  assert.ok(acknowledged >= 300);
  const after = await open(dir);
  const present = new Set(after.list("things").map(({ metadata }) => metadata.name));
  for (let n = 0; n <= acknowledged; n++) assert.ok(present.has(`k${n}`), `k${n} was acknowledged`);
  await after.close();
});
