import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { survivesFlood } from "../../../test/kit/network/flood.ts";
import { until } from "#kit/testing/until";
import { Fault } from "#kit/base/fault";
import { jsonLog, silentLog } from "#kit/base/log";
import { createAuthority, issue } from "#kit/pki/authority";
import { systemClock } from "#kit/reconcile/system-clock";
import { faults } from "./faults.ts";
import { readQuestion } from "./review.ts";
import { serveAdmission, type AdmissionServer } from "./server.ts";

const HOST = "admission.default.svc";
const EIGHT_MIB = 8 * 1024 * 1024;
const now = new Date();
const authority = createAuthority({ commonName: "test", now, days: 1 });
const names = { commonName: "admission", dnsNames: [HOST], ipAddresses: [] };
const pair = issue(authority, { ...names, usages: ["server"], now, days: 1 });
const review = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "u-1", kind: { group: "g", kind: "K" }, operation: "CREATE", object: { metadata: {} } },
};

interface Case {
  readonly rule: string;
  readonly method?: string;
  readonly path?: string;
  readonly type?: string;
  readonly body?: string;
  readonly status: number;
  readonly says: RegExp;
}

const cases: readonly Case[] = [
  { rule: "a review is answered", body: JSON.stringify(review), status: 200, says: /u-1/ },
  {
    rule: "so is one of the older version",
    body: JSON.stringify({ ...review, apiVersion: "admission.k8s.io/v1beta1" }),
    status: 200,
    says: /u-1/,
  },
  { rule: "what is no JSON is refused", body: "{", status: 400, says: /no JSON/ },
  {
    rule: "what is no review is refused, with the field",
    body: "{}",
    status: 400,
    says: /no AdmissionReview: apiVersion/,
  },
  {
    rule: "a review without a uid is refused",
    body: JSON.stringify({ ...review, request: { ...review.request, uid: "" } }),
    status: 400,
    says: /request\.uid/,
  },
  {
    rule: "a review without end downwards is refused",
    body: `{"request":${"[".repeat(3_000)}${"]".repeat(3_000)}}`,
    status: 400,
    says: /256 levels deep/,
  },
  {
    rule: "a name that no object can have is refused",
    body: JSON.stringify({ ...review, request: { ...review.request, name: "n".repeat(254) } }),
    status: 400,
    says: /request\.name/,
  },
  { rule: "another form than JSON is refused", type: "text/plain", body: "{}", status: 415, says: /Content-Type/ },
  { rule: "a body without end is refused", body: "x".repeat(9_000_000), status: 413, says: /8388608 bytes/ },
  { rule: "another method is refused", method: "GET", status: 405, says: /takes POST/ },
  { rule: "another path is refused", path: "/v1/bdbs", status: 404, says: /\/admission is/ },
  { rule: "a crash shows nothing of the inside", body: "crash", status: 500, says: /^\{"message":"internal error"\}$/ },
  { rule: "it says that it lives", method: "GET", path: "/liveness", status: 200, says: /alive/ },
  { rule: "it says that it is ready", method: "GET", path: "/readiness", status: 200, says: /ready/ },
];

test("the webhook's server answers each request as it should", async (t) => {
  await using server = await openServer();
  for (const { rule, status, says, ...what } of cases) {
    await t.test(rule, async () => {
      const answer = await ask(server.port, what);
      assert.equal(answer.status, status);
      assert.match(answer.text, says);
    });
  }
});

test("the webhook's server says why it is not ready", async () => {
  await using server = await openServer({ unready: () => "stopping" });
  const answer = await ask(server.port, { method: "GET", path: "/readiness" });
  assert.deepEqual([answer.status, answer.text], [503, '{"message":"stopping"}']);
});

test("the webhook's server notices that a caller does not trust its certificate", async () => {
  let distrusted = 0;
  await using server = await openServer({ onDistrust: () => (distrusted += 1) });
  const other = createAuthority({ commonName: "other", now, days: 1 });
  using folder = mkdtempDisposableSync(join(tmpdir(), "distrust-"));
  const file = join(folder.path, "ca.crt");
  writeFileSync(file, other.certificate);
  const where = ["-connect", `127.0.0.1:${server.port}`, "-servername", HOST];
  using client = spawn("openssl", ["s_client", "-verify_return_error", "-CAfile", file, ...where]);
  await until("it has noticed", () => distrusted === 1);
  void client;
});

test("reviews that cannot be answered do not fill the log of the webhook", async () => {
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => now,
  );
  let uptime = 0;
  await using server = await openServer({ log, clock: { ...systemClock, uptimeMs: () => uptime } });
  const crash = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) assert.equal((await ask(server.port, { body: "crash" })).status, 500);
  };
  await crash(20);
  assert.equal(lines.length, 1);
  uptime += 1_000;
  await crash(2);
  assert.equal(lines.length, 2);
});

const silent: Readonly<Record<string, (port: number) => Promise<unknown>>> = {
  "never encrypted": async (port) => {
    const socket = dial(port, "127.0.0.1").on("error", () => undefined); // the server may reset it
    await once(socket, "connect");
  },
  "without a request": dialTls,
  "with half a request": async (port) => {
    const socket = await dialTls(port);
    socket.write("POST /admission HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{");
  },
};

for (const [what, open] of Object.entries(silent)) {
  test(`the webhook's server does not wait for a connection ${what} when it closes`, { timeout: 60_000 }, async () => {
    const server = await openServer();
    await open(server.port);
    await server[Symbol.asyncDispose]();
  });
}

test("strangers that hold connections to the webhook take those of their address, for ten seconds", async () => {
  await using server = await openServer();
  const { port } = server;
  const ask = async (localAddress: string): Promise<void> => {
    const sent = request({
      host: "127.0.0.1",
      port,
      localAddress,
      path: "/liveness",
      ca: authority.certificate,
      servername: HOST,
    });
    await once(sent.end(), "response");
  };
  await survivesFlood({ host: "127.0.0.1", port, ofAddress: 256, silentMs: 10_000, ask });
});

test("the webhook's server answers the request that it has before it closes", { timeout: 60_000 }, async () => {
  const asked = Promise.withResolvers<undefined>();
  const mayAnswer = Promise.withResolvers<undefined>();
  const answer = async (): Promise<object> => {
    asked.resolve(undefined);
    await mayAnswer.promise;
    return { late: true };
  };
  const server = await openServer({ answer });
  const reply = ask(server.port, { body: "{}" });
  await asked.promise;
  const closed = server[Symbol.asyncDispose]();
  await assert.rejects(once(dial(server.port, "127.0.0.1"), "connect"), /ECONNREFUSED/);
  mayAnswer.resolve(undefined);
  assert.equal((await reply).text, '{"late":true}');
  await closed;
});

test("bodies of strangers take 64 MiB at most, and a review of another address is answered beside them", async () => {
  await using server = await openServer();
  const flood = Array.from({ length: 12 }, () => {
    const headers = { "content-type": "application/json", "content-length": EIGHT_MIB };
    const where = { host: "127.0.0.1", port: server.port, localAddress: "127.0.0.9", agent: false };
    const sent = request({
      ...where,
      servername: HOST,
      ca: authority.certificate,
      path: "/admission",
      method: "POST",
      headers,
    });
    sent.on("error", () => undefined); // it is the server that ends it
    sent.write(Buffer.alloc(EIGHT_MIB - 1, " "));
    return sent;
  });
  const ended = (): number => flood.filter(({ destroyed }) => destroyed).length;
  await until("those that are too much are ended", () => ended() >= 4, { withinMs: 60_000 });
  const answer = await ask(server.port, { body: JSON.stringify(review) });
  assert.equal(answer.status, 200);
  assert.ok(ended() < 12, "as many as may be there stay");
  for (const sent of flood) sent.destroy();
});

test("large reviews are judged one after the other, and a small one beside them", async () => {
  let judged = 0;
  let most = 0;
  const mayAnswer = Promise.withResolvers<undefined>();
  const answer = async (text: string): Promise<object> => {
    if (text.length < 1_000) return { small: true };
    judged += 1;
    most = Math.max(most, judged);
    await mayAnswer.promise;
    judged -= 1;
    return { large: true };
  };
  await using server = await openServer({ answer });
  const large = Array.from({ length: 3 }, () => ask(server.port, { body: " ".repeat(300_000) }));
  await until("the first is judged", () => judged === 1);
  assert.equal((await ask(server.port, { body: "{}" })).text, '{"small":true}');
  mayAnswer.resolve(undefined);
  for (const { text } of await Promise.all(large)) assert.equal(text, '{"large":true}');
  assert.equal(most, 1);
});

test("a caller that goes before it has asked is no error in the log", async () => {
  const lines: string[] = [];
  await using server = await openServer({
    log: jsonLog(
      (line) => lines.push(line),
      () => now,
    ),
  });
  const socket = await dialTls(server.port);
  socket.write("POST /admission HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{");
  socket.end();
  await once(socket.resume(), "close");
  assert.equal((await ask(server.port, { body: "crash" })).status, 500);
  assert.equal(lines.length, 1);
});

test("a question without end is a fault with a code", () => {
  assert.throws(
    () => readQuestion("["),
    (error) => error instanceof Fault && error.code === faults.badReview.code,
  );
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly type?: string;
  readonly body?: string;
}

function ask(
  port: number,
  { method = "POST", path = "/admission", type = "application/json", body }: Asked,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const where = { host: "127.0.0.1", port, servername: HOST, ca: authority.certificate };
    const asked = request({ ...where, method, path, headers: { "content-type": type } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

async function openServer(
  options: Partial<Parameters<typeof serveAdmission>[0]> = {},
): Promise<AdmissionServer & AsyncDisposable> {
  const answer = async (text: string): Promise<object> => {
    if (text === "crash") throw new Error("inner detail");
    return { asked: readQuestion(text).request.uid };
  };
  const quiet = { unready: () => undefined, onDistrust: () => undefined, clock: systemClock, log: silentLog };
  const server = await serveAdmission({ host: "127.0.0.1", port: 0, pair, answer, ...quiet, ...options });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

async function dialTls(port: number): Promise<TLSSocket> {
  const socket = connectTls({ host: "127.0.0.1", port, servername: HOST, ca: authority.certificate });
  socket.on("error", () => undefined); // the server may reset it
  await once(socket, "secureConnect");
  return socket;
}
