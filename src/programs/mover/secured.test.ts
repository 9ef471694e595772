import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { until } from "#kit/testing/until";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { MoverProcess } from "../../../test/kit/mover/mover-process.ts";
import { engineCertificate, testAuthority } from "../../../test/kit/tls/engine-certificates.ts";

const ALL = [{ from: 0, to: 16_383 }];

for (const engine of engineNames())
  test(`${engine} gives and gets its data by TLS and with a password, and no other gets them`, async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "mover-"));
    const certificate = engineCertificate(testAuthority());
    const files = { certificate: "engine.crt", key: "engine.key", authority: "ca.crt" } as const;
    for (const [part, file] of Object.entries(files))
      writeFileSync(join(folder.path, file), certificate[part as keyof typeof files]);
    const args = [
      ...["--tls-port", "6380", "--tls-replication", "yes", "--tls-auth-clients", "yes", "--masterauth", "secret"],
      ...["--tls-cert-file", join(folder.path, files.certificate), "--tls-key-file", join(folder.path, files.key)],
      ...["--tls-ca-cert-file", join(folder.path, files.authority)],
    ];
    await using source = await startEngine({ engine, args, password: "secret" });
    await using target = await startEngine({ engine, args, password: "secret" });
    await source.call("SET", "key", "value");
    await using mover = await MoverProcess.start();
    const reply = await mover.send({
      op: "begin",
      bdb: 1,
      sources: [{ id: 1, primary: { host: source.host, port: 6380, tls: true }, slots: ALL }],
      targets: [{ id: 2, listen: { host: "127.0.0.1", port: 0 }, slots: ALL }],
      logins: [{ user: "default", password: "secret" }],
      engineCertificate: certificate,
    });
    assert.ok(reply.ok && reply.op === "begin");
    const [port = 0] = reply.ports;
    assert.equal(await pingAs(engineCertificate(testAuthority()), port), "");
    assert.equal(await pingAs(certificate, port), "+PONG\r\n");
    await target.call("REPLICAOF", "127.0.0.1", port);
    await until("the target follows", async () => (await mover.status()).targets[0]?.state === "following");
    assert.equal(await target.call("GET", "key"), "value");
  });

/** What the mover answers a caller with that certificate; empty when it ends the connection. */
async function pingAs({ certificate, key }: EngineCertificate, port: number): Promise<string> {
  // what the mover shows itself is not looked at here
  const socket = connect({ host: "127.0.0.1", port, cert: certificate, key, rejectUnauthorized: false });
  socket.on("error", () => undefined);
  socket.write("*1\r\n$4\r\nPING\r\n");
  let answer = "";
  socket.on("data", (bytes: Buffer) => {
    answer += bytes.toString();
    socket.destroy();
  });
  await once(socket, "close");
  return answer;
}
