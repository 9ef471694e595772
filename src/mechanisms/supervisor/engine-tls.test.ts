import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { silentLog } from "#kit/base/log";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import { engineLogins } from "../../core/api/engine-login.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { callEngine, connectEngine, engineCodeOf, type EngineAddress } from "../../ports/resp/engine-client.ts";
import { parseInfo, replicationView } from "../../ports/resp/info.ts";
import { textOf } from "../../ports/resp/reply.ts";
import { engineCertificate, showing, testAuthority } from "../../../test/kit/tls/engine-certificates.ts";
import { superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { until } from "#kit/testing/until";
import { enginesWithTls } from "./engine-tls-files.ts";
import { discoverEngines } from "./engines.ts";
import { instanceFiles } from "./instance-files.ts";
import type { WantedInstance } from "./wanted-instance.ts";

const authority = testAuthority();
const certificate = engineCertificate(authority);
const ms = { timeoutMs: 2_000 };

/** How a member that shows this certificate reaches an instance with TLS. */
function at(wanted: WantedInstance, shown: EngineCertificate = certificate): EngineAddress & typeof ms {
  const { host, port, access } = wanted;
  return { host, port, logins: engineLogins(access), tls: showing(shown), ...ms };
}

test("an engine with TLS lets in a peer with a certificate of the authority, and no other", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ speaksTls: true, certificate });
  await node.serve(wanted);
  assert.equal(await callEngine(at(wanted), "PING"), "PONG");
  const { host, port } = wanted;
  await assert.rejects(callEngine({ ...at(wanted), tls: undefined }, "PING"), { code: "RESP_CLOSED" });
  const stranger = { ...engineCertificate(testAuthority()), authority: authority.certificate };
  await assert.rejects(callEngine(at(wanted, stranger), "PING"), /alert/i);
  const nameless = connect({ host, port, ca: authority.certificate, servername: certificate.serverName });
  nameless.write("PING\r\n");
  const end = await new Promise((resolve) => nameless.once("error", resolve).once("data", resolve));
  assert.match(String(end), /alert certificate required/);
  const { pairFile } = instanceFiles(node.data, 1, 1);
  assert.equal((await stat(pairFile)).mode & 0o777, 0o600);
});

test("a node holds an engine to its authority and its name", async () => {
  await using node = await superviseNode();
  const impostor = engineCertificate(authority, "rec.test");
  const wanted = node.primary({ speaksTls: true, certificate: impostor });
  await node.serve(wanted);
  await assert.rejects(callEngine(at(wanted), "PING"), /does not match certificate's altnames/);
  const other = { ...certificate, authority: testAuthority().certificate };
  await assert.rejects(callEngine(at(wanted, other), "PING"), /signature|self-signed|unable to verify/);
});

test("a renewed certificate is shown by a running engine, and what is open stays", async () => {
  await using node = await superviseNode();
  const before = node.primary({ speaksTls: true, certificate });
  await node.serve(before);
  const open = await connectEngine(at(before));
  const renewed = engineCertificate(authority);
  await node.reconcile([{ ...before, certificate: renewed }]);
  assert.equal(await serialAt(before), serialOf(renewed));
  assert.equal(await open.call("PING"), "PONG");
  assert.equal(node.report().restarts, 0);
  open.close();
});

test("an engine with TLS that runs an endless script is asked over a new connection, and its script is ended there", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ speaksTls: true, certificate });
  await node.serve(wanted);
  const running = assert.rejects(
    callEngine({ ...at(wanted), timeoutMs: 20_000 }, "EVAL", "while true do end", 0),
    /killed/,
  );
  const isBusy = () =>
    callEngine(at(wanted), "PING").then(
      () => false,
      (error) => engineCodeOf(error) === "BUSY",
    );
  await until("it is busy", isBusy);
  await callEngine(at(wanted), "SCRIPT", "KILL");
  await running;
  assert.equal(node.report().restarts, 0);
});

test("replication crosses from an engine without TLS to one with it, and back", async () => {
  await using node = await superviseNode();
  const plain = node.primary({ certificate });
  const withTls: WantedInstance = { ...node.replicaOf(plain), speaksTls: true };
  await node.serve(plain, withTls);
  await awaitLinkOf(at(withTls));
  await callEngine(at(withTls), "REPLICAOF", "NO", "ONE");
  const { host, port } = withTls;
  const turned = [
    { ...withTls, role: "primary", launch: 1 },
    { ...plain, role: "replica", primary: { host, port, tls: true } },
  ] as const;
  await node.reconcile([turned[0]]);
  await node.reconcile(turned);
  await awaitLinkOf({ ...at(plain), tls: undefined });
});

test("an engine that is built without TLS is known as one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "probe-"));
  const real = await discoverEngines(process.env);
  const path = join(folder, "without");
  const [first] = real;
  assert.ok(first !== undefined);
  // refuses the directives as an engine does that is built without
  await writeFile(path, "#!/bin/sh\ngrep -q tls && { echo 'Bad directive or wrong number of arguments'; exit 1; }\n");
  await chmod(path, 0o755);
  const tools = { clock: systemClock, log: silentLog };
  const found = await enginesWithTls([...real, { ...first, path }], certificate, join(folder, "files"), tools);
  assert.deepEqual(found, real);
  await rm(folder, { recursive: true });
});

async function awaitLinkOf(replica: EngineAddress & typeof ms): Promise<void> {
  await until("the replica is linked", async () => {
    const text = await callEngine(replica, "INFO", "replication").catch(() => ""); // it is being started anew
    return replicationView(parseInfo(textOf(text)))?.link?.status === "up";
  });
}

async function serialAt({ host, port }: WantedInstance): Promise<string> {
  const { certificate: cert, key, serverName } = certificate;
  const socket = connect({ host, port, ca: authority.certificate, cert, key, servername: serverName });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

function serialOf({ certificate: pem }: EngineCertificate): string {
  return new X509Certificate(pem).serialNumber;
}
