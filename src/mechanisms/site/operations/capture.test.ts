import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { Site } from "../../../core/merge/site.ts";
import { withBytes } from "../../../core/merge/operations/operation-codec.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { StreamCommand } from "../../../ports/resp/replication-stream.ts";
import { FIRST_PLACE } from "../saved/place.ts";
import { LINK_DATABASE, LINK_KEYS } from "../saved/marks.ts";
import { Capture } from "./capture.ts";

test("members that a client added under a condition are read before the site writes all of their key again, although both come by at once", async () => {
  const site = Site.empty({
    origin: 1,
    sites: [1, 2],
    life: "a",
    limits: { keptBytes: Infinity, earlyBytes: Infinity, partKeys: 100 },
  });
  const value = { kind: "put", type: "string", key: "k", element: "", value: "5" } as const;
  const at = { wall: 1, count: 0, site: 2 };
  const [apply] = site.receive(withBytes({ dot: { origin: 2, seq: 1 }, at, seen: NOTHING, effects: [value] }), 2) ?? [];
  assert.ok(apply !== undefined);
  const sent: string[] = [];
  const client: EngineClient = {
    call: () => Promise.reject(new Error("it only sends transactions")),
    callAll: (commands) => {
      sent.push(commands.at(-2)?.join(" ") ?? "");
      return new Promise(() => undefined);
    },
    closed: new Promise(() => undefined),
    close: () => undefined,
  };
  const capture = new Capture({
    client,
    beside: () => Promise.resolve(client),
    clock: systemClock,
    signal: new AbortController().signal,
    from: { ...FIRST_PLACE, ...POSITION, origin: 1, announced: true, announcedKnown: true, transferred: false },
    expiring: site.keys,
    repaired: site.keys.repaired,
    name: "a",
    onEffects: (effects) => void site.captured(effects, 2),
    onRead: (_, effects) => {
      site.captured(effects, 2);
      return true;
    },
    onAnchored: () => undefined,
    onMark: async (mark) => {
      const repairs = site.applied(mark);
      await Promise.resolve(); // as soon as a writer can be
      for (const { commands } of repairs) sent.push(...commands.map((command) => command.join(" ")));
    },
  });
  const commands = [
    passed(0, "ZADD", "k", "3", "n"),
    passed(0, "ZADD", "k", "NX", "40", "n", "7", "m"),
    passed(LINK_DATABASE, "SET", LINK_KEYS.mark, apply.mark),
  ];
  await capture.follow({ position: POSITION, resumed: true, commands: allAtOnce(commands) });
  assert.deepEqual(sent.slice(0, 2), ["ZMSCORE k n m", "DEL k"]);
});

const POSITION = { replicationId: "a", offset: 0, database: 0 };

function passed(database: number, ...command: readonly string[]): StreamCommand {
  return { name: command[0] ?? "", frame: encodeCommand(command), ...POSITION, database };
}

async function* allAtOnce(commands: readonly StreamCommand[]): AsyncGenerator<readonly StreamCommand[]> {
  yield await Promise.resolve(commands);
}
