import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { createAuthority } from "#kit/pki/authority";
import { managementClient } from "./client.ts";

test("a call ends when its caller aborts it, also before it has a connection", async (t) => {
  const silent = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const client = managementClient({
    addresses: () => ["127.0.0.1"],
    port,
    serverName: "rec.default.svc.cluster.local",
    ca: createAuthority({ commonName: "test", now: new Date(), days: 1 }).certificate,
    username: "admin",
    password: "secret",
    timeoutMs: 60_000,
  });
  t.after(async () => {
    await client.destroy();
    silent.close();
  });
  const abort = new AbortController();
  const call = client.call("nodes", {}, { signal: abort.signal });
  const refused = assert.rejects(call, /enough/);
  const other = client.call("license").then(
    () => "answered",
    () => "not reached",
  );
  await once(silent, "connection");
  abort.abort(new Error("enough"));
  assert.equal(await Promise.race([refused.then(() => "given up"), other]), "given up");
});
