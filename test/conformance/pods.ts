import assert from "node:assert/strict";
import { until } from "#kit/testing/until";
import { PATCH, pod, workload } from "./objects.ts";
import type { Rule, RuleSet } from "./rule-set.ts";

/** Pods and what manages them: status, binding, scale, eviction, service accounts and their tokens. */
export const pods: RuleSet = {
  title: "pods and workloads",
  rules: [podRules, bindingRules, managerRules, workloadRules, tokenRules],
};

function podRules(rule: Rule): void {
  rule("a pod begins pending, and its status is written through its subresource alone", async ({ at, send }) => {
    const made = await send("POST", at("pods"), { body: { ...pod("status"), status: { phase: "Running" } } });
    assert.equal(made.body.status.phase, "Pending");
    const merge = (path: string, body: object) => send("PATCH", at("pods", path), { type: PATCH.merge, body });
    const ignored = await merge("status", { status: { phase: "Failed" } });
    assert.equal(ignored.body.status.phase, "Pending");
    const written = await merge("status/status", { status: { phase: "Running", podIP: "10.1.2.3" } });
    assert.deepEqual([written.body.status.phase, written.body.status.podIP], ["Running", "10.1.2.3"]);
    assert.equal(written.body.metadata.generation, made.body.metadata.generation);
  });

  rule("a pod gets what every pod has", async ({ at, send }) => {
    const resources = { limits: { cpu: 1, memory: "1Gi" }, requests: { cpu: "500m" } };
    const spec = { containers: [{ name: "main", image: "image:1", resources }] };
    const { body } = await send("POST", at("pods"), { body: pod("complete", spec) });
    const { restartPolicy, terminationGracePeriodSeconds, dnsPolicy, serviceAccountName, containers } = body.spec;
    assert.deepEqual(
      [restartPolicy, terminationGracePeriodSeconds, dnsPolicy, serviceAccountName],
      ["Always", 30, "ClusterFirst", "default"],
    );
    assert.equal(containers[0].imagePullPolicy, "IfNotPresent");
    const { limits, requests } = containers[0].resources;
    assert.deepEqual(limits, { cpu: "1", memory: "1Gi" });
    assert.deepEqual(requests, { cpu: "500m", memory: "1Gi" }, "what is limited and not asked for is asked for");
  });

  rule("the spec of a pod stays but for its images", async ({ at, send }) => {
    await send("POST", at("pods"), { body: pod("fixed") });
    const patch = (spec: object) => send("PATCH", at("pods", "fixed"), { type: PATCH.strategic, body: { spec } });
    assert.equal((await patch({ containers: [{ name: "main", image: "image:2" }] })).code, 200);
    const refused = await patch({ containers: [{ name: "main", command: ["sh"] }] });
    assert.equal(refused.code, 422);
    assert.match(refused.body.message, /spec: Forbidden: pod updates may not change fields other than/);
  });
}

function bindingRules(rule: Rule): void {
  rule("a binding gives a pod its node, once", async ({ at, send }) => {
    await send("POST", at("pods"), { body: pod("bound") });
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "bound" },
      target: { kind: "Node", name: "n1" },
    };
    assert.equal((await send("POST", at("pods", "bound/binding"), { body })).code, 201);
    const { body: bound } = await send("GET", at("pods", "bound"));
    assert.equal(bound.spec.nodeName, "n1");
    assert.equal(bound.status.conditions.find(({ type }: { type: string }) => type === "PodScheduled").status, "True");
    const again = await send("POST", at("pods", "bound/binding"), { body });
    assert.deepEqual([again.code, again.body.reason], [409, "Conflict"]);
  });

  rule("a pod gets its service account, and the account's token as a volume", async ({ at, send }) => {
    const { body } = await send("POST", at("pods"), { body: pod("mounted") });
    const [mount] = body.spec.containers[0].volumeMounts;
    assert.equal(mount.mountPath, "/var/run/secrets/kubernetes.io/serviceaccount");
    assert.equal(body.spec.volumes[0].name, mount.name);
    const bare = await send("POST", at("pods"), { body: pod("bare", { automountServiceAccountToken: false }) });
    assert.equal(bare.body.spec.volumes, undefined);
    const lost = await send("POST", at("pods"), { body: pod("lost", { serviceAccountName: "absent" }) });
    assert.equal(lost.code, 403);
    assert.match(lost.body.message, /error looking up service account .*\/absent: serviceaccount "absent" not found/);
  });
}

function managerRules(rule: Rule): void {
  rule(
    "an eviction is allowed as often as the disruption budget says",
    async ({ at, send }) => {
      const budgets = at("policy/v1/poddisruptionbudgets");
      const selector = { matchLabels: { guard: "yes" } };
      await send("POST", budgets, { body: { metadata: { name: "b" }, spec: { minAvailable: 1, selector } } });
      const merge = (path: string, body: object) => send("PATCH", path, { type: PATCH.merge, body });
      for (const name of ["e1", "e2"]) {
        await send("POST", at("pods"), { body: pod(name, { nodeName: "n", terminationGracePeriodSeconds: 5 }) });
        await merge(at("pods", name), { metadata: { labels: { guard: "yes" } } });
        await merge(at("pods", `${name}/status`), { status: RUNNING });
      }
      const allowed = async (): Promise<unknown> => (await send("GET", `${budgets}/b`)).body.status?.disruptionsAllowed;
      await until("one may go", async () => (await allowed()) === 1, { withinMs: 20_000, everyMs: 50 });
      const evict = (name: string) =>
        send("POST", at("pods", `${name}/eviction`), {
          body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
        });
      const evicted = await evict("e1");
      assert.deepEqual([evicted.code, evicted.body.status], [201, "Success"]);
      assert.match((await send("GET", at("pods", "e1"))).body.metadata.deletionTimestamp, /^\d{4}/);
      const refused = await evict("e2");
      assert.deepEqual([refused.code, refused.body.reason], [429, "TooManyRequests"]);
      assert.equal(refused.body.details.causes[0].reason, "DisruptionBudget");
      assert.match(refused.body.message, /^Cannot evict pod as it would violate the pod's disruption budget\.$/);
    },
    { needs: "controllers" },
  );

  rule("scale reads and writes the replicas, and counts as a change of the spec", async ({ at, send }) => {
    const sets = at("apps/v1/statefulsets");
    await send("POST", sets, { body: workload("StatefulSet", "s") });
    const { body: scale } = await send("GET", `${sets}/s/scale`);
    assert.deepEqual([scale.kind, scale.spec, scale.status.selector], ["Scale", {}, "app=s"]);
    const set = (replicas: number, resourceVersion: string) =>
      send("PUT", `${sets}/s/scale`, {
        body: { ...scale, metadata: { ...scale.metadata, resourceVersion }, spec: { replicas } },
      });
    assert.equal((await set(5, "")).body.spec.replicas, 5);
    const stale = await set(6, scale.metadata.resourceVersion);
    assert.equal(stale.code, 409);
    const { body } = await send("GET", `${sets}/s`);
    assert.deepEqual([body.spec.replicas, body.metadata.generation], [5, 2]);
    const negative = await send("PATCH", `${sets}/s/scale`, { type: PATCH.merge, body: { spec: { replicas: -1 } } });
    assert.equal(negative.code, 422);
    await send("PATCH", `${sets}/s`, { type: PATCH.merge, body: { spec: { replicas: 0 } } });
  });
}

function workloadRules(rule: Rule): void {
  rule("a StatefulSet changes only what it may", async ({ at, send }) => {
    const sets = at("apps/v1/statefulsets");
    const { body } = await send("POST", sets, { body: workload("StatefulSet", "fixed") });
    assert.deepEqual(body.spec.updateStrategy, { type: "RollingUpdate", rollingUpdate: { partition: 0 } });
    assert.deepEqual([body.spec.podManagementPolicy, body.spec.revisionHistoryLimit], ["OrderedReady", 10]);
    const patch = (spec: object) => send("PATCH", `${sets}/fixed`, { type: PATCH.merge, body: { spec } });
    const refused = await patch({ serviceName: "other" });
    assert.equal(refused.code, 422);
    assert.match(refused.body.message, /spec: Forbidden: updates to statefulset spec for fields other than 'replicas'/);
    const rolled = await patch({ updateStrategy: { rollingUpdate: { partition: 3 } } });
    assert.deepEqual([rolled.code, rolled.body.metadata.generation], [200, 2]);
  });

  rule("a service gets an address of its own and keeps it", async ({ at, send }) => {
    const service = (name: string, spec: object = {}) => ({
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });
    const create = (name: string, spec: object = {}) => send("POST", at("services"), { body: service(name, spec) });
    const [a, b] = await Promise.all([create("sa"), create("sb")]);
    const { clusterIP, clusterIPs, ports, type, sessionAffinity } = a.body.spec;
    assert.match(clusterIP, /^\d+\.\d+\.\d+\.\d+$/);
    assert.notEqual(clusterIP, b.body.spec.clusterIP);
    assert.deepEqual(clusterIPs, [clusterIP]);
    assert.deepEqual(ports, [{ port: 80, protocol: "TCP", targetPort: 80 }]);
    assert.deepEqual([type, sessionAffinity], ["ClusterIP", "None"]);
    const put = await send("PUT", at("services", "sa"), { body: service("sa", { selector: { app: "x" } }) });
    assert.equal(put.body.spec.clusterIP, clusterIP);
    const taken = await create("sc", { clusterIP });
    assert.equal(taken.code, 422);
    assert.match(taken.body.message, /provided IP is already allocated/);
    assert.equal((await create("sh", { clusterIP: "None" })).body.spec.clusterIP, "None");
  });
}

function tokenRules(rule: Rule): void {
  rule(
    "TokenRequest gives a token that counts as the account until it expires",
    async ({ at, send, as, namespace }) => {
      const path = at("serviceaccounts", "default/token");
      const { code, body } = await send("POST", path, { body: { spec: { expirationSeconds: 1200 } } });
      assert.equal(code, 201);
      const left = Date.parse(body.status.expirationTimestamp) - Date.now();
      assert.ok(left > 1_100_000 && left <= 1_201_000, String(left));
      const name = `system:serviceaccount:${namespace}:default`;
      const review = await as(body.status.token).send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      });
      assert.equal(review.body.status.userInfo.username, name);
      const reported = await send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
        body: { spec: { token: body.status.token } },
      });
      assert.deepEqual([reported.body.status.authenticated, reported.body.status.user.username], [true, name]);
      const foreign = await send("POST", path, { body: { spec: { audiences: ["elsewhere"] } } });
      assert.equal((await as(foreign.body.status.token).send("GET", "/apis")).code, 401);
      assert.equal((await send("POST", path, { body: { spec: { expirationSeconds: 5 } } })).code, 422);
    },
  );

  rule("a token ends with its service account, even when one of the same name comes back", async (context) => {
    const { at, send, as } = context;
    const account = { body: { metadata: { name: "brief" } } };
    await send("POST", at("serviceaccounts"), account);
    const { body } = await send("POST", at("serviceaccounts", "brief/token"), { body: {} });
    const client = as(body.status.token);
    assert.equal((await client.send("GET", "/apis")).code, 200);
    await send("DELETE", at("serviceaccounts", "brief"));
    // servers may remember for some seconds that a token was good
    const ended = async (): Promise<boolean> => (await client.send("GET", "/apis")).code === 401;
    await until("the token counts no more", ended, { withinMs: 30_000, everyMs: 100 });
    await send("POST", at("serviceaccounts"), account);
    assert.equal((await client.send("GET", "/apis")).code, 401);
  });
}

const RUNNING = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
