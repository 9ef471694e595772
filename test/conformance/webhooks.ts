import assert from "node:assert/strict";
import { until } from "../kit/time/until.ts";
import { configMap, PATCH } from "./objects.ts";
import type { Scene, Theme } from "./theme.ts";
import { startHook, type Hook } from "./webhook-server.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** Validating admission webhooks. Each rule has its own, which looks at objects with the rule's label. */
export const webhooks: Theme = {
  title: "admission webhooks",
  rules: (rule) => {
    rule("a webhook is asked before each write; its refusal and its warnings reach the client", async (scene) => {
      await using hook = await startHook(({ name }) => ({
        allowed: !name.startsWith("no-"),
        status: { message: "not this one" },
        warnings: ["seen"],
      }));
      await guard(scene, "asked", hook);
      hook.asked.length = 0;
      const good = await create(scene, "asked", "yes");
      assert.deepEqual([good.code, good.warnings], [201, ['299 - "seen"']]);
      const bad = await create(scene, "asked", "no-way");
      assert.deepEqual(
        [bad.code, bad.body.message],
        [400, 'admission webhook "asked.example.io" denied the request: not this one'],
      );
      const body = { data: { a: "1" } };
      await scene.send("PATCH", scene.at("configmaps", "yes"), { type: PATCH.merge, body });
      await scene.send("DELETE", scene.at("configmaps", "yes"));
      assert.deepEqual(
        hook.asked.map(({ operation, name, object, oldObject }) => [
          operation,
          name,
          object !== null,
          oldObject !== null,
        ]),
        [
          ["CREATE", "yes", true, false],
          ["CREATE", "no-way", true, false],
          ["UPDATE", "yes", true, true],
          ["DELETE", "yes", false, true],
        ],
      );
      const [first] = hook.asked;
      assert.deepEqual(first?.kind, { group: "", version: "v1", kind: "ConfigMap" });
      assert.deepEqual(first?.resource, { group: "", version: "v1", resource: "configmaps" });
      assert.deepEqual([first?.namespace, first?.dryRun], [scene.namespace, false]);
      assert.ok(first?.userInfo.groups.includes("system:masters"));
    });

    rule("a refusal may carry its own code and reason", async (scene) => {
      const status = { code: 422, reason: "Invalid", message: "spec.x: wrong" };
      await using hook = await startHook(() => ({ allowed: false, status }));
      await guard(scene, "coded", hook);
      const { code, body } = await create(scene, "coded", "x");
      assert.deepEqual([code, body.reason], [422, "Invalid"]);
      assert.match(body.message, /^admission webhook "coded.example.io" denied the request: spec\.x: wrong$/);
    });

    rule("a dry run is told to the webhook as such", async (scene) => {
      await using hook = await startHook(() => ({ allowed: true }));
      await guard(scene, "dry", hook);
      hook.asked.length = 0;
      const body = configMap("dry", { hook: "dry" });
      assert.equal((await scene.send("POST", `${scene.at("configmaps")}?dryRun=All`, { body })).code, 201);
      assert.deepEqual(
        hook.asked.map(({ dryRun }) => dryRun),
        [true],
      );
    });

    rule("an object that no selector selects is not asked about", async (scene) => {
      await using hook = await startHook(() => ({ allowed: false }));
      await guard(scene, "selected", hook);
      assert.equal((await create(scene, "other", "unselected")).code, 201);
      const elsewhere = `/api/v1/namespaces/default/configmaps`;
      const name = `${scene.namespace}-elsewhere`;
      const made = await scene.send("POST", elsewhere, { body: configMap(name, { hook: "selected" }) });
      assert.equal(made.code, 201);
      await scene.send("DELETE", `${elsewhere}/${name}`);
    });

    rule("an unreachable webhook stops the write under Fail, and is passed over under Ignore", async (scene) => {
      const hook = await startHook(() => ({ allowed: true }));
      await guard(scene, "gone", hook);
      await hook[Symbol.asyncDispose]();
      const failed = await create(scene, "gone", "later");
      assert.deepEqual([failed.code, failed.body.reason], [500, "InternalError"]);
      assert.match(failed.body.message, /failed calling webhook "gone.example.io"/);
      await change(scene, "gone", hook, { failurePolicy: "Ignore" });
      const passes = async (): Promise<boolean> => (await create(scene, "gone", "later")).code === 201;
      await until("the new policy holds", passes, { everyMs: 50 });
    });

    rule("a webhook whose certificate the caBundle does not vouch for has failed", async (scene) => {
      await using hook = await startHook(() => ({ allowed: true }));
      await using stranger = await startHook(() => ({ allowed: true }));
      await guard(scene, "stranger", hook);
      await change(scene, "stranger", hook, { clientConfig: { url: hook.url, caBundle: stranger.caBundle } });
      const fails = async (): Promise<boolean> => (await create(scene, "stranger", "x")).code === 500;
      await until("it is refused", fails, { everyMs: 50 });
      assert.match((await create(scene, "stranger", "x")).body.message, /failed calling webhook .*certificate/);
    });

    rule("a webhook that is too slow has failed after timeoutSeconds", async (scene) => {
      await using hook = await startHook(({ name }) => (name === "slow" ? "never" : { allowed: true }));
      await guard(scene, "slow", hook, { timeoutSeconds: 1 });
      const began = performance.now();
      const { code, body } = await create(scene, "slow", "slow");
      assert.equal(code, 500);
      assert.match(body.message, /failed calling webhook "slow.example.io"/);
      const took = performance.now() - began;
      assert.ok(took > 900 && took < 5_000, `${took} ms`);
    });

    rule("the answer to another question, or none at all, is a failure", async (scene) => {
      await using hook = await startHook(({ name }) => {
        if (name === "other") return { allowed: true, uid: "another" };
        return name === "noise" ? "noise" : { allowed: true };
      });
      await guard(scene, "odd", hook);
      for (const name of ["other", "noise"]) {
        const { code, body } = await create(scene, "odd", name);
        assert.equal(code, 500, name);
        assert.match(body.message, /failed calling webhook "odd.example.io"/);
      }
    });

    const wrong: readonly [what: string, over: object, message: RegExp][] = [
      ["no side effects declared", { sideEffects: undefined }, /webhooks\[0\]\.sideEffects: Required value/],
      [
        "an unknown failurePolicy",
        { failurePolicy: "Retry" },
        /webhooks\[0\]\.failurePolicy: Unsupported value: "Retry"/,
      ],
      ["a timeout of a minute", { timeoutSeconds: 60 }, /webhooks\[0\]\.timeoutSeconds: Invalid value: 60/],
      [
        "a plain http URL",
        { clientConfig: { url: "http://127.0.0.1/x" } },
        /webhooks\[0\]\.clientConfig\.url: Invalid value/,
      ],
      ["a name without dots", { name: "short" }, /webhooks\[0\]\.name: Invalid value: "short"/],
    ];
    for (const [what, over, message] of wrong) {
      rule(`a configuration with ${what} is refused`, async (scene) => {
        const webhook = { ...webhookOf(scene, "wrong", { url: "https://127.0.0.1:1/x", caBundle: "" }), ...over };
        const body = { metadata: { name: `${scene.namespace}-wrong` }, webhooks: [webhook] };
        const answer = await scene.send("POST", CONFIGURATIONS, { body });
        assert.equal(answer.code, 422, answer.text);
        assert.match(answer.body.message, message);
      });
    }
  },
};

type Target = Pick<Hook, "url" | "caBundle">;

function webhookOf({ namespace }: Scene, label: string, { url, caBundle }: Target) {
  return {
    name: `${label}.example.io`,
    clientConfig: { url, caBundle },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["*"] }],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    objectSelector: { matchLabels: { hook: label } },
    failurePolicy: "Fail",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 5,
  };
}

/** Installs the hook for objects with this label, and waits until it is asked. */
async function guard(scene: Scene, label: string, hook: Hook, over: object = {}): Promise<void> {
  const metadata = { name: `${scene.namespace}-${label}` };
  const webhook = { ...webhookOf(scene, label, hook), ...over };
  const made = await scene.send("POST", CONFIGURATIONS, { body: { metadata, webhooks: [webhook] } });
  assert.equal(made.code, 201, made.text);
  scene.afterwards(async () => {
    await scene.send("DELETE", `${CONFIGURATIONS}/${metadata.name}`);
  });
  const body = configMap(`probe-${label}`, { hook: label });
  await until(
    "the webhook is asked",
    async () => {
      await scene.send("POST", `${scene.at("configmaps")}?dryRun=All`, { body });
      return hook.asked.length > 0;
    },
    { everyMs: 50 },
  );
}

async function change(scene: Scene, label: string, hook: Target, over: object): Promise<void> {
  const body = { webhooks: [{ ...webhookOf(scene, label, hook), ...over }] };
  const path = `${CONFIGURATIONS}/${scene.namespace}-${label}`;
  assert.equal((await scene.send("PATCH", path, { type: PATCH.merge, body })).code, 200);
}

function create({ at, send }: Scene, label: string, name: string) {
  return send("POST", at("configmaps"), { body: configMap(name, { hook: label }) });
}
