import assert from "node:assert/strict";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "#kit/testing/until";

const test = sharing(() => Served.start());

test("a consumer of a group named `block` gets its entry under its own name after a move", async (served) => {
  const [reader, writer] = [await served.client(), await served.client()];
  await writer.ask("XGROUP", "CREATE", "s", "block", "0", "MKSTREAM");
  reader.send("XREADGROUP", "GROUP", "block", "700", "BLOCK", "0", "STREAMS", "s", ">");
  await isBlocked(served);
  await served.move();
  await isBlocked(served);
  await writer.ask("XADD", "s", "1-1", "f", "v");
  const entries = plain(await reader.read());
  assert.match(JSON.stringify(entries, inWords), /1-1/);
  const pending = await writer.ask("XPENDING", "s", "block", "-", "+", 10);
  assert.match(JSON.stringify(pending, inWords), /"1-1","700"/);
});

test("a stream named `streams` and one named `block` are read from now on over a move", async (served) => {
  const [reader, writer] = [await served.client(), await served.client()];
  for (const key of ["streams", "block"]) await writer.ask("XADD", key, "1-1", "f", "before");
  reader.send("XREAD", "COUNT", 1, "BLOCK", 60_000, "STREAMS", "streams", "block", "$", "$");
  await isBlocked(served);
  await served.move();
  await writer.ask("XADD", "block", "2-1", "f", "after");
  assert.match(JSON.stringify(plain(await reader.read()), inWords), /"block",\[\["2-1",\["f","after"\]\]\]/);
});

test("a user stays that user when it names its connection `auth`", async (served) => {
  for (const engine of [served.primary, served.replica])
    await engine.call("ACL", "SETUSER", "ann", "on", ">pw", "~a:*", "+@all");
  const client = await served.client();
  assert.equal(await client.ask("AUTH", "ann", "pw"), "OK");
  await client.ask("HELLO", 3, "SETNAME", "auth");
  assert.equal(await client.ask("ACL", "WHOAMI"), "ann");
  assert.match(String(await client.ask("GET", "b:1")), /^-NOPERM/);
});

test("a prefix named `redirect` is tracked", async (served) => {
  const client = await served.client();
  await client.ask("HELLO", 3);
  assert.equal(await client.ask("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "redirect"), "OK");
  assert.equal(await client.ask("CLIENT", "GETREDIR"), 0);
  assert.match(
    String(await client.ask("CLIENT", "TRACKING", "ON", "REDIRECT", 1)),
    /^-ERR The client ID you want redirect/,
  );
  assert.equal(await client.ask("CLIENT", "TRACKING", "ON", "BANANA"), "-ERR syntax error");
});

/** Resolves when one client waits at the primary. */
async function isBlocked(served: Served): Promise<void> {
  await until("a client waits", async () =>
    /^blocked_clients:1\r$/m.test(String(await served.primary.call("INFO", "clients"))),
  );
}

/** Bytes as text. */
function inWords(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const own = this[key];
  return Buffer.isBuffer(own) ? own.toString() : value;
}
