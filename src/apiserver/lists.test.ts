import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rawApi, type RawApi } from "../../test/kit/api-client.ts";

let api: RawApi;
before(async () => {
  api = await rawApi();
});
after(() => api[Symbol.asyncDispose]());

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";

function map(name: string, data: Record<string, string> = {}, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

function pod(name: string, spec: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: "main", image: "image:1" }], ...spec },
  };
}

test("a list is cut into pages that together are the whole", async () => {
  for (let n = 0; n < 7; n++) await api.send("POST", MAPS, { body: map(`page-${n}`, {}, { labels: { page: "y" } }) });
  const seen: string[] = [];
  let next = "";
  let version: string | undefined;
  do {
    const { body } = await api.send("GET", `${MAPS}?labelSelector=page%3Dy&limit=3&continue=${next}`);
    seen.push(...names(body));
    version ??= body.metadata.resourceVersion;
    assert.equal(body.metadata.resourceVersion, version);
    next = body.metadata.continue ?? "";
  } while (next !== "");
  assert.deepEqual(
    seen,
    Array.from({ length: 7 }, (_, n) => `page-${n}`),
  );
});

const selections: readonly [selector: string, found: readonly string[]][] = [
  ["app=web", ["w1", "w2"]],
  ["app==web,tier!=gold", ["w2"]],
  ["app in (web, db),tier=gold", ["d1", "w1"]],
  ["tier notin (gold),app", ["w2"]],
  ["!tier,app", ["w2"]],
  ["app,tier", ["d1", "w1"]],
];
test("label selectors select as kubectl's users know them", async () => {
  for (const [name, labels] of [
    ["w1", { app: "web", tier: "gold" }],
    ["w2", { app: "web" }],
    ["d1", { app: "db", tier: "gold" }],
  ] as const) {
    await api.send("POST", MAPS, { body: map(name, {}, { labels }) });
  }
  for (const [selector, found] of selections) {
    const { body } = await api.send("GET", `${MAPS}?labelSelector=${encodeURIComponent(selector)}`);
    assert.deepEqual(names(body), found, selector);
  }
  const wrong = await api.send("GET", `${MAPS}?labelSelector=${encodeURIComponent("a=b=c")}`);
  assert.equal(wrong.code, 400);
});

test("field selectors select pods by node and phase", async () => {
  await api.send("POST", PODS, { body: pod("f1", { nodeName: "nf" }) });
  await api.send("POST", PODS, { body: pod("f2") });
  const find = async (selector: string): Promise<string[]> =>
    names((await api.send("GET", `/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`)).body);
  assert.deepEqual(await find("spec.nodeName=nf"), ["f1"]);
  assert.deepEqual(await find("metadata.name=f2,status.phase!=Running"), ["f2"]);
});

function names(list: { items: { metadata: { name: string } }[] }): string[] {
  return list.items.map(({ metadata }) => metadata.name);
}
