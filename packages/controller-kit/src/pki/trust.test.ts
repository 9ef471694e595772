import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { createAuthority, issue, lifeOf } from "./authority.ts";
import { authoritiesIn, signersOf } from "./trust.ts";

const now = new Date("2026-11-22T12:00:00.000Z");
const [one, two] = ["one", "one"].map((commonName) => createAuthority({ commonName, now, days: 30 }));
assert.ok(one !== undefined && two !== undefined);
const leaf = issue(two, {
  commonName: "x",
  dnsNames: [],
  ipAddresses: [],
  usages: ["server"],
  now,
  days: 1,
}).certificate;
const id = ({ certificate }: { readonly certificate: string }): string =>
  new X509Certificate(certificate).fingerprint256;

test("a text names the authorities in it, and what cannot be read names none", () => {
  assert.deepEqual(authoritiesIn(`${one.certificate}\nsomething\n${two.certificate}`), [id(one), id(two)]);
  assert.deepEqual(authoritiesIn("-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----"), []);
});

test("the signer of a certificate is found among authorities of the same name", () => {
  const trusted = one.certificate + two.certificate;
  assert.deepEqual(signersOf([leaf], trusted), [id(two)]);
  assert.deepEqual(signersOf([leaf, one.certificate], trusted), [id(one), id(two)]);
  assert.deepEqual(signersOf([leaf], one.certificate), []);
});

test("the life of an authority begins when it was made", () => {
  const { made, ends } = lifeOf(one.certificate);
  assert.deepEqual([made, ends.getTime() - made.getTime()], [now, 30 * 86_400_000]);
});
