import assert from "node:assert/strict";
import type { ApiClient } from "#kubernetes/testing/api-client";
import { configMap, PATCH } from "./objects.ts";
import type { Rule, RuleContext, RuleSet } from "./rule-set.ts";

/** Watches: where they begin, what they show, how they end. */
export const watches: RuleSet = {
  title: "watches",
  rules: [changeRules, selectionRules, endRules, shapeRules],
};

function changeRules(rule: Rule): void {
  rule("a watch from a version shows every change after it, once and in order", async (context) => {
    const { at, send } = context;
    const from = await revision(context);
    await send("POST", at("configmaps"), { body: configMap("a", { set: "order" }) });
    const events = take(context, `${at("configmaps")}?watch=true&resourceVersion=${from}&labelSelector=set%3Dorder`, 4);
    await send("POST", at("configmaps"), { body: configMap("b", { set: "order" }) });
    await send("PATCH", at("configmaps", "a"), { type: PATCH.merge, body: { data: { x: "1" } } });
    await send("DELETE", at("configmaps", "b"));
    assert.deepEqual(await events, ["ADDED a", "ADDED b", "MODIFIED a", "DELETED b"]);
  });

  rule("a deletion carries the last state under the version of the deletion", async (context) => {
    const { at, send } = context;
    const from = await revision(context);
    const { body: made } = await send("POST", at("configmaps"), {
      body: configMap("last", {}, { data: { x: "1" } }),
    });
    await send("DELETE", at("configmaps", "last"));
    const path = `${at("configmaps")}?watch=1&resourceVersion=${from}&fieldSelector=metadata.name%3Dlast`;
    for await (const { type, object } of context.watch(path)) {
      if (type !== "DELETED") continue;
      assert.deepEqual(object.data, { x: "1" });
      assert.ok(BigInt(object.metadata.resourceVersion) > BigInt(made.metadata.resourceVersion));
      break;
    }
  });

  for (const version of ["", "&resourceVersion=", "&resourceVersion=0"]) {
    rule(`a watch with "${version}" begins with what is there`, async (context) => {
      const { at, send } = context;
      const name = `start-${version.length}`;
      await send("POST", at("configmaps"), { body: configMap(name) });
      const path = `${at("configmaps")}?watch=true&fieldSelector=metadata.name%3D${name}${version}`;
      assert.deepEqual(await take(context, path, 1), [`ADDED ${name}`]);
    });
  }
}

function selectionRules(rule: Rule): void {
  rule("an object that begins or ceases to be selected is added or deleted for the watcher", async (context) => {
    const { at, send } = context;
    await send("POST", at("configmaps"), { body: configMap("moving", { room: "a" }) });
    const path = `${at("configmaps")}?watch=true&resourceVersion=${await revision(context)}&labelSelector=room%3Db`;
    const events = take(context, path, 3);
    for (const room of ["b", "b2", "b"]) {
      const body = { metadata: { labels: { room } } };
      await send("PATCH", at("configmaps", "moving"), { type: PATCH.merge, body });
    }
    assert.deepEqual(await events, ["ADDED moving", "DELETED moving", "ADDED moving"]);
  });

  rule("a watch of all namespaces sees each of them, one of a namespace only its own", async (context) => {
    const { at, send, namespace } = context;
    const query = `?watch=true&resourceVersion=${await revision(context)}&labelSelector=wide%3D${namespace}`;
    const everywhere = take(context, `/api/v1/configmaps${query}`, 2);
    const here = take(context, at("configmaps") + query, 1);
    const other = configMap(`${namespace}-far`, { wide: namespace });
    await send("POST", "/api/v1/namespaces/default/configmaps", { body: other });
    await send("POST", at("configmaps"), { body: configMap("near", { wide: namespace }) });
    assert.deepEqual([await everywhere, await here], [[`ADDED ${namespace}-far`, "ADDED near"], ["ADDED near"]]);
    await send("DELETE", `/api/v1/namespaces/default/configmaps/${namespace}-far`);
  });
}

function endRules(rule: Rule): void {
  rule(
    "sendInitialEvents marks the end of the beginning with a bookmark",
    async (context) => {
      const query = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
      const path = `${context.at("serviceaccounts")}?${query}&resourceVersion=&fieldSelector=metadata.name%3Ddefault`;
      const types: string[] = [];
      for await (const { type, object } of context.watch(path)) {
        types.push(type);
        if (type !== "BOOKMARK") continue;
        assert.equal(object.metadata.annotations["k8s.io/initial-events-end"], "true");
        assert.match(object.metadata.resourceVersion, /^\d+$/);
        break;
      }
      assert.deepEqual(types, ["ADDED", "BOOKMARK"]);
    },
    { unless: { real: "its feature WatchList is off by default before v1.34" } },
  );

  rule("timeoutSeconds ends a watch, with a bookmark for those who asked", async (context) => {
    const query = `watch=true&resourceVersion=${await revision(context)}&timeoutSeconds=4&allowWatchBookmarks=true`;
    const seen: { type: string; object: { kind: string; metadata: { resourceVersion: string } } }[] = [];
    for await (const event of context.watch(`${context.at("coordination.k8s.io/v1/leases")}?${query}`)) {
      seen.push(event);
    }
    assert.ok(seen.length > 0 && seen.every(({ type, object }) => type === "BOOKMARK" && object.kind === "Lease"));
    assert.match(seen[0]?.object.metadata.resourceVersion ?? "", /^[1-9]\d*$/);
  });

  rule(
    "a watch from a version that is long past ends with 410 Expired",
    async (context) => {
      for await (const { type, object } of context.watch(`${context.at("configmaps")}?watch=true&resourceVersion=1`)) {
        assert.deepEqual([type, object.kind, object.code, object.reason], ["ERROR", "Status", 410, "Expired"]);
        return;
      }
      assert.fail("the watch ended without a word");
    },
    { unless: { embedded: "it still knows all of its short life; its own test shortens that" } },
  );
}

function shapeRules(rule: Rule): void {
  rule("a watch as a table sends the columns once", async (context) => {
    const { at, send } = context;
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const events = [];
    const path = `${at("configmaps")}?watch=true&resourceVersion=${await revision(context)}&labelSelector=set%3Dtable`;
    const writes = Promise.all(
      ["t1", "t2"].map((name) => send("POST", at("configmaps"), { body: configMap(name, { set: "table" }) })),
    );
    for await (const event of context.watch(path, { accept })) {
      events.push(event);
      if (events.length === 2) break;
    }
    await writes;
    assert.deepEqual(
      events.map(({ object }) => [object.kind, object.columnDefinitions?.length ?? 0, object.rows.length]),
      [
        ["Table", 3, 1],
        ["Table", 0, 1],
      ],
    );
    assert.deepEqual(events.map(({ object }) => object.rows[0].cells[0]).sort(), ["t1", "t2"]);
  });

  rule("a watch of metadata alone sends nothing else", async (context) => {
    const { at, send } = context;
    const accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    await send("POST", at("configmaps"), { body: configMap("part", {}, { data: { a: "1" } }) });
    const path = `${at("configmaps")}?watch=true&fieldSelector=metadata.name%3Dpart`;
    for await (const { type, object } of context.watch(path, { accept })) {
      assert.deepEqual([type, object.kind, object.data], ["ADDED", "PartialObjectMetadata", undefined]);
      break;
    }
  });
}

async function revision({ at, send }: RuleContext): Promise<string> {
  return (await send("GET", at("configmaps"))).body.metadata.resourceVersion;
}

/** The first `count` events of a watch, as `TYPE name`. */
async function take(from: ApiClient, path: string, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type, object } of from.watch(path)) {
    seen.push(`${type} ${object.metadata?.name ?? object.code}`);
    if (seen.length === count) break;
  }
  return seen;
}
