import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { Site } from "../../../core/merge/site.ts";
import type { Effect } from "../../../core/merge/operations/operation.ts";
import { withBytes } from "../../../core/merge/operations/operation-codec.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { StreamCommand } from "../../../ports/resp/replication-stream.ts";
import { FIRST_PLACE } from "../saved/place.ts";
import { LINK_DATABASE, LINK_KEYS } from "../saved/marks.ts";
import { ALL_KEYS } from "../saved/slice.ts";
import { Capture, type CaptureOptions } from "./capture.ts";

test("members that a client added under a condition are read before the site writes all of their key again, although both come by at once", async () => {
  const site = newSite();
  const value = { kind: "put", type: "string", key: "k", element: "", value: "5" } as const;
  const at = { wall: 1, count: 0, site: 2 };
  const [apply] = site.receive(withBytes({ dot: { origin: 2, seq: 1 }, at, seen: NOTHING, effects: [value] }), 2) ?? [];
  assert.ok(apply !== undefined);
  const sent: string[] = [];
  const client = engineThat((commands) => {
    sent.push(commands.at(-2)?.join(" ") ?? "");
    return new Promise(() => undefined);
  });
  const capture = captureOf(site, client, {
    onEffects: (effects) => void site.captured(effects, 2),
    onRead: (_, effects) => {
      site.captured(effects, 2);
      return true;
    },
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

test("a key that clients and the site write all the time holds the place, and who waits for it, back for some reads alone", async () => {
  const { capture, taken, commands } = writtenAllTheTime(() => passed(0, "APPEND", "k", "x"));
  let isRead = false;
  void capture.read("k").then(() => (isRead = true));
  await capture.follow({ position: POSITION, resumed: true, commands });
  assert.ok(capture.reached.written > 0);
  assert.ok(taken.length > 0 && isRead, "what came first is captured");
  assert.ok(capture.isReading("k"), "what came last is read again");
});

test("members of a key that clients and the site write all the time are taken as they are by what was tried often alone", async () => {
  const { capture, taken, commands } = writtenAllTheTime((at) =>
    passed(0, "ZADD", "k", "NX", "1", `m${at}`, "2", `n${at}`),
  );
  await capture.follow({ position: POSITION, resumed: true, commands });
  const elements = taken.map((effects) => effects.map((effect) => ("element" in effect ? effect.element : "")));
  assert.deepEqual(elements.slice(0, 3), [
    ["m0", "n0"],
    ["m1", "n1"],
    ["m2", "n2"],
  ]);
});

/** A client writes a key again and again, each time before a read of it comes by, and the site writes it all the while. */
function writtenAllTheTime(write: (at: number) => StreamCommand): {
  readonly capture: Capture;
  readonly taken: readonly (readonly Effect[])[];
  readonly commands: AsyncGenerator<readonly StreamCommand[]>;
} {
  const site = newSite();
  site.repair("k", "all"); // its mark never comes
  const asked: string[] = [];
  const client = engineThat((commands) => {
    const mark = commands.find(([name]) => name === "SET")?.[2];
    if (mark !== undefined) asked.push(String(mark));
    const replies = commands
      .slice(1, -1)
      .map(([name, , ...rest]) => (name === "ZMSCORE" ? rest.map(() => null) : null));
    return Promise.resolve([...commands.slice(1).map(() => null), replies]);
  });
  const taken: (readonly Effect[])[] = [];
  const onRead: CaptureOptions["onRead"] = (_, effects) => taken.push(effects) > 0;
  const capture = captureOf(site, client, { onEffects: () => undefined, onRead, onMark: () => Promise.resolve() });
  async function* allTheTime(): AsyncGenerator<readonly StreamCommand[]> {
    yield [write(0)];
    for (let reads = 1; reads < 30; reads += 1) {
      await until("the key is asked for", () => asked.length > 0);
      yield [write(reads), passed(LINK_DATABASE, "SET", LINK_KEYS.mark, asked.shift() ?? "")];
    }
  }
  return { capture, taken, commands: allTheTime() };
}

function newSite(): Site {
  const limits = { keptBytes: Infinity, earlyBytes: Infinity, partKeys: 100 };
  return Site.empty({ origin: 1, sites: [1, 2], life: "a", limits });
}

function engineThat(callAll: EngineClient["callAll"]): EngineClient {
  const call = (): Promise<never> => Promise.reject(new Error("it only sends transactions"));
  return { call, callAll, closed: new Promise(() => undefined), close: () => undefined };
}

function captureOf(
  site: Site,
  client: EngineClient,
  taking: Pick<CaptureOptions, "onEffects" | "onRead" | "onMark">,
): Capture {
  return new Capture({
    slice: ALL_KEYS,
    ...taking,
    client,
    beside: () => Promise.resolve(client),
    clock: systemClock,
    signal: new AbortController().signal,
    from: { ...FIRST_PLACE, ...POSITION, origin: 1, announced: true, announcedKnown: true, transferred: false },
    expiring: site.keys,
    repaired: site.keys.repaired,
    name: "a",
    onAnchored: () => undefined,
  });
}

const POSITION = { replicationId: "a", offset: 0, database: 0 };

function passed(database: number, ...command: readonly string[]): StreamCommand {
  return { name: command[0] ?? "", frame: encodeCommand(command), ...POSITION, database };
}

async function* allAtOnce(commands: readonly StreamCommand[]): AsyncGenerator<readonly StreamCommand[]> {
  yield await Promise.resolve(commands);
}
