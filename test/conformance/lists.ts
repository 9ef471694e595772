import assert from "node:assert/strict";
import { configMap, namesOf, pod } from "./objects.ts";
import type { Rule, RuleSet } from "./rule-set.ts";

/** Lists: pages, versions, selectors. */
export const lists: RuleSet = {
  title: "lists",
  rules: [pageRules, versionRules, labelRules, fieldRules],
};

function pageRules(rule: Rule): void {
  rule("a list is cut into pages that together are the whole, under one version", async ({ at, send }) => {
    for (let n = 0; n < 7; n++) await send("POST", at("configmaps"), { body: configMap(`page-${n}`, { page: "y" }) });
    const seen: string[] = [];
    let next = "";
    let version: string | undefined;
    do {
      const { body } = await send("GET", `${at("configmaps")}?labelSelector=page%3Dy&limit=3&continue=${next}`);
      seen.push(...namesOf(body));
      version ??= body.metadata.resourceVersion;
      assert.equal(body.metadata.resourceVersion, version);
      assert.equal(body.metadata.remainingItemCount, undefined, "it is not known when a selector chooses");
      next = body.metadata.continue ?? "";
    } while (next !== "");
    assert.deepEqual(
      seen,
      Array.from({ length: 7 }, (_, n) => `page-${n}`),
    );
  });

  rule("later pages show the list as it was when the first was read", async ({ at, send }) => {
    const secrets = at("secrets");
    for (const name of ["a", "b", "c", "d"]) await send("POST", secrets, { body: { metadata: { name } } });
    const { body: first } = await send("GET", `${secrets}?limit=2`);
    assert.equal(first.metadata.remainingItemCount, 2);
    await send("DELETE", `${secrets}/c`);
    await send("POST", secrets, { body: { metadata: { name: "e" } } });
    await send("PATCH", `${secrets}/d`, {
      type: "application/merge-patch+json",
      body: { metadata: { labels: { new: "y" } } },
    });
    const { body: second } = await send("GET", `${secrets}?limit=2&continue=${first.metadata.continue}`);
    assert.deepEqual(namesOf(second), ["c", "d"]);
    assert.equal(second.items[1].metadata.labels, undefined);
    assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  });

  rule("a continue token that is none is a bad request", async ({ at, send }) => {
    const { code, body } = await send("GET", `${at("configmaps")}?limit=2&continue=nonsense`);
    assert.deepEqual([code, body.reason], [400, "BadRequest"]);
    assert.match(body.message, /continue key is not valid/);
  });
}

function versionRules(rule: Rule): void {
  rule("resourceVersionMatch asks for one version exactly, or for that or a newer one", async ({ at, send }) => {
    const endpoints = at("endpoints");
    const { body: made } = await send("POST", endpoints, { body: { metadata: { name: "a" } } });
    await send("POST", endpoints, { body: { metadata: { name: "b" } } });
    const version = made.metadata.resourceVersion;
    const ask = async (match: string): Promise<{ names: string[]; version: string }> => {
      const { body } = await send("GET", `${endpoints}?resourceVersion=${version}&resourceVersionMatch=${match}`);
      return { names: namesOf(body), version: body.metadata.resourceVersion };
    };
    assert.deepEqual(await ask("Exact"), { names: ["a"], version });
    const newer = await ask("NotOlderThan");
    assert.ok(BigInt(newer.version) >= BigInt(version) && newer.names[0] === "a", JSON.stringify(newer));
  });

  rule("resourceVersion=0 is answered with what is known, under its version", async ({ at, send }) => {
    const { code, body } = await send("GET", `${at("configmaps")}?resourceVersion=0`);
    assert.equal(code, 200);
    assert.match(body.metadata.resourceVersion, /^[1-9]\d*$/);
    const one = await send("GET", `${at("serviceaccounts", "default")}?resourceVersion=0`);
    assert.equal(one.body.metadata.name, "default");
  });

  const wrongVersions: readonly [query: string, code: number, reason: string, message: RegExp][] = [
    ["resourceVersion=99999999", 504, "Timeout", /Too large resource version: 99999999, current: \d+/],
    ["resourceVersion=x", 400, "BadRequest", /resourceVersion: Invalid value: "x"/],
    [
      "resourceVersionMatch=Exact",
      422,
      "Invalid",
      /resourceVersionMatch is forbidden unless resourceVersion is provided/,
    ],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      422,
      "Invalid",
      /resourceVersionMatch "exact" is forbidden for resourceVersion "0"/,
    ],
    ["resourceVersion=5&resourceVersionMatch=Some", 422, "Invalid", /Unsupported value: "Some"/],
    ["limit=x", 400, "BadRequest", /./],
  ];
  for (const [query, code, reason, message] of wrongVersions) {
    rule(`a list with ${query} is ${code} ${reason}`, async ({ at, send }) => {
      const answer = await send("GET", `${at("configmaps")}?${query}`);
      assert.deepEqual([answer.code, answer.body.reason], [code, reason], answer.text);
      assert.match(answer.body.message, message);
    });
  }
}

function labelRules(rule: Rule): void {
  rule("label selectors select as kubectl's users know them", async ({ at, send }) => {
    const selections: readonly [selector: string, found: readonly string[]][] = [
      ["app=web", ["w1", "w2"]],
      ["app==web,tier!=gold", ["w2"]],
      ["app in (web, db),tier=gold", ["d1", "w1"]],
      ["tier notin (gold),app", ["n1", "w2"]],
      ["!tier,app", ["n1", "w2"]],
      ["app,tier", ["d1", "w1"]],
      ["rank>3", ["n1"]],
      ["rank<3", []],
      ["app=", []],
    ];
    for (const [name, labels] of [
      ["w1", { app: "web", tier: "gold" }],
      ["w2", { app: "web" }],
      ["d1", { app: "db", tier: "gold" }],
      ["n1", { app: "n", rank: "7" }],
    ] as const) {
      await send("POST", at("configmaps"), { body: configMap(name, labels) });
    }
    for (const [selector, found] of selections) {
      const { body } = await send("GET", `${at("configmaps")}?labelSelector=${encodeURIComponent(selector)}`);
      assert.deepEqual(namesOf(body), found, selector);
    }
  });

  for (const selector of ["a=b=c", "a in b", "=x", "app in (", "-bad-=x", "app=-bad-", "rank>x"]) {
    rule(`the label selector ${selector} is a bad request`, async ({ at, send }) => {
      const { code, body } = await send("GET", `${at("configmaps")}?labelSelector=${encodeURIComponent(selector)}`);
      assert.deepEqual([code, body.reason], [400, "BadRequest"]);
    });
  }
}

function fieldRules(rule: Rule): void {
  rule("field selectors select pods by name, node and phase", async ({ at, send }) => {
    await send("POST", at("pods"), { body: pod("f1", { nodeName: "nf" }) });
    await send("POST", at("pods"), { body: pod("f2") });
    const find = async (selector: string): Promise<string[]> =>
      namesOf((await send("GET", `${at("pods")}?fieldSelector=${encodeURIComponent(selector)}`)).body);
    assert.deepEqual(await find("spec.nodeName=nf"), ["f1"]);
    assert.deepEqual(await find("metadata.name=f2,status.phase!=Running"), ["f2"]);
  });

  rule("an unknown field selector is a bad request", async ({ at, send }) => {
    const { code, body } = await send("GET", `${at("configmaps")}?fieldSelector=data.x%3D1`);
    assert.deepEqual([code, body.reason], [400, "BadRequest"]);
    assert.match(body.message, /data\.x/);
  });
}
