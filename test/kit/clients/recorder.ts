// Plays one client of a database with a library of Node.js, one request after the other until standard input ends, and prints each
// operation as a line of JSON (test/kit/linearizability/history.ts).
//   node recorder.ts ioredis|node-redis HOST PORT CLIENT [default|several|once|cluster]
// "default": the library without an option. "several": with the settings of docs/upgrades.md. "once": what may have been executed is not sent again.
// "cluster": the client of the library for a cluster.
import { createClient, createCluster, WatchError } from "@redis/client";
import { Cluster, Redis } from "ioredis";
import type { Act } from "../linearizability/history.ts";

interface Client {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  /** Sets the key to `to`, unless it changes after it was read; what was read, and whether it was set. */
  swap(key: string, to: string): Promise<{ readonly from: string | null; readonly isSet: boolean }>;
  append(key: string, value: string): Promise<number>;
  list(key: string): Promise<readonly string[]>;
  close(): Promise<unknown>;
}

const FAILED = Symbol("failed");
const [library = "", host = "", port = "", name = "", attempts = ""] = process.argv.slice(2);
/** All clients use the keys of the same few seconds, so that the history of a key stays short. */
const SLICE_NS = 4_000_000_000n;
const REGISTERS = 3;

const CLIENTS: Readonly<Record<string, () => Client | Promise<Client>>> = {
  ioredis: attempts === "cluster" ? useIoredisCluster : useIoredis,
  "node-redis": attempts === "cluster" ? useNodeRedisCluster : useNodeRedis,
};
const client = await (CLIENTS[library] ?? useNodeRedis)();
let isOver = false;
process.stdin.on("end", () => (isOver = true)).resume();
for (let number = 0; !isOver; number += 1) await operate(number);
await client.close();

function useIoredis(): Client {
  const once = { maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false };
  const redis = new Redis({ host, port: Number(port), ...(attempts === "once" ? once : {}) });
  redis.on("error", complain);
  return {
    get: (key) => redis.get(key),
    set: (key, value) => redis.set(key, value),
    swap: async (key, to) => {
      await redis.watch(key);
      const from = await redis.get(key);
      return { from, isSet: (await redis.multi().set(key, to).exec()) !== null };
    },
    append: (key, value) => redis.rpush(key, value),
    list: (key) => redis.lrange(key, 0, -1),
    close: () => redis.quit(),
  };
}

/** A connection of its own for exchanges: one with a WATCH is not asked to move. */
async function useNodeRedis(): Promise<Client> {
  const socket = { host, port: Number(port) };
  const [redis, exchanging] = [
    attempts === "default" ? createClient({ socket }) : createClient({ socket, maintEndpointType: "none" }),
    createClient({ socket, maintNotifications: "disabled" }),
  ];
  for (const client of [redis, exchanging]) {
    client.on("error", complain);
    await client.connect();
  }
  return {
    get: (key) => redis.get(key),
    set: (key, value) => redis.set(key, value),
    swap: async (key, to) => {
      await exchanging.watch(key);
      const from = await exchanging.get(key);
      try {
        await exchanging.multi().set(key, to).exec();
        return { from, isSet: true };
      } catch (error) {
        if (error instanceof WatchError) return { from, isSet: false };
        throw error;
      }
    },
    append: (key, value) => redis.rPush(key, value),
    list: (key) => redis.lRange(key, 0, -1),
    close: () => Promise.all([redis.close(), exchanging.close()]),
  };
}

/** A transaction would need a client of its own for each node: an exchange is one command. */
function useIoredisCluster(): Client {
  const redis = new Cluster([{ host, port: Number(port) }], { slotsRefreshInterval: 1_000 });
  redis.on("error", complain);
  return {
    get: (key) => redis.get(key),
    set: (key, value) => redis.set(key, value),
    swap: async (key, to) => ({ from: await redis.getset(key, to), isSet: true }),
    append: (key, value) => redis.rpush(key, value),
    list: (key) => redis.lrange(key, 0, -1),
    close: () => redis.quit(),
  };
}

async function useNodeRedisCluster(): Promise<Client> {
  const redis = createCluster({ rootNodes: [{ socket: { host, port: Number(port) } }] });
  redis.on("error", complain);
  await redis.connect();
  return {
    get: (key) => redis.get(key),
    set: (key, value) => redis.set(key, value),
    swap: async (key, to) => ({ from: await redis.getSet(key, to), isSet: true }),
    append: (key, value) => redis.rPush(key, value),
    list: (key) => redis.lRange(key, 0, -1),
    close: () => redis.close(),
  };
}

/** The library connects again. */
function complain(error: Error): void {
  process.stderr.write(`connection of ${name}: ${error.message}\n`);
}

async function operate(number: number): Promise<void> {
  const slice = process.hrtime.bigint() / SLICE_NS;
  const dice = Math.random();
  const register = `register-${Math.floor(Math.random() * REGISTERS)}-${slice}`;
  const value = `${name}-${number}`;
  if (dice < 0.3) await get(register);
  else if (dice < 0.55) await record(register, { kind: "set", value }, () => client.set(register, value));
  else if (dice < 0.75) await swap(register, value);
  else if (dice < 0.93) await append(`list-${slice}`, value);
  else await readList(`list-${slice}`);
}

async function get(key: string): Promise<void> {
  const begin = process.hrtime.bigint();
  const value = await client.get(key).catch(failed);
  if (value !== FAILED) print(key, begin, process.hrtime.bigint(), { kind: "get", value });
}

/** The read is an operation of its own; the exchange is one when it took place, and may be one when its outcome is not known. */
async function swap(key: string, to: string): Promise<void> {
  const begin = process.hrtime.bigint();
  const answer = await client.swap(key, to).catch(failed);
  if (answer === FAILED) print(key, begin, undefined, { kind: "exchange", to });
  else if (answer.isSet) print(key, begin, process.hrtime.bigint(), { kind: "compare-and-set", from: answer.from, to });
  else print(key, begin, process.hrtime.bigint(), { kind: "get", value: answer.from });
}

async function append(key: string, value: string): Promise<void> {
  const begin = process.hrtime.bigint();
  const length = await client.append(key, value).catch(failed);
  if (length === FAILED) print(key, begin, undefined, { kind: "append", value, length: undefined });
  else print(key, begin, process.hrtime.bigint(), { kind: "append", value, length });
}

async function readList(key: string): Promise<void> {
  const begin = process.hrtime.bigint();
  const values = await client.list(key).catch(failed);
  if (values !== FAILED) print(key, begin, process.hrtime.bigint(), { kind: "read-list", values });
}

async function record(key: string, act: Act, run: () => Promise<unknown>): Promise<void> {
  const begin = process.hrtime.bigint();
  const answer = await run().catch(failed);
  print(key, begin, answer === FAILED ? undefined : process.hrtime.bigint(), act);
}

function failed(error: unknown): typeof FAILED {
  process.stderr.write(`${name}: ${String(error)}\n`);
  return FAILED;
}

function print(key: string, begin: bigint, end: bigint | undefined, act: Act): void {
  const times = { begin: Number(begin), ...(end === undefined ? {} : { end: Number(end) }) };
  process.stdout.write(`${JSON.stringify({ client: name, key, ...times, act })}\n`);
}
