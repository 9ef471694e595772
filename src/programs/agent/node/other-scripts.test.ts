import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { askOthersForScripts, scriptsIn } from "./other-scripts.ts";

type Context = Parameters<typeof askOthersForScripts>[0];
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
  assert.deepEqual(await askOthersForScripts(context, { bdb: 7, known: [] }), [
    { node: 2, bodies: ["Ym9keQ=="], more: false },
    { node: 4, missing: "no answer" },
  ]);
  assert.deepEqual(asked, [2, 4, 5]);
});

test("a proxy that does not serve the database yet lacks nothing, and one that refuses has not answered", () => {
  const refusal = (code: string): ProxyReply => ({ ok: false, code, message: "no" });
  assert.deepEqual(scriptsIn(2, refusal("PROXY_UNKNOWN_ENDPOINT")), { node: 2, bodies: [], more: false });
  assert.deepEqual(scriptsIn(2, refusal("PROXY_FAILED")), { node: 2, missing: "no" });
});

function member(uid: number, capabilities: readonly string[], mayAcknowledge = true): Member {
  return { uid, held: true, mayAcknowledge, report: { capabilities: [...capabilities] } };
}
