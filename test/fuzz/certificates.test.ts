import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { NODE_PATHS, PORTS, clusterNames } from "../../src/core/api/names.ts";
import { Fault } from "#kit/base/fault";
import { createAuthority, expiryOf, issue, succeedAuthority } from "#kit/pki/authority";
import { purposeOf } from "#kit/pki/purpose";
import { mutatedBytes } from "../kit/fuzz/mutate.ts";
import { until } from "#kit/testing/until";
import { seededDice, type Dice } from "../kit/world/chaos.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";

/** A seed replays the certificates; `FUZZ_CERTIFICATES=100000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const certificates = Number(process.env["FUZZ_CERTIFICATES"] ?? 2_000);
const HOST = "rec.default.svc.cluster.local";
const NOW = new Date();

await test(`a certificate or key from outside is used or refused with a reason (FUZZ_SEED=${seed})`, () => {
  const authority = createAuthority({ commonName: "fuzz", now: NOW, days: 1, canBeSucceeded: true });
  const names = { commonName: HOST, dnsNames: [HOST], ipAddresses: [], usages: ["server" as const] };
  const pair = issue(authority, { ...names, now: NOW, days: 1 });
  for (let number = 0; number < certificates; number += 1) {
    const dice = seededDice(seed + number);
    const [certificate, key] = [mutatedPem(dice, pair.certificate), mutatedPem(dice, pair.key)];
    const what = `FUZZ_SEED=${seed + number}`;
    assert.match(purposeOf({ certificate, key: pair.key }, HOST, NOW).kind, /^(authority|server|none)$/, what);
    assert.match(purposeOf({ certificate: pair.certificate, key }, HOST, NOW).kind, /^(server|none)$/, what);
    refusesWithReason(what, () => expiryOf(certificate));
    refusesWithReason(what, () => succeedAuthority(authority, mutatedPem(dice, authority.certificate), NOW));
    const other = { certificate: mutatedPem(dice, authority.certificate), key: mutatedPem(dice, authority.key) };
    refusesWithReason(what, () => issue({ ...authority, key: other.key }, { ...names, now: NOW, days: 1 }));
    refusesWithReason(what, () =>
      issue({ ...authority, certificate: other.certificate }, { ...names, now: NOW, days: 1 }),
    );
  }
});

await test("a node keeps its certificate and its authority when its secret gets what cannot be used, and says so", async () => {
  await using cluster = await startTestCluster({ nodes: 2 });
  const folder = join(cluster.root(1), NODE_PATHS.tls);
  const before = await fingerprint(cluster);
  for (const [file, text, why] of unusable(cluster)) {
    const good = readFileSync(join(folder, file), "utf8");
    const said = complaints(cluster);
    writeFileSync(join(folder, file), text);
    await until(`it says that ${why}`, () => complaints(cluster) > said, { withinMs: 20_000 });
    assert.equal(await fingerprint(cluster), before, why);
    // by way of the other node: each needs the authority of the other
    assert.equal((await cluster.client.call("nodes")).filter(({ status }) => status === "active").length, 2, why);
    writeFileSync(join(folder, file), good);
  }
  const renewed = cluster.newNodeTls();
  for (const file of ["tls.crt", "tls.key"] as const) writeFileSync(join(folder, file), renewed[file]);
  await until("a good one is served", async () => (await fingerprint(cluster)) !== before, { withinMs: 20_000 });
});

function unusable(cluster: TestCluster): readonly (readonly [file: string, text: string, why: string])[] {
  const huge = `-----BEGIN CERTIFICATE-----\n${"A".repeat(5_000_000)}\n-----END CERTIFICATE-----\n`;
  return [
    ["tls.crt", "no certificate", "its certificate is garbage"],
    ["tls.crt", huge, "its certificate is huge"],
    ["tls.key", cluster.newNodeTls()["tls.key"], "its key is that of another certificate"],
    ["tls.key", "", "its key is empty"],
    ["ca.crt", "no authority", "its authority is garbage"],
  ];
}

/** How often node 1 has said that a secret cannot be used. */
function complaints(cluster: TestCluster): number {
  return cluster.log(1).split("a mounted secret cannot be used").length;
}

async function fingerprint(cluster: TestCluster): Promise<string> {
  const servername = clusterNames.dnsName(cluster.rec, cluster.namespace);
  const socket = connect({ host: cluster.address(1), port: PORTS.management, ca: cluster.ca, servername });
  await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  const { fingerprint256 } = socket.getPeerX509Certificate() ?? new X509Certificate("");
  socket.destroy();
  return fingerprint256;
}

/** The text is changed, or what it encodes. */
function mutatedPem(dice: Dice, pem: string): string {
  if (dice() < 0.4) return mutatedBytes(dice, Buffer.from(pem)).toString();
  const [head = "", ...lines] = pem.trim().split("\n");
  const der = mutatedBytes(dice, Buffer.from(lines.slice(0, -1).join(""), "base64"));
  return [head, ...(der.toString("base64").match(/.{1,64}/g) ?? []), lines.at(-1), ""].join("\n");
}

function refusesWithReason(what: string, act: () => unknown): void {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof Fault, `${what}: ${error instanceof Error ? error.stack : String(error)}`);
  }
}
