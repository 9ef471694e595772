import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import {
  askOtherNodes,
  askOtherProxies,
  questionAboutClients,
  questionAboutScripts,
  type OtherProxies,
} from "./other-proxies.ts";

type Context = Parameters<typeof askOtherNodes>[0];
type Member = ReturnType<Context["members"]["list"]>[number];

const SHARES = ["shared-scripts"];

test("all other nodes that know of scripts are asked, and those that are dead are left out", async () => {
  const asked: number[] = [];
  const members = [member(1, SHARES), member(2, SHARES), member(3, []), member(4, SHARES), member(5, SHARES, false)];
  const context: Context = {
    config: { node: 1 },
    members: { list: () => members },
    peers: {
      proxy: async (node: number, command: ProxyCommand): Promise<ProxyReply> => {
        asked.push(node);
        assert.deepEqual(command, { op: "scripts", bdb: 7, known: [] });
        if (node > 3) throw new Error("no answer");
        return { ok: true, op: "scripts", bodies: ["Ym9keQ=="], more: false };
      },
    },
  };
  assert.deepEqual(await askOtherNodes(context, questionAboutScripts({ bdb: 7, known: [] })), [
    { node: 2, bodies: ["Ym9keQ=="], more: false },
    { node: 4, missing: "no answer" },
  ]);
  assert.deepEqual(asked, [2, 4, 5]);
});

test("a proxy that does not serve the database yet lacks nothing, and one that refuses has not answered", async () => {
  const siblings = ["PROXY_UNKNOWN_ENDPOINT", "PROXY_FAILED"].map((code) => ({
    send: async (): Promise<ProxyReply> => ({ ok: false, code, message: "no" }),
  }));
  const proxies = { node: 2, siblings, askNodes: async () => [] };
  assert.deepEqual(await askOtherProxies(proxies, questionAboutScripts({ bdb: 7 })), [
    { node: 2, bodies: [], more: false },
    { node: 2, missing: "no" },
  ]);
});

test("a question about the clients of one node asks that node alone, and its own siblings only when it is meant", async () => {
  const asked: string[] = [];
  const reply: ProxyReply = { ok: true, op: "clients", lines: "id=1", count: 1 };
  const context: Context = {
    config: { node: 1 },
    members: { list: () => [1, 2, 3].map((uid) => member(uid, ["database-clients"])) },
    peers: {
      proxy: async (node: number): Promise<ProxyReply> => {
        asked.push(`node ${node}`);
        return reply;
      },
    },
  };
  const sibling = {
    send: async (): Promise<ProxyReply> => {
      asked.push("sibling");
      return reply;
    },
  };
  for (const node of [3, 1]) {
    const question = questionAboutClients({ ask: 1, bdb: 7, request: ["LIST"], node });
    const others = { node: 1, siblings: [sibling], askNodes: askThrough(context) };
    assert.deepEqual(await askOtherProxies(others, question), [{ node, lines: "id=1", count: 1 }]);
  }
  assert.deepEqual(asked, ["node 3", "sibling"]);
});

function askThrough(context: Context): OtherProxies["askNodes"] {
  return (question) => askOtherNodes(context, question);
}

function member(uid: number, capabilities: readonly string[], mayAcknowledge = true): Member {
  return { uid, held: true, mayAcknowledge, report: { capabilities: [...capabilities] } };
}
