import assert from "node:assert/strict";
import { addressOf, done, withShard } from "../../../../test/kit/engines/proxy.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { until } from "#kit/testing/until";
import type { CommandClass } from "../protocol/table/entry.ts";

type Request = readonly string[];

/** How a client could see what another client writes, while no replica has it. */
interface Look {
  readonly name: string;
  /** What it sends before the replica stops. */
  readonly before?: readonly Request[];
  /** What it sends after the write; nothing when the write comes to it unasked. */
  readonly asked?: readonly Request[];
  /** What the other client writes; SET of the key when absent. */
  readonly writes?: Request;
  /** What the last frame shows; `new` when absent. */
  readonly shows?: RegExp;
}

const KEY = "key";
const SCRIPT = "return redis.call('GET', KEYS[1])";
const HELLO: Request = ["HELLO", "3"];

/** By the class of the command; the reason where no request of a class shows data. */
const LOOKS: Readonly<Record<CommandClass, readonly Look[] | string>> = {
  read: [
    { name: "GET", asked: [["GET", KEY]] },
    { name: "KEYS", writes: ["SET", "newer", "1"], asked: [["KEYS", "*"]] },
    { name: "an error about the type", asked: [["LLEN", KEY]], shows: /"-WRONGTYPE/ },
    { name: "OBJECT ENCODING", asked: [["OBJECT", "ENCODING", KEY]], shows: /embstr/ },
  ],
  write: [{ name: "GETSET", asked: [["GETSET", KEY, "later"]] }],
  scan: [
    { name: "SCAN", writes: ["SET", "newer", "1"], asked: [["SCAN", "0", "COUNT", "1000"]] },
    { name: "HSCAN", writes: ["HSET", "h", "f", "new"], asked: [["HSCAN", "h", "0"]] },
    { name: "SSCAN", writes: ["SADD", "s", "new"], asked: [["SSCAN", "s", "0"]] },
    { name: "ZSCAN", writes: ["ZADD", "z", "1", "new"], asked: [["ZSCAN", "z", "0"]] },
  ],
  transaction: [{ name: "MULTI, GET, EXEC", asked: [["MULTI"], ["GET", KEY], ["EXEC"]] }],
  blocking: [
    { name: "BLPOP of what is there", writes: ["RPUSH", "there", "new"], asked: [["BLPOP", "there", "0"]] },
    {
      name: "XREAD",
      writes: ["XADD", "stream", "*", "f", "new"],
      asked: [["XREAD", "BLOCK", "0", "STREAMS", "stream", "0"]],
    },
  ],
  script: [
    { name: "EVAL", asked: [["EVAL", SCRIPT, "1", KEY]] },
    {
      name: "an error of a script",
      asked: [["EVAL", "return redis.error_reply(redis.call('GET', KEYS[1]))", "1", KEY]],
    },
  ],
  long: [
    {
      name: "EVALSHA",
      before: [["EVAL", SCRIPT, "1", KEY]],
      asked: [["EVALSHA", "d3c21d0c2b9ca22f82737626a27bcaf5d288f99f", "1", KEY]],
    },
  ],
  wait: [{ name: "WAIT", asked: [["WAIT", "0", "0"]], shows: /^\d+$/ }],
  subscription: [
    { name: "a message", before: [["SUBSCRIBE", "ch"]], writes: ["PUBLISH", "ch", "new"] },
    { name: "a keyspace event", before: [["SUBSCRIBE", `__keyspace@0__:${KEY}`]], shows: /set/ },
  ],
  tracking: [
    { name: "an invalidation", before: [HELLO, ["CLIENT", "TRACKING", "ON"], ["GET", KEY]], shows: /invalidate/ },
  ],
  caching: [
    {
      name: "CLIENT CACHING",
      before: [HELLO, ["CLIENT", "TRACKING", "ON", "OPTIN"]],
      asked: [
        ["CLIENT", "CACHING", "YES"],
        ["GET", KEY],
      ],
    },
  ],
  monitor: "it shows the commands of all clients, also those of the rounds, and no data",
  scripts: "the bodies of scripts are no data",
  kill: "it ends a script, and says nothing else",
  identity: "the proxy answers it",
  session: "the proxy answers it",
  client: "the proxy answers it",
  whoami: "the proxy answers it",
  sites: "the proxy answers it",
  view: "the proxy answers it",
  parameters: "the proxy answers it",
  quit: "the proxy answers it",
  refused: "the proxy answers it",
  hostile: "the proxy ends the connection",
  container: "its subcommands have classes of their own",
  unknown: "it becomes `long` or `refused` when the engine has said what it is",
};

const test = sharing(() => Served.start({}, { args: ["--notify-keyspace-events", "KEA"] }));

for (const [commandClass, looks] of Object.entries(LOOKS))
  if (typeof looks !== "string")
    for (const look of looks)
      test(`${commandClass}: ${look.name} shows a write only when the replica has it`, (served) =>
        tryToLook(served, look));

let version = 1;

async function tryToLook(served: Served, look: Look): Promise<void> {
  const { before = [], asked = [], writes = ["SET", KEY, "new"], shows = /new/ } = look;
  await served.primary.call("FLUSHALL");
  await waitForReplica(served);
  const [reader, writer, other] = await served.clients(3);
  assert.ok(reader !== undefined && writer !== undefined && other !== undefined);
  for (const request of before) await reader.ask(...request);
  using replica = await suspend(served.replica);
  await sendTo(served, writer, [writes]);
  await sendTo(served, reader, asked);
  // the proxy has read all that had arrived at it when it answers this
  await other.ask("CLIENT", "ID");
  await other.ask("CLIENT", "ID");
  assert.deepEqual([writer.unread, reader.unread], [[], []]);
  replica.resume();
  const frames = await reader.readMany(Math.max(1, asked.length));
  assert.match(JSON.stringify(plain(frames.at(-1)), inWords) ?? "", shows);
  for (const client of [reader, writer, other]) client.close();
}

/** Replies wait for the replica from now on. */
async function waitForReplica(served: Served): Promise<void> {
  const set = { version: version++, members: [addressOf(served.replica)], joining: [] };
  const sync = { withoutReplica: "degrade", epoch: served.epoch, set } as const;
  await done(served.proxy.send({ op: "configure", endpoints: [withShard(served.endpoint, { sync })] }));
}

/** Resolves when the engine has executed the last of them. */
async function sendTo(served: Served, client: RawClient, requests: readonly Request[]): Promise<void> {
  const last = requests.at(-1);
  if (last === undefined) return;
  const calls = await callsOf(served, last);
  for (const request of requests) client.send(...request);
  await until(`the engine has executed ${last.join(" ")}`, async () => (await callsOf(served, last)) > calls);
}

async function callsOf({ primary }: Served, [name = ""]: Request): Promise<number> {
  const stats = String(await primary.call("INFO", "commandstats"));
  const counted = stats.matchAll(new RegExp(`^cmdstat_${name}(?:\\|[^:]+)?:calls=(\\d+)`, "gim"));
  return [...counted].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

/** Bytes as text. */
function inWords(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const own = this[key];
  return Buffer.isBuffer(own) ? own.toString() : value;
}
