import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import type { ObjectStoreAccess } from "../../core/backup/object-store-access.ts";
import { skipWithoutObjectStore } from "../../../test/object-store/assets.ts";
import { beginUpload, startObjectStore, type TestObjectStore } from "../../../test/object-store/server.ts";
import { ObjectStore } from "./s3.ts";

const skip = skipWithoutObjectStore();
const MIB = 1_048_576;
const PARTS = { partBytes: 5 * MIB, partsAtOnce: 2 };

test("an object of unknown length arrives whole, in parts or at once, and is never overwritten", { skip }, async () => {
  await using scene = await begin();
  const content = randomBytes(13 * MIB);
  await scene.store.write("a/large", pieces(content), PARTS);
  await scene.store.write("a/small", pieces(content.subarray(0, 9)), PARTS);
  assert.deepEqual(scene.server.keys(), ["a/large", "a/small"]);
  assert.equal(digest(readFileSync(join(scene.server.folder, "a/large"))), digest(content));
  for (const key of ["a/large", "a/small"])
    await assert.rejects(scene.store.write(key, pieces(content), PARTS), { code: "OBJECT_STORE_EXISTS" });
  await assert.rejects(scene.store.writeNew("a/small", "other"), { code: "OBJECT_STORE_EXISTS" });
  assert.equal(digest(readFileSync(join(scene.server.folder, "a/large"))), digest(content));
  assert.equal(scene.server.openUploads(), 0);
});

test("what breaks off leaves nothing, and says why", { skip }, async () => {
  await using scene = await begin();
  const broken = async function* (): AsyncGenerator<Buffer> {
    yield* pieces(randomBytes(12 * MIB));
    throw new Error("the engine is gone");
  };
  await assert.rejects(scene.store.write("a/broken", broken(), PARTS), /the engine is gone/);
  assert.deepEqual([scene.server.keys(), scene.server.openUploads()], [[], 0]);
});

test(
  "objects are listed, read up to a limit, and removed; an upload of a process that was killed is ended",
  { skip },
  async () => {
    await using scene = await begin();
    const { store, server } = scene;
    for (const key of ["a/1", "a/2", "b/1"]) await store.writeNew(key, key);
    assert.deepEqual(await store.list("a/"), ["a/1", "a/2"]);
    assert.deepEqual([await store.read("b/1", 3), await store.read("b/2", 3)], ["b/1", undefined]);
    await assert.rejects(store.read("b/1", 2), { code: "OBJECT_STORE_TOO_LONG" });
    await beginUpload(server.access, "a/open");
    assert.equal(server.openUploads(), 1);
    await store.endUploads("b/", () => true);
    await store.endUploads("a/", (key) => key !== "a/open");
    assert.equal(server.openUploads(), 1);
    await store.endUploads("a/", (key) => key === "a/open");
    assert.equal(server.openUploads(), 0);
    await store.remove(["a/1", "a/2", "a/3"]);
    assert.deepEqual(server.keys(), ["b/1"]);
  },
);

for (const [rule, change, code] of [
  ["a wrong secret", { secretAccessKey: "wrong" }, "OBJECT_STORE_CREDENTIALS"],
  ["an unknown access key", { accessKeyId: "unknown" }, "OBJECT_STORE_CREDENTIALS"],
  ["another region", { region: "us-east-1" }, "OBJECT_STORE_REGION"],
  ["a bucket that is not there", { bucket: "none" }, "OBJECT_STORE_BUCKET"],
  ["a port at which nothing listens", { endpoint: "http://127.0.0.1:1" }, "OBJECT_STORE_UNREACHABLE"],
  ["a host without an address", { endpoint: "http://store.invalid" }, "OBJECT_STORE_UNREACHABLE"],
  ["TLS to a server without it", { endpoint: "https" }, "OBJECT_STORE_CERTIFICATE"],
] as const)
  test(`${rule} is named, and no credential is in the message`, { skip }, async () => {
    await using scene = await begin(change);
    await assert.rejects(scene.store.list("a/"), (error: Error) => {
      assert.deepEqual([Reflect.get(error, "code"), /test-(?:secret|access)/.test(error.message)], [code, false]);
      return true;
    });
    await assert.rejects(scene.store.write("a/b", pieces(randomBytes(9)), PARTS), { code });
  });

test("a page that a proxy sends in the place of the store is no answer, whatever was asked", async () => {
  await using proxy = await loginPage();
  const access = { bucket: "backups", region: "us-east-1", pathStyle: true, accessKeyId: "a", secretAccessKey: "s" };
  const store = new ObjectStore({ ...access, endpoint: proxy.url });
  const content = randomBytes(13 * MIB);
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    read: () => store.read("a/manifest.json", 100),
    "read as it comes": () => Array.fromAsync(store.pieces("a/b")),
    list: () => store.list("a/"),
    remove: () => store.remove(["a/b"]),
    "end uploads": () => store.endUploads("a/", () => true),
    "write a text": () => store.writeNew("a/manifest.json", "{}"),
    write: () => store.write("a/b", pieces(content.subarray(0, 9)), PARTS),
    "write in parts": () => store.write("a/b", pieces(content), PARTS),
  };
  for (const [what, ask] of Object.entries(questions))
    await assert.rejects(ask, { code: "OBJECT_STORE_NOT_ONE", retry: "backoff", message: /text\/html/ }, what);
  store.close();
});

test("a bucket that vanishes, and a store that ends, fail an upload with the reason", { skip }, async () => {
  for (const [ruin, code] of [
    [({ folder }: TestObjectStore) => Promise.resolve(rmSync(folder, { recursive: true })), /^OBJECT_STORE_/],
    [(server: TestObjectStore) => server.stop(), /^OBJECT_STORE_UNREACHABLE$/],
  ] as const) {
    await using scene = await begin();
    const content = async function* (): AsyncGenerator<Buffer> {
      yield* pieces(randomBytes(11 * MIB));
      await until("an upload is open", () => scene.server.openUploads() === 1);
      await ruin(scene.server);
      yield* pieces(randomBytes(11 * MIB));
    };
    await assert.rejects(scene.store.write("a/b", content(), PARTS), { code });
  }
});

async function begin(change: Partial<ObjectStoreAccess> = {}) {
  const server = await startObjectStore();
  const { access } = server;
  const endpoint = change.endpoint === "https" ? access.endpoint?.replace("http:", "https:") : change.endpoint;
  const store = new ObjectStore({ ...access, ...change, ...(endpoint === undefined ? {} : { endpoint }) });
  return {
    server,
    store,
    async [Symbol.asyncDispose]() {
      store.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Answers all requests alike. */
async function loginPage() {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!DOCTYPE html><form>password</form>");
  });
  const listening = once(server, "listening");
  server.listen(0, "127.0.0.1");
  await listening;
  const { port } = server.address() as AddressInfo; // it listens at a port
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 65_536) yield await Promise.resolve(content.subarray(at, at + 65_536));
}

function digest(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
