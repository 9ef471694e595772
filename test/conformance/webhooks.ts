import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { until } from "#kit/testing/until";
import { configMap, PATCH } from "./objects.ts";
import type { Rule, RuleContext, RuleSet } from "./rule-set.ts";
import { startHook, type Hook } from "./webhook-server.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** Validating admission webhooks. Each rule has its own, which looks at objects with the rule's label. */
export const webhooks: RuleSet = {
  title: "admission webhooks",
  rules: [callRules, selectionRules, failureRules, configurationRules],
};

function callRules(rule: Rule): void {
  rule("a webhook is asked before each write; its refusal and its warnings reach the client", async (context) => {
    await using hook = await startHook(({ name }) => ({
      allowed: !name.startsWith("no-"),
      status: { message: "not this one" },
      warnings: ["seen"],
    }));
    await guard(context, "asked", hook);
    hook.asked.length = 0;
    const good = await create(context, "asked", "yes");
    assert.deepEqual([good.code, good.warnings], [201, ['299 - "seen"']]);
    const bad = await create(context, "asked", "no-way");
    assert.deepEqual(
      [bad.code, bad.body.message],
      [400, 'admission webhook "asked.example.io" denied the request: not this one'],
    );
    const body = { data: { a: "1" } };
    await context.send("PATCH", context.at("configmaps", "yes"), { type: PATCH.merge, body });
    await context.send("DELETE", context.at("configmaps", "yes"));
    const asked = hook.asked.map(({ operation, name, object, oldObject }) => [
      operation,
      name,
      object !== null,
      oldObject !== null,
    ]);
    assert.deepEqual(
      // a server whose cache was behind deletes again, and asks again before that
      asked.filter((one, at) => !isDeepStrictEqual(one, asked[at - 1])),
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
    assert.deepEqual([first?.namespace, first?.dryRun], [context.namespace, false]);
    assert.ok(first?.userInfo.groups.includes("system:masters"));
  });

  rule("a refusal may carry its own code and reason", async (context) => {
    const status = { code: 422, reason: "Invalid", message: "spec.x: wrong" };
    await using hook = await startHook(() => ({ allowed: false, status }));
    await guard(context, "coded", hook);
    const { code, body } = await create(context, "coded", "x");
    assert.deepEqual([code, body.reason], [422, "Invalid"]);
    assert.match(body.message, /^admission webhook "coded.example.io" denied the request: spec\.x: wrong$/);
  });
}

function selectionRules(rule: Rule): void {
  rule("a dry run is marked as such in the review", async (context) => {
    await using hook = await startHook(() => ({ allowed: true }));
    await guard(context, "dry", hook);
    hook.asked.length = 0;
    const body = configMap("dry", { hook: "dry" });
    assert.equal((await context.send("POST", `${context.at("configmaps")}?dryRun=All`, { body })).code, 201);
    assert.deepEqual(
      hook.asked.map(({ dryRun }) => dryRun),
      [true],
    );
  });

  rule("an object that no selector selects is not asked about", async (context) => {
    await using hook = await startHook(() => ({ allowed: false }));
    await guard(context, "selected", hook);
    assert.equal((await create(context, "other", "unselected")).code, 201);
    const elsewhere = `/api/v1/namespaces/default/configmaps`;
    const name = `${context.namespace}-elsewhere`;
    const made = await context.send("POST", elsewhere, { body: configMap(name, { hook: "selected" }) });
    assert.equal(made.code, 201);
    await context.send("DELETE", `${elsewhere}/${name}`);
  });
}

function failureRules(rule: Rule): void {
  rule("an unreachable webhook stops the write under Fail, and is passed over under Ignore", async (context) => {
    const hook = await startHook(() => ({ allowed: true }));
    await guard(context, "gone", hook);
    await hook[Symbol.asyncDispose]();
    const failed = await create(context, "gone", "later");
    assert.deepEqual([failed.code, failed.body.reason], [500, "InternalError"]);
    assert.match(failed.body.message, /failed calling webhook "gone.example.io"/);
    await change(context, "gone", hook, { failurePolicy: "Ignore" });
    const passes = async (): Promise<boolean> => (await create(context, "gone", "later")).code === 201;
    await until("the new policy holds", passes, { everyMs: 50 });
  });

  rule("a webhook whose certificate the caBundle does not vouch for has failed", async (context) => {
    await using hook = await startHook(() => ({ allowed: true }));
    await using stranger = await startHook(() => ({ allowed: true }));
    await guard(context, "stranger", hook);
    await change(context, "stranger", hook, { clientConfig: { url: hook.url, caBundle: stranger.caBundle } });
    const fails = async (): Promise<boolean> => (await create(context, "stranger", "x")).code === 500;
    await until("it is refused", fails, { everyMs: 50 });
    assert.match((await create(context, "stranger", "x")).body.message, /failed calling webhook .*certificate/);
  });

  rule("a webhook that is too slow has failed after timeoutSeconds", async (context) => {
    await using hook = await startHook(({ name }) => (name === "slow" ? "never" : { allowed: true }));
    await guard(context, "slow", hook, { timeoutSeconds: 1 });
    const began = performance.now();
    const { code, body } = await create(context, "slow", "slow");
    assert.equal(code, 500);
    assert.match(body.message, /failed calling webhook "slow.example.io"/);
    const took = performance.now() - began;
    assert.ok(took > 900 && took < 5_000, `${took} ms`);
  });

  rule("the answer to another question, or none at all, is a failure", async (context) => {
    await using hook = await startHook(({ name }) => {
      if (name === "other") return { allowed: true, uid: "another" };
      return name === "noise" ? "noise" : { allowed: true };
    });
    await guard(context, "odd", hook);
    for (const name of ["other", "noise"]) {
      const { code, body } = await create(context, "odd", name);
      assert.equal(code, 500, name);
      assert.match(body.message, /failed calling webhook "odd.example.io"/);
    }
  });
}

function configurationRules(rule: Rule): void {
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
    rule(`a configuration with ${what} is refused`, async (context) => {
      const webhook = { ...webhookOf(context, "wrong", { url: "https://127.0.0.1:1/x", caBundle: "" }), ...over };
      const body = { metadata: { name: `${context.namespace}-wrong` }, webhooks: [webhook] };
      const answer = await context.send("POST", CONFIGURATIONS, { body });
      assert.equal(answer.code, 422, answer.text);
      assert.match(answer.body.message, message);
    });
  }
}

type Target = Pick<Hook, "url" | "caBundle">;

function webhookOf({ namespace }: RuleContext, label: string, { url, caBundle }: Target) {
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
async function guard(context: RuleContext, label: string, hook: Hook, over: object = {}): Promise<void> {
  const metadata = { name: `${context.namespace}-${label}` };
  const webhook = { ...webhookOf(context, label, hook), ...over };
  const made = await context.send("POST", CONFIGURATIONS, { body: { metadata, webhooks: [webhook] } });
  assert.equal(made.code, 201, made.text);
  context.cleanUp(async () => {
    await context.send("DELETE", `${CONFIGURATIONS}/${metadata.name}`);
  });
  const body = configMap(`probe-${label}`, { hook: label });
  await until(
    "the webhook is asked",
    async () => {
      await context.send("POST", `${context.at("configmaps")}?dryRun=All`, { body });
      return hook.asked.length > 0;
    },
    { everyMs: 50 },
  );
}

async function change(context: RuleContext, label: string, hook: Target, over: object): Promise<void> {
  const body = { webhooks: [{ ...webhookOf(context, label, hook), ...over }] };
  const path = `${CONFIGURATIONS}/${context.namespace}-${label}`;
  assert.equal((await context.send("PATCH", path, { type: PATCH.merge, body })).code, 200);
}

function create({ at, send }: RuleContext, label: string, name: string) {
  return send("POST", at("configmaps"), { body: configMap(name, { hook: label }) });
}
