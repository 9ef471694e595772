import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect, createServer } from "node:tls";
import { createAuthority, issue, succeedAuthority, type KeyPair } from "./authority.ts";
import { purposeOf } from "./purpose.ts";

const now = new Date();
const HOST = "admission.default.svc";

const authority = (commonName: string, canBeSucceeded = true): KeyPair =>
  createAuthority({ commonName, now, days: 30, canBeSucceeded });
const leafOf = (signer: KeyPair, dnsNames: readonly string[] = [HOST]): KeyPair =>
  issue(signer, { commonName: "admission", dnsNames, ipAddresses: [], usages: ["server"], now, days: 7 });

const [first, second, third] = [authority("first"), authority("second"), authority("third")];
const links = [succeedAuthority(second, third.certificate, now), succeedAuthority(first, second.certificate, now)].join(
  "",
);

for (const [name, trusted] of [
  ["its own", third],
  ["the one before", second],
  ["the one before that", first],
] as const) {
  test(`a client that trusts ${name} authority trusts the server of the third one`, async (t) => {
    const leaf = leafOf(third);
    const server = createServer({ cert: leaf.certificate + links, key: leaf.key });
    t.after(() => server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const socket = connect({ host: "127.0.0.1", port: address.port, servername: HOST, ca: trusted.certificate });
    t.after(() => socket.destroy());
    await once(socket, "secureConnect");
    assert.equal(socket.authorized, true);
  });
}

test("openssl follows the succession under its strictest rules", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "succession-"));
  const file = (name: string, text: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };
  const output = execFileSync(
    "openssl",
    [
      ...["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", file("first.crt", first.certificate)],
      ...["-untrusted", file("links.crt", links), file("leaf.crt", leafOf(third).certificate)],
    ],
    { encoding: "utf8" },
  );
  assert.match(output, /: OK/);
});

test("an authority that signs end entities only has no successor", async (t) => {
  const last = authority("last", false);
  const leaf = leafOf(second);
  const server = createServer({
    cert: leaf.certificate + succeedAuthority(last, second.certificate, now),
    key: leaf.key,
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const socket = connect({ host: "127.0.0.1", port: address.port, servername: HOST, ca: last.certificate });
  const [error] = await once(socket, "error");
  assert.match(String(error), /path length/i);
});

const later = new Date(now.getTime() + 60 * 86_400_000);
const other = leafOf(first, ["other.default.svc"]);
const purposes: readonly (readonly [rule: string, pair: KeyPair, at: Date, kind: string, why?: RegExp])[] = [
  ["an authority signs", first, now, "authority"],
  ["a certificate for the host is the server's", leafOf(first), now, "server"],
  ["a certificate for another host is of no use", other, now, "none", /neither for admission\.default\.svc/],
  ["an expired one is of no use", first, later, "none", /expired on/],
  ["another's key is of no use", { ...first, key: second.key }, now, "none", /not the one of the certificate/],
  ["text is of no use", { certificate: "no", key: "no" }, now, "none", /cannot be read/],
];

for (const [rule, pair, at, kind, why] of purposes) {
  test(`a pair that was given: ${rule}`, () => {
    const purpose = purposeOf(pair, HOST, at);
    assert.equal(purpose.kind, kind);
    if (purpose.kind === "none") assert.match(purpose.why, why ?? /./);
  });
}
