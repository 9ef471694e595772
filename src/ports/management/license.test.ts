import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { LicenseTerms } from "../../core/api/license.ts";
import { createLicenseAuthority, openLicense, readLicense, signLicense } from "./license.ts";

const terms: LicenseTerms = {
  cluster_name: "rec.default.svc.cluster.local",
  owner: "Team Orders",
  activation_date: "2026-01-01T00:00:00Z",
  expiration_date: "2027-01-01T00:00:00Z",
  shards_limit: 10,
  features: ["a"],
};
const ours = createLicenseAuthority();
const other = createLicenseAuthority();
const text = signLicense(terms, ours.privateKey);

test("a licence that one of several authorities signed is opened, also out of a mail with Windows line ends", () => {
  const mailed = `Dear customer,\r\n${text.replaceAll("\n", "\r\n")}\r\nregards`;
  assert.deepEqual(openLicense(mailed, [other.publicKey, ours.publicKey]), terms);
});

test("a licence of an unknown authority is not opened, and can still be read", () => {
  for (const authorities of [[], [other.publicKey]]) {
    assert.throws(() => openLicense(text, authorities), { code: "MANAGEMENT_LICENSE_UNTRUSTED" });
  }
  assert.deepEqual(readLicense(text), terms);
});

test("one changed letter anywhere in the signed text is noticed", () => {
  const lines = text.split("\n");
  const body = lines.slice(1, -2).join("");
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === ".") continue;
    const changed = `${body.slice(0, at)}${body[at] === "A" ? "B" : "A"}${body.slice(at + 1)}`;
    // the last letter of each part carries unused bits
    const isPadding = at === body.indexOf(".") - 1 || at === body.length - 1;
    if (isPadding) continue;
    const forged = [lines[0], changed, lines.at(-2)].join("\n");
    assert.throws(() => openLicense(forged, [ours.publicKey]), { code: /^MANAGEMENT_LICENSE_/ }, `letter ${at}`);
  }
});

const noLicences = [
  ["empty", ""],
  ["prose", "please let me in"],
  ["without its end", text.slice(0, -40)],
  [
    "its lines with nothing between",
    text
      .split("\n")
      .filter((line) => line.startsWith("-"))
      .join("\n"),
  ],
  ["far too long", "x".repeat(20_000)],
] as const;
for (const [what, given] of noLicences) {
  test(`${what} is no licence`, () => {
    assert.throws(() => openLicense(given, [ours.publicKey]), { code: "MANAGEMENT_LICENSE_MALFORMED" });
  });
}

test("a key of another kind is refused by name", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  assert.throws(() => signLicense(terms, pem), { code: "MANAGEMENT_LICENSE_KEY", message: /a key for ec/ });
});
