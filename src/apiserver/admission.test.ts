import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { createAuthority, issue } from "../pki/authority.ts";
import { rawApi, type RawApi } from "../../test/kit/api-client.ts";
import { until } from "../../test/kit/until.ts";

let api: RawApi;
before(async () => {
  api = await rawApi();
});
after(() => api[Symbol.asyncDispose]());

const PODS = "/api/v1/namespaces/default/pods";
const MERGE = "application/merge-patch+json";

function pod(name: string, spec: object = {}): object {
  const containers = [{ name: "main", image: "image:1" }];
  return { metadata: { name, labels: { app: "guarded" } }, spec: { containers, ...spec } };
}

test("a namespace comes with its default service account and the CA certificate", async () => {
  await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "fresh" } } });
  await until("both are there", async () => {
    const account = await api.send("GET", "/api/v1/namespaces/fresh/serviceaccounts/default");
    const root = await api.send("GET", "/api/v1/namespaces/fresh/configmaps/kube-root-ca.crt");
    return account.code === 200 && root.body.data?.["ca.crt"] === api.server.caCertificate;
  });
});

test("a deleted namespace refuses new objects, empties itself and goes", async () => {
  await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "doomed" } } });
  const maps = "/api/v1/namespaces/doomed/configmaps";
  await api.send("POST", maps, { body: { metadata: { name: "free" } } });
  await api.send("POST", maps, { body: { metadata: { name: "held", finalizers: ["example.io/x"] } } });
  const deleted = await api.send("DELETE", "/api/v1/namespaces/doomed");
  assert.equal(deleted.body.status.phase, "Terminating");
  const late = await api.send("POST", maps, { body: { metadata: { name: "late" } } });
  assert.deepEqual([late.code, late.body.details.causes[0].reason], [403, "NamespaceTerminating"]);
  await until("only what is held is left", async () => (await api.send("GET", maps)).body.items?.length === 1);
  assert.equal((await api.send("GET", "/api/v1/namespaces/doomed")).code, 200);
  await api.send("PATCH", `${maps}/held`, { type: MERGE, body: { metadata: { finalizers: null } } });
  await until("the namespace is gone", async () => (await api.send("GET", "/api/v1/namespaces/doomed")).code === 404);
});

test("a pod gets its service account, and the account's token as a volume", async () => {
  const { body } = await api.send("POST", PODS, { body: pod("mounted") });
  assert.equal(body.spec.serviceAccountName, "default");
  const [mount] = body.spec.containers[0].volumeMounts;
  assert.equal(mount.mountPath, "/var/run/secrets/kubernetes.io/serviceaccount");
  assert.equal(body.spec.volumes[0].name, mount.name);
  const without = await api.send("POST", PODS, { body: pod("bare", { automountServiceAccountToken: false }) });
  assert.equal(without.body.spec.volumes, undefined);
  const absent = await api.send("POST", PODS, { body: pod("lost", { serviceAccountName: "absent" }) });
  assert.equal(absent.code, 403);
  assert.match(absent.body.message, /error looking up service account default\/absent/);
});

test("an eviction is allowed as often as the disruption budget says", async () => {
  const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  const selector = { matchLabels: { app: "guarded" } };
  await api.send("POST", budgets, { body: { metadata: { name: "b" }, spec: { maxUnavailable: 1, selector } } });
  for (const name of ["e1", "e2"]) {
    await api.send("POST", PODS, { body: pod(name, { nodeName: "n" }) });
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    await api.send("PATCH", `${PODS}/${name}/status`, { type: MERGE, body: { status } });
  }
  const evict = (name: string): ReturnType<RawApi["send"]> => {
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
    return api.send("POST", `${PODS}/${name}/eviction`, { body });
  };
  assert.equal((await evict("e1")).code, 429, "a budget that no controller has seen allows nothing");
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
  };
  await api.send("PATCH", `${budgets}/b/status`, { type: MERGE, body: { status } });
  assert.equal((await evict("e1")).code, 201);
  assert.match((await api.send("GET", `${PODS}/e1`)).body.metadata.deletionTimestamp, /^\d{4}/);
  const refused = await evict("e2");
  assert.deepEqual([refused.code, refused.body.details.causes[0].reason], [429, "DisruptionBudget"]);
  const { body } = await api.send("GET", `${budgets}/b`);
  assert.deepEqual([body.status.disruptionsAllowed, Object.keys(body.status.disruptedPods)], [0, ["e1"]]);
});

test("validating webhooks are asked, their refusals passed on, their failures treated as they say", async () => {
  const now = new Date();
  const authority = createAuthority({ commonName: "hooks", now, days: 1 });
  const pair = issue(authority, {
    commonName: "hook",
    dnsNames: [],
    ipAddresses: ["127.0.0.1"],
    usages: ["server"],
    now,
    days: 1,
  });
  const asked: { request: { operation: string; object: { metadata: { name: string } } | null; oldObject: unknown } }[] =
    [];
  const hook = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    void text(request).then((body) => {
      const review = JSON.parse(body);
      asked.push(review);
      const allowed = !review.request.name.startsWith("no-");
      const answer = { uid: review.request.uid, allowed, status: { message: "not this one" }, warnings: ["seen"] };
      response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: answer }));
    });
  });
  hook.listen(0, "127.0.0.1");
  await once(hook, "listening");
  const address = hook.address();
  const port = typeof address === "object" ? address?.port : 0;
  const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const webhook = (failurePolicy: string): object => ({
    name: "guard.example.io",
    clientConfig: {
      url: `https://127.0.0.1:${port}/check`,
      caBundle: Buffer.from(authority.certificate).toString("base64"),
    },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["*"] }],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
    failurePolicy,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 2,
  });
  const configuration = { metadata: { name: "guard" }, webhooks: [webhook("Fail")] };
  const made = await api.send("POST", configurations, { body: configuration });
  assert.equal(made.code, 201, made.text);

  const maps = "/api/v1/namespaces/default/configmaps";
  const good = await api.send("POST", maps, { body: { metadata: { name: "yes" } } });
  assert.deepEqual([good.code, good.warnings], [201, ['299 - "seen"']]);
  const bad = await api.send("POST", maps, { body: { metadata: { name: "no-way" } } });
  assert.deepEqual(
    [bad.code, bad.body.message],
    [403, 'admission webhook "guard.example.io" denied the request: not this one'],
  );
  assert.equal(
    (await api.send("POST", maps.replace("default", "kube-public"), { body: { metadata: { name: "no-2" } } })).code,
    201,
  );
  await api.send("DELETE", `${maps}/yes`);
  assert.deepEqual(
    asked.map(({ request }) => [request.operation, request.object?.metadata.name, request.oldObject === null]),
    [
      ["CREATE", "yes", true],
      ["CREATE", "no-way", true],
      ["DELETE", undefined, false],
    ],
  );

  hook.closeAllConnections();
  await new Promise((resolve) => hook.close(resolve));
  const failed = await api.send("POST", maps, { body: { metadata: { name: "later" } } });
  assert.equal(failed.code, 500);
  assert.match(failed.body.message, /failed calling webhook "guard.example.io"/);
  await api.send("PATCH", `${configurations}/guard`, { type: MERGE, body: { webhooks: [webhook("Ignore")] } });
  assert.equal((await api.send("POST", maps, { body: { metadata: { name: "later" } } })).code, 201);
});
