import assert from "node:assert/strict";
import { test } from "node:test";
import { Served } from "../../../../test/kit/engines/served.ts";

const LOGINS = [{ user: "store", password: "internal" }];
const OWN_USER = ["--user", "store", "on", ">internal", "~*", "&*", "+@all"];

test("the engine knows the proxy alone, and clients notice nothing of it", async () => {
  await using served = await Served.start({ password: "pw", logins: LOGINS }, { args: OWN_USER });
  for (const engine of [served.primary, served.replica]) {
    await engine.call("ACL", "SETUSER", "ann", "on", ">hers", "~a:*", "+@all");
    await engine.call("ACL", "SETUSER", "default", "off");
  }
  const client = await served.client();
  assert.match(String(await client.ask("ACL", "WHOAMI")), /^-NOAUTH/);
  for (const word of [["internal"], ["store", "internal"], ["default", "internal"]])
    assert.match(String(await client.ask("AUTH", ...word)), /^-WRONGPASS/);
  assert.match(String(await client.ask("HELLO", 3, "AUTH", "store", "internal")), /^-WRONGPASS/);
  assert.equal(await client.ask("AUTH", "pw"), "OK");
  assert.equal(await client.ask("ACL", "WHOAMI"), "default");
  assert.equal(await client.ask("SET", "b:1", "x"), "OK");

  await client.ask("AUTH", "ann", "hers");
  assert.equal(await client.ask("ACL", "WHOAMI"), "ann");
  assert.match(String(await client.ask("GET", "b:1")), /^-NOPERM/);
  assert.match(String(await client.ask("AUTH", "default", "hers")), /^-WRONGPASS/);
  assert.equal(await client.ask("AUTH", "default", "pw"), "OK");
  assert.equal(await client.ask("ACL", "WHOAMI"), "default");
  assert.equal(await client.ask("GET", "b:1"), "x");

  await client.ask("AUTH", "ann", "hers");
  assert.ok(Array.isArray(await client.ask("HELLO", 2, "AUTH", "default", "pw", "SETNAME", "again")));
  assert.equal(await client.ask("GET", "b:1"), "x");
  await client.ask("WATCH", "b:1");
  assert.equal(await client.ask("AUTH", "pw"), "OK", "on a connection of its own");
  assert.equal(await client.ask("ACL", "WHOAMI"), "default");
  await client.ask("MULTI");
  assert.equal(await client.ask("ACL", "WHOAMI"), "QUEUED");
  assert.deepEqual(await client.ask("EXEC"), ["default"]);
});

test("a proxy tries each login, and says whether it has those of a step", async () => {
  const logins = [{ user: "store", password: "next" }, ...LOGINS];
  await using served = await Served.start({ logins, loginStep: 1 }, { args: OWN_USER });
  for (const engine of [served.primary, served.replica]) await engine.call("ACL", "SETUSER", "default", "off");
  const client = await served.client();
  assert.equal(await client.ask("SET", "a", "1"), "OK");
  assert.deepEqual(await served.proxy.send({ op: "logins", bdb: 1, step: 1 }), { ok: true, op: "logins" });
  const later = await served.proxy.send({ op: "logins", bdb: 1, step: 2 });
  assert.equal(later.ok ? "" : later.code, "PROXY_LOGIN_NOT_KNOWN");
});
