import assert from "node:assert/strict";
import { silentLog } from "#kit/base/log";
import { ConfigMaps, Deployments, Events, Leases } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { eventRecorder } from "#kit/kube/events";
import { startInformer } from "#kit/kube/informer";
import { changeObject } from "#kit/kube/records";
import { refOf } from "#kit/kube/ref";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { CRDS, definition, groupOf, store } from "./store-definition.ts";
import type { Rule, RuleSet } from "./rule-set.ts";

/** Our own client and informer on the server. */
export const client: RuleSet = {
  title: "our client",
  rules: [writeRules, refusalRules, informerRules],
};

function writeRules(rule: Rule): void {
  rule("an update with an old resourceVersion is a conflict", async ({ kube, namespace }) => {
    const first = await kube.create(ConfigMaps, { metadata: { name: "cas", namespace }, data: { a: "1" } });
    const second = await kube.update(ConfigMaps, { ...first, data: { a: "2" } });
    assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
    await assert.rejects(kube.update(ConfigMaps, { ...first, data: { a: "3" } }), { code: "KUBE_CONFLICT" });
    await assert.rejects(kube.create(ConfigMaps, { metadata: { name: "cas", namespace } }), {
      code: "KUBE_ALREADY_EXISTS",
    });
    await assert.rejects(kube.delete(ConfigMaps, refOf(first), { uid: "another" }), { code: "KUBE_CONFLICT" });
  });

  rule("changes by many at once all take place", async ({ kube, namespace }) => {
    const ref = { name: "counted", namespace };
    await kube.create(ConfigMaps, { metadata: ref, data: { n: "0" } });
    const increment = () =>
      changeObject(kube, ConfigMaps, ref, (now) => ({ ...now, data: { n: String(Number(now.data?.["n"]) + 1) } }), {
        attempts: 50,
      });
    await Promise.all(Array.from({ length: 8 }, increment));
    assert.equal((await kube.get(ConfigMaps, ref))?.data?.["n"], "8");
  });

  rule("apply twice without a change keeps the resourceVersion, and fields of others need force", async (context) => {
    const { kube, namespace } = context;
    const wanted = { metadata: { name: "applied", namespace }, data: { a: "1" } };
    const once = await kube.apply(ConfigMaps, wanted, { fieldManager: "one" });
    const twice = await kube.apply(ConfigMaps, wanted, { fieldManager: "one" });
    assert.equal(twice.metadata.resourceVersion, once.metadata.resourceVersion);
    const other = { ...wanted, data: { a: "2" } };
    await assert.rejects(kube.apply(ConfigMaps, other, { fieldManager: "two" }), { code: "KUBE_CONFLICT" });
    assert.equal((await kube.apply(ConfigMaps, other, { fieldManager: "two", force: true })).data?.["a"], "2");
  });

  rule("each kind of patch does what it says, and a dry run nothing", async ({ kube, namespace }) => {
    const made = { metadata: { name: "patched", namespace }, data: { a: "1", b: "2" } };
    const ref = refOf(await kube.create(ConfigMaps, made));
    await kube.patch(ConfigMaps, ref, { type: "merge", body: { data: { a: null } } });
    await kube.patch(ConfigMaps, ref, { type: "json", operations: [{ op: "add", path: "/data/c", value: "3" }] });
    const dry = await kube.patch(ConfigMaps, ref, { type: "strategic", body: { data: { d: "4" } } }, { dryRun: true });
    assert.deepEqual(dry.data, { b: "2", c: "3", d: "4" });
    assert.deepEqual((await kube.get(ConfigMaps, ref))?.data, { b: "2", c: "3" });
  });
}

function refusalRules(rule: Rule): void {
  rule("what the schema forbids is invalid, and the message names the field", async ({ kube, namespace }) => {
    const template = { metadata: { labels: { a: "c" } }, spec: { containers: [{ name: "a", image: "b" }] } };
    const wrong = {
      metadata: { name: "wrong", namespace },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    };
    await assert.rejects(kube.create(Deployments, wrong), { code: "KUBE_INVALID", message: /spec\.template/ });
  });

  rule("a stranger without token or certificate is turned away", async ({ config, namespace }) => {
    const { clientCertificate: _, ...anonymous } = config;
    const stranger = connect(anonymous);
    await assert.rejects(stranger.list(ConfigMaps, { namespace }), { code: /^KUBE_(FORBIDDEN|UNAUTHORIZED)$/ });
    await stranger.close();
  });

  rule("a repeated event is one event with a count", async ({ kube, namespace }) => {
    const about = await kube.create(ConfigMaps, { metadata: { name: "talked-about", namespace } });
    const recorder = eventRecorder(kube, { component: "tester", clock: systemClock, log: silentLog });
    for (let n = 0; n < 3; n += 1) recorder.record(about, "Warning", "Tried", "it did not work");
    await recorder.flush();
    const { items } = await kube.list(Events, { namespace, fieldSelector: "involvedObject.name=talked-about" });
    assert.deepEqual(
      items.map(({ count, reason }) => [count, reason]),
      [[3, "Tried"]],
    );
  });
}

function informerRules(rule: Rule): void {
  rule("an informer follows what happens, deletions included", async ({ kube, namespace }) => {
    const stop = new AbortController();
    const options = { namespace, log: silentLog, clock: systemClock, signal: stop.signal };
    const informer = startInformer(kube, Leases, options);
    const seen: string[] = [];
    informer.onChange(({ name }, now, before) => {
      seen.push(`${name} ${before?.spec?.holderIdentity ?? "-"}>${now?.spec?.holderIdentity ?? "-"}`);
    });
    await informer.synced;
    const ref = { name: "followed", namespace };
    const made = await kube.create(Leases, { metadata: ref, spec: { holderIdentity: "a" } });
    await kube.update(Leases, { ...made, spec: { holderIdentity: "b" } });
    await kube.delete(Leases, ref);
    await until("all of it was seen", () => seen.length === 3);
    assert.deepEqual(seen, ["followed ->a", "followed a>b", "followed b>-"]);
    stop.abort();
  });

  rule("an informer of a kind that is defined only later lists it once it is served", async (context) => {
    const { kube, namespace, send } = context;
    const type = { group: groupOf(context), version: "v1", kind: "Late", plural: "lates", namespaced: true };
    const stop = new AbortController();
    const informer = startInformer(kube, type, {
      namespace,
      log: silentLog,
      clock: systemClock,
      signal: stop.signal,
    });
    const body = definition(context, "lates", "Late");
    await send("POST", CRDS, { body });
    context.cleanUp(async () => {
      await send("DELETE", `${CRDS}/${body.metadata.name}`);
    });
    await informer.synced;
    const late = { ...store(context, "first"), kind: "Late" };
    assert.equal((await send("POST", context.at(`${groupOf(context)}/v1/lates`), { body: late })).code, 201);
    await until("the object is seen", () => informer.list().length === 1);
    stop.abort();
  });
}
