import assert from "node:assert/strict";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { engineCertificate, testAuthority } from "../../../../test/kit/tls/engine-certificates.ts";
import { askSourceFacts } from "./facts.ts";
import { readSourceUri, sourceAddress } from "./source-address.ts";

const NOTHING = { secret: undefined, authority: undefined, serverName: undefined };
const SECRET = { data: { password: encoded("of the source"), username: encoded("migrator") } };

test("a URI says where a source is and its user, and a Secret the rest", () => {
  assert.deepEqual(sourceAddress(readSourceUri("redis://redis.example.com"), NOTHING), {
    host: "redis.example.com",
    port: 6379,
    logins: [{ user: "default", password: "" }],
  });
  assert.deepEqual(sourceAddress(readSourceUri("redis://[::1]:7000/"), { ...NOTHING, secret: SECRET }), {
    host: "::1",
    port: 7000,
    logins: [{ user: "migrator", password: "of the source" }],
  });
  const other = sourceAddress(readSourceUri("redis://some%20one@10.0.0.1"), { ...NOTHING, secret: SECRET });
  assert.deepEqual(other.logins, [{ user: "some one", password: "of the source" }]);
});

test("what is no such URI is refused, and what it says is not repeated", () => {
  for (const uri of [
    "redis",
    "http://host",
    "redis://",
    "redis://host/3",
    "redis://user:hidden@host",
    "redis://%zz@host",
  ])
    assert.throws(
      () => readSourceUri(uri),
      ({ code, message }: { readonly code?: string; readonly message: string }) =>
        code === "MIGRATION_BAD_URI" && !message.includes("hidden"),
      uri,
    );
});

test("a source with TLS and users is asked by its authority and name, and says what its user may not do", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "source-"));
  const { certificate, key, authority, serverName } = engineCertificate(testAuthority());
  const files = { crt: certificate, key, ca: authority };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  const args = [
    ...["--tls-port", "6380", "--tls-auth-clients", "no", "--tls-cert-file", join(folder.path, "crt")],
    ...["--tls-key-file", join(folder.path, "key"), "--tls-ca-cert-file", join(folder.path, "ca")],
  ];
  await using source = await startEngine({ args });
  await source.call("ACL", "SETUSER", "migrator", "on", ">of the source", "~*", "+@all", "-psync");
  const uri = `rediss://${source.host}:6380`;
  const secret = { data: { ...SECRET.data, "ca.crt": encoded(authority) } };
  const { denied, engine, keys } = await askSourceFacts(
    sourceAddress(readSourceUri(uri), { ...NOTHING, secret, serverName }),
  );
  assert.match(denied.map(({ command, said }) => `${command}: ${said}`).join(), /^PSYNC \?: .*no permissions/);
  assert.deepEqual([engine.family, keys.size], ["redis", 0]);
  const foreign = { ...NOTHING, secret: SECRET, serverName, authority: engineCertificate(testAuthority()).authority };
  await assert.rejects(askSourceFacts(sourceAddress(readSourceUri(uri), foreign)), { code: "RESP_CONNECT" });
  await assert.rejects(
    askSourceFacts(sourceAddress(readSourceUri(uri), { ...NOTHING, secret, serverName: "other" })),
    /altnames/i,
  );
});

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}
