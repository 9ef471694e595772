import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import type { TlsMode } from "../../api/settings/database-settings.ts";
import { certificateFindings } from "./certificate.ts";
import type { CertificateView } from "./certificate.ts";

const good: CertificateView = { state: "given", why: "", warning: "", authority: "PEM" };
const wrong: CertificateView = { ...good, state: "wrong", why: "it has expired" };

const cases: readonly [rule: string, asked: TlsMode, has: TlsMode | undefined, CertificateView, said: string][] = [
  ["one that can be used is not worth a word", "enabled", "enabled", good, ""],
  ["one that is due is not either", "enabled", "disabled", { ...good, state: "due" }, ""],
  ["a database is not made without one", "enabled", undefined, wrong, "block CertificateInvalid"],
  ["TLS is not switched on without one", "enabled", "disabled", wrong, "block CertificateInvalid"],
  ["clients are not asked for theirs without one", "mutual", "enabled", wrong, "block CertificateInvalid"],
  [
    "endpoints that have one keep it, and other edits are applied",
    "enabled",
    "enabled",
    wrong,
    "warn CertificateInvalid",
  ],
  ["so they do when clients need none any more", "enabled", "mutual", wrong, "warn CertificateInvalid"],
  ["one that ends soon is warned of", "enabled", "enabled", { ...good, warning: "it ends" }, "warn CertificateUnfit"],
];

for (const [rule, tls, has, view, said] of cases) {
  test(`the certificate of a database: ${rule}`, () => {
    const existing = has === undefined ? undefined : settingsWith({ tlsMode: has });
    const { findings, warnings } = certificateFindings("orders", { tls }, existing, view);
    const all = [...findings.map(({ id }) => `block ${id}`), ...warnings.map(({ id }) => `warn ${id}`)];
    assert.equal(all.join(", "), said);
  });
}
