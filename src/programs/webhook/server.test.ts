import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../../../test/kit/time/until.ts";
import { Fault } from "../../core/base/fault.ts";
import { silentLog } from "../../core/base/log.ts";
import { createAuthority, issue } from "../../ports/pki/authority.ts";
import { faults } from "./faults.ts";
import { readQuestion } from "./review.ts";
import { serveAdmission, type AdmissionServer } from "./server.ts";

const HOST = "admission.default.svc";
const now = new Date();
const authority = createAuthority({ commonName: "test", now, days: 1 });
const pair = issue(authority, {
  commonName: "admission",
  dnsNames: [HOST],
  ipAddresses: [],
  usages: ["server"],
  now,
  days: 1,
});
let server: AdmissionServer;
let unready: string | undefined;
let distrusted = 0;
const onDistrust = (): void => {
  distrusted += 1;
};
before(async () => {
  const answer = async (text: string): Promise<object> => {
    if (text === "crash") throw new Error("inner detail");
    return { asked: readQuestion(text).request.uid };
  };
  const where = { host: "127.0.0.1", port: 0 };
  server = await serveAdmission({ ...where, pair, unready: () => unready, answer, onDistrust, log: silentLog });
});
after(() => server.close());

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
  { rule: "another form than JSON is refused", type: "text/plain", body: "{}", status: 415, says: /Content-Type/ },
  { rule: "a body without end is refused", body: "x".repeat(9_000_000), status: 413, says: /8388608 bytes/ },
  { rule: "another method is refused", method: "GET", status: 405, says: /takes POST/ },
  { rule: "another path is refused", path: "/v1/bdbs", status: 404, says: /\/admission is/ },
  { rule: "a crash tells nothing of the inside", body: "crash", status: 500, says: /^\{"message":"internal error"\}$/ },
  { rule: "it says that it lives", method: "GET", path: "/liveness", status: 200, says: /alive/ },
  { rule: "it says that it is ready", method: "GET", path: "/readiness", status: 200, says: /ready/ },
];

for (const { rule, status, says, ...what } of cases) {
  test(`the webhook's server: ${rule}`, async () => {
    const answer = await ask(what);
    assert.equal(answer.status, status);
    assert.match(answer.text, says);
  });
}

test("the webhook's server: it says why it is not ready", async () => {
  unready = "stopping";
  const answer = await ask({ method: "GET", path: "/readiness" });
  unready = undefined;
  assert.deepEqual([answer.status, answer.text], [503, '{"message":"stopping"}']);
});

test("the webhook's server: it notices that a caller does not trust its certificate", async () => {
  const other = createAuthority({ commonName: "other", now, days: 1 });
  const dir = mkdtempSync(join(tmpdir(), "distrust-"));
  writeFileSync(join(dir, "ca.crt"), other.certificate);
  const where = ["-connect", `127.0.0.1:${server.port}`, "-servername", HOST];
  const client = spawn("openssl", ["s_client", "-verify_return_error", "-CAfile", join(dir, "ca.crt"), ...where]);
  await until("it has noticed", () => distrusted === 1);
  client.kill();
  rmSync(dir, { recursive: true });
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

function ask({ method = "POST", path = "/admission", type = "application/json", body }: Asked) {
  return new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
    const where = { host: "127.0.0.1", port: server.port, servername: HOST, ca: authority.certificate };
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
