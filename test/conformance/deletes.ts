import assert from "node:assert/strict";
import { until } from "#kit/testing/until";
import { configMap, namesOf, PATCH, pod } from "./objects.ts";
import type { Rule, RuleContext, RuleSet } from "./rule-set.ts";

const HOLD = "example.io/hold";

/** Deletion: finalizers, preconditions, grace, collections, owners, namespaces. */
export const deletes: RuleSet = {
  title: "deletion",
  rules: [markRules, podRules, collectionRules, ownerRules, policyRules],
};

function markRules(rule: Rule): void {
  rule("finalizers hold a deleted object until they are gone", async ({ at, send }) => {
    const held = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", finalizers: [HOLD] } };
    const { body: made } = await send("POST", at("configmaps"), { body: held });
    const { body: deleted } = await send("DELETE", at("configmaps", "held"));
    assert.match(deleted.metadata.deletionTimestamp, /^\d{4}-/);
    assert.equal(deleted.metadata.deletionGracePeriodSeconds, 0);
    const patch = (finalizers: unknown) =>
      send("PATCH", at("configmaps", "held"), { type: PATCH.merge, body: { metadata: { finalizers } } });
    const more = await patch([HOLD, "example.io/more"]);
    assert.equal(more.code, 422);
    assert.match(more.body.message, /no new finalizers can be added if the object is being deleted/);
    assert.equal((await patch(null)).code, 200);
    assert.equal((await send("GET", at("configmaps", "held"))).code, 404);
    const { body: again } = await send("POST", at("configmaps"), { body: held });
    assert.notEqual(again.metadata.uid, made.metadata.uid);
    await patch(null);
  });

  rule("a delete with a precondition that does not hold is a conflict", async ({ at, send }) => {
    const { body } = await send("POST", at("configmaps"), { body: configMap("sure") });
    for (const preconditions of [{ uid: "other" }, { resourceVersion: "1" }]) {
      const refused = await send("DELETE", at("configmaps", "sure"), { body: { preconditions } });
      assert.deepEqual([refused.code, refused.body.reason], [409, "Conflict"]);
      assert.match(refused.body.message, /Precondition failed|the .* in the precondition/);
    }
    const { uid, resourceVersion } = body.metadata;
    const preconditions = { uid, resourceVersion };
    assert.equal((await send("DELETE", at("configmaps", "sure"), { body: { preconditions } })).code, 200);
  });

  rule("a propagation policy that does not exist is refused", async ({ at, send }) => {
    await send("POST", at("configmaps"), { body: configMap("policy") });
    const answer = await send("DELETE", `${at("configmaps", "policy")}?propagationPolicy=Sideways`);
    assert.equal(answer.code, 422);
    assert.match(answer.body.message, /propagationPolicy: Unsupported value: "Sideways"/);
  });
}

function podRules(rule: Rule): void {
  rule("a pod on a node is marked first, and gone when it is deleted with grace 0", async ({ at, send }) => {
    const spec = { nodeName: "nowhere", terminationGracePeriodSeconds: 7 };
    await send("POST", at("pods"), { body: pod("graceful", spec) });
    const remove = (query: string) => send("DELETE", `${at("pods", "graceful")}?gracePeriodSeconds=${query}`);
    const first = await send("DELETE", at("pods", "graceful"));
    assert.equal(first.body.metadata.deletionGracePeriodSeconds, 7);
    const sooner = await remove("3");
    assert.equal(sooner.body.metadata.deletionGracePeriodSeconds, 3);
    const later = await remove("60");
    assert.equal(later.body.metadata.deletionGracePeriodSeconds, 3);
    await remove("0");
    assert.equal((await send("GET", at("pods", "graceful"))).code, 404);
  });

  rule("a pod that was never bound goes at once", async ({ at, send }) => {
    await send("POST", at("pods"), { body: pod("unbound") });
    const { code, body } = await send("DELETE", at("pods", "unbound"));
    assert.deepEqual([code, body.kind], [200, "Pod"]);
    assert.equal((await send("GET", at("pods", "unbound"))).code, 404);
  });
}

function collectionRules(rule: Rule): void {
  rule("deletecollection takes what the selector selects", async ({ at, send }) => {
    for (const [name, tier] of [
      ["c1", "a"],
      ["c2", "a"],
      ["c3", "b"],
    ] as const) {
      await send("POST", at("configmaps"), { body: configMap(name, { tier }) });
    }
    const { body } = await send("DELETE", `${at("configmaps")}?labelSelector=tier%3Da`);
    assert.equal(body.kind, "ConfigMapList");
    assert.deepEqual(namesOf(body).sort(), ["c1", "c2"]);
    const left = await send("GET", `${at("configmaps")}?labelSelector=tier`);
    assert.deepEqual(namesOf(left.body), ["c3"]);
  });

  rule(
    "a deleted owner takes along what it owns",
    async (context) => {
      const { at, send } = context;
      await owned(context, "bg");
      const { code } = await send("DELETE", `${at("configmaps", "bg")}?propagationPolicy=Background`);
      assert.equal(code, 200);
      assert.equal((await send("GET", at("configmaps", "bg"))).code, 404);
      await until("the dependant is gone", async () => (await send("GET", at("secrets", "bg"))).code === 404, PATIENCE);
    },
    { needs: "controllers" },
  );
}

function ownerRules(rule: Rule): void {
  rule(
    "a foreground deletion waits for what blocks it",
    async (context) => {
      const { at, send } = context;
      await owned(context, "fg", { finalizers: [HOLD] });
      const { body } = await send("DELETE", `${at("configmaps", "fg")}?propagationPolicy=Foreground`);
      assert.deepEqual(body.metadata.finalizers, ["foregroundDeletion"]);
      const marked = async (): Promise<boolean> =>
        (await send("GET", at("secrets", "fg"))).body.metadata.deletionTimestamp !== undefined;
      await until("the dependant is being deleted", marked, PATIENCE);
      assert.equal((await send("GET", at("configmaps", "fg"))).code, 200, "the owner waits");
      await send("PATCH", at("secrets", "fg"), { type: PATCH.merge, body: { metadata: { finalizers: null } } });
      await until("the owner is gone", async () => (await send("GET", at("configmaps", "fg"))).code === 404, PATIENCE);
    },
    { needs: "controllers" },
  );

  rule(
    "an orphaning deletion leaves what it owned without an owner",
    async (context) => {
      const { at, send } = context;
      await owned(context, "or");
      await send("DELETE", at("configmaps", "or"), { body: { propagationPolicy: "Orphan" } });
      await until("the owner is gone", async () => (await send("GET", at("configmaps", "or"))).code === 404, PATIENCE);
      assert.equal((await send("GET", at("secrets", "or"))).body.metadata.ownerReferences, undefined);
    },
    { needs: "controllers" },
  );
}

function policyRules(rule: Rule): void {
  rule(
    "an object with an owner that never was is deleted",
    async ({ at, send }) => {
      const owner = reference("ghost", "00000000-0000-4000-8000-000000000000");
      await send("POST", at("secrets"), { body: { metadata: { name: "haunted", ownerReferences: [owner] } } });
      const gone = async (): Promise<boolean> => (await send("GET", at("secrets", "haunted"))).code === 404;
      await until("the garbage is collected", gone, PATIENCE);
    },
    { needs: "controllers" },
  );

  rule(
    "a namespace comes with its service account and the CA certificate",
    async ({ at, send }) => {
      assert.equal((await send("GET", at("serviceaccounts", "default"))).code, 200);
      const there = async (): Promise<boolean> => {
        const { body } = await send("GET", at("configmaps", "kube-root-ca.crt"));
        return /BEGIN CERTIFICATE/.test(body.data?.["ca.crt"] ?? "");
      };
      await until("the certificate is there", there, PATIENCE);
    },
    { needs: "controllers" },
  );

  rule(
    "a deleted namespace refuses new objects, empties itself and goes",
    async ({ send, namespace }) => {
      const doomed = `${namespace}-doomed`;
      const path = `/api/v1/namespaces/${doomed}`;
      const made = await send("POST", "/api/v1/namespaces", { body: { metadata: { name: doomed } } });
      assert.deepEqual(made.body.spec, { finalizers: ["kubernetes"] });
      assert.equal(made.body.metadata.labels["kubernetes.io/metadata.name"], doomed);
      await send("POST", `${path}/configmaps`, { body: { metadata: { name: "free" } } });
      await send("POST", `${path}/configmaps`, { body: { metadata: { name: "held", finalizers: [HOLD] } } });
      const deleted = await send("DELETE", path);
      assert.equal(deleted.body.status.phase, "Terminating");
      const late = await send("POST", `${path}/configmaps`, { body: { metadata: { name: "late" } } });
      assert.deepEqual([late.code, late.body.details.causes[0].reason], [403, "NamespaceTerminating"]);
      assert.match(late.body.message, /because it is being terminated$/);
      const left = async (): Promise<string[]> => namesOf((await send("GET", `${path}/configmaps`)).body);
      await until("only what is held is left", async () => (await left()).join() === "held", PATIENCE);
      assert.equal((await send("GET", path)).code, 200);
      const body = { metadata: { finalizers: null } };
      await send("PATCH", `${path}/configmaps/held`, { type: PATCH.merge, body });
      await until("the namespace is gone", async () => (await send("GET", path)).code === 404, PATIENCE);
    },
    { needs: "controllers" },
  );
}

/** Garbage collection and namespaces are the work of controllers with back-off. */
const PATIENCE = { withinMs: 30_000, everyMs: 50 };

/** A ConfigMap that owns a Secret, both of this name. */
async function owned({ at, send }: RuleContext, name: string, more: object = {}): Promise<void> {
  const { body } = await send("POST", at("configmaps"), { body: configMap(name) });
  const ownerReferences = [reference(name, body.metadata.uid)];
  const made = await send("POST", at("secrets"), { body: { metadata: { name, ownerReferences, ...more } } });
  assert.equal(made.code, 201, made.text);
}

function reference(name: string, uid: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true, blockOwnerDeletion: true };
}
