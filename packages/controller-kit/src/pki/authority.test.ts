import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect, createServer, type TLSSocket } from "node:tls";
import { Fault } from "../base/fault.ts";
import { addressBytes } from "./address.ts";
import { createAuthority, expiryOf, issue } from "./authority.ts";

const now = new Date();
const authority = createAuthority({ commonName: "test authority", now, days: 30 });
const server = issue(authority, {
  commonName: "rec",
  dnsNames: ["rec.ns.svc.cluster.local", "*.rec.ns.svc"],
  ipAddresses: ["127.0.0.1", "::1"],
  usages: ["server", "client"],
  now,
  days: 7,
});

function openssl(...args: string[]): string {
  return execFileSync("openssl", args, { encoding: "utf8" });
}

function file(folder: { readonly path: string }, name: string, content: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

test("a certificate that was made just now is valid for a clock that is ten minutes slow", () => {
  for (const { certificate } of [authority, server])
    assert.ok(new X509Certificate(certificate).validFromDate.getTime() < now.getTime() - 600_000);
});

test("an authority whose key cannot be read is refused with a reason", () => {
  const names = { commonName: "rec", dnsNames: [], ipAddresses: [], usages: ["server" as const] };
  const broken = { ...authority, key: "garbage" };
  assert.throws(
    () => issue(broken, { ...names, now, days: 1 }),
    (error) => error instanceof Fault && error.code === "PKI_UNUSABLE_AUTHORITY",
  );
});

test("openssl accepts a server certificate under its strictest rules", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "pki-"));
  const ca = file(folder, "ca.crt", authority.certificate);
  const leaf = file(folder, "server.crt", server.certificate);
  for (const purpose of ["sslserver", "sslclient"]) {
    const output = openssl("verify", "-x509_strict", "-purpose", purpose, "-CAfile", ca, leaf);
    assert.match(output, /: OK/);
  }
});

test("a client certificate is refused as a server's", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "pki-"));
  const client = issue(authority, {
    commonName: "admin",
    organizations: ["system:masters"],
    dnsNames: [],
    ipAddresses: [],
    usages: ["client"],
    now,
    days: 7,
  });
  const ca = file(folder, "ca.crt", authority.certificate);
  const leaf = file(folder, "client.crt", client.certificate);
  assert.match(openssl("verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", ca, leaf), /: OK/);
  assert.throws(() => openssl("verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", ca, leaf));
  assert.equal(new X509Certificate(client.certificate).subject, "O=system:masters\nCN=admin");
});

test("both ends of a TLS connection verify each other by the authority", async (t) => {
  const listener = createServer({
    cert: server.certificate,
    key: server.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  });
  t.after(() => listener.close());
  const seen = once(listener, "secureConnection");
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  assert.ok(address !== null && typeof address === "object");
  const socket = connect({
    host: "127.0.0.1",
    port: address.port,
    servername: "rec.ns.svc.cluster.local",
    ca: authority.certificate,
    cert: server.certificate,
    key: server.key,
  });
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  assert.equal(socket.authorized, true);
  const [peer] = (await seen) as [TLSSocket];
  t.after(() => peer.destroy());
  assert.equal(peer.authorized, true);
});

test("names and addresses are in the certificate", () => {
  const parsed = new X509Certificate(server.certificate);
  assert.equal(parsed.checkHost("rec.ns.svc.cluster.local"), "rec.ns.svc.cluster.local");
  assert.equal(parsed.checkIP("::1"), "::1");
  assert.equal(parsed.checkIP("127.0.0.2"), undefined);
});

test("a certificate never outlives its authority", () => {
  const long = issue(authority, {
    commonName: "x",
    dnsNames: [],
    ipAddresses: [],
    usages: ["client"],
    now,
    days: 9999,
  });
  assert.deepEqual(expiryOf(long.certificate), expiryOf(authority.certificate));
  assert.equal(expiryOf(server.certificate).getTime(), Math.floor(now.getTime() / 1000) * 1000 + 7 * 86_400_000);
});

test("an authority that lasts beyond 2050 has a readable expiry", () => {
  const old = createAuthority({ commonName: "long", now: new Date("2045-01-01T00:00:00Z"), days: 3650 });
  assert.equal(expiryOf(old.certificate).toISOString(), "2054-12-30T00:00:00.000Z");
});

const refused = [
  { name: "a common name of 65 characters", with: { commonName: "x".repeat(65) }, code: "PKI_BAD_NAME" },
  { name: "a DNS name with a space", with: { dnsNames: ["a b"] }, code: "PKI_BAD_NAME" },
  { name: "a malformed address", with: { ipAddresses: ["300.0.0.1"] }, code: "PKI_BAD_NAME" },
  {
    name: "an expired authority",
    with: { now: new Date(now.getTime() + 31 * 86_400_000) },
    code: "PKI_UNUSABLE_AUTHORITY",
  },
];
for (const c of refused) {
  test(`issue refuses ${c.name}`, () => {
    const options = { commonName: "x", dnsNames: [], ipAddresses: [], usages: ["client" as const], now, days: 1 };
    assert.throws(
      () => issue(authority, { ...options, ...c.with }),
      (error) => error instanceof Fault && error.code === c.code,
    );
  });
}

test("issue refuses a key that is not the authority's", () => {
  const other = createAuthority({ commonName: "other", now, days: 1 });
  assert.throws(
    () =>
      issue(
        { certificate: authority.certificate, key: other.key },
        { commonName: "x", dnsNames: [], ipAddresses: [], usages: ["client"], now, days: 1 },
      ),
    (error) => error instanceof Fault && error.code === "PKI_UNUSABLE_AUTHORITY",
  );
});

test("expiryOf refuses text that is no certificate", () => {
  assert.throws(
    () => expiryOf("hello"),
    (error) => error instanceof Fault && error.code === "PKI_UNREADABLE",
  );
});

const addresses = [
  ["127.0.0.1", "7f000001"],
  ["::", "00000000000000000000000000000000"],
  ["fd00::1:2", "fd000000000000000000000000010002"],
  ["::ffff:10.1.2.3", "00000000000000000000ffff0a010203"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ["nonsense", undefined],
] as const;
for (const [address, want] of addresses) {
  test(`addressBytes of ${address}`, () => assert.equal(addressBytes(address)?.toString("hex"), want));
}
