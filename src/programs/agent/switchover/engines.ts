import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { EngineView, HostPort } from "../../../core/planner/database/switchover.ts";
import { connectEngine, engineCodeOf } from "../../../ports/resp/engine-client.ts";
import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import type { EngineAddress, EngineClient } from "../../../ports/resp/engine-client.ts";
import { PING_PERIOD_S } from "../../../mechanisms/supervisor/engine-config.ts";
import { reportedEngine, parseInfo, replicationView } from "../../../ports/resp/info.ts";
import type { Info } from "../../../ports/resp/info.ts";
import { listOf, textOf } from "../../../ports/resp/reply.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { faults } from "../faults.ts";

/** A control connection to one engine of a shard. */
export interface EngineControl extends EnginePlace {
  readonly client: EngineClient;
}

/** What INFO says about replication, plus the offset at which the engine was promoted last. */
export interface RoleView {
  readonly role: "primary" | "replica";
  readonly offset: number;
  readonly promotedAt: number;
  /** The id of its stream: engines with the same one have the same stream. */
  readonly history: string;
  readonly link?: HostPort & { readonly status: "up" | "down" };
}

/** For connecting and for each command of a move, in milliseconds. */
const ANSWER_MS = 1_500;
const CATCH_UP_MS = 2_000;
/** Without pause they take a few milliseconds. */
const LEAST_LOOKS = 20;
const DRAIN_LOOKS = 3_000;
const DRAIN_POLL_MS = 5;
/** Less than the minute after which replicas give up a primary that says nothing: it may outlast the leader that set it. */
const PAUSED_PING_S = 50;

export async function openEngine(address: EngineAddress): Promise<EngineControl> {
  return { ...placeOf(address), client: await connectEngine({ ...address, timeoutMs: ANSWER_MS }) };
}

/** What the gates check. */
export async function viewEngine({ host, port, client }: EngineControl): Promise<EngineView> {
  const [info, modules] = await Promise.all([
    infoOf(client, "server", "replication", "memory"),
    client.call("MODULE", "LIST"),
  ]);
  const clock = await clockOf(client);
  const engine = reportedEngine(info);
  const replication = replicationView(info);
  if (engine === undefined || replication === undefined)
    throw new Fault(faults.engineUnclear, `${host}:${port} names no version or role in INFO`, { host, port });
  const { role, offset, replicas, link } = replication;
  return {
    host,
    port,
    engine: { family: engine.family, version: engine.version },
    role,
    offset,
    replicas,
    ...(link === undefined ? {} : { link }),
    maxMemory: Number(info.get("maxmemory") ?? 0),
    countedMemory: Number(info.get("used_memory") ?? 0) - Number(info.get("mem_not_counted_for_evict") ?? 0),
    backlogMemory: Number(info.get("mem_replication_backlog") ?? 0),
    evicts: (info.get("maxmemory_policy") ?? "noeviction") !== "noeviction",
    clock,
    modules: listOf(modules)
      .map(loadedModule)
      .filter((name) => name !== undefined),
  };
}

/** Compares the engine's clock with the uptime of this process, which nothing sets, so that engines can be compared with each other. */
async function clockOf(client: EngineClient): Promise<EngineView["clock"]> {
  const sentAt = performance.now();
  const [seconds = "0", micros = "0"] = listOf(await client.call("TIME")).map(textOf);
  const uncertainMs = (performance.now() - sentAt) / 2;
  return { aheadMs: Number(seconds) * 1000 + Number(micros) / 1000 - sentAt - uncertainMs, uncertainMs };
}

export async function roleOf({ host, port, client }: EngineControl): Promise<RoleView> {
  const info = await infoOf(client, "replication");
  const view = replicationView(info);
  if (view === undefined)
    throw new Fault(faults.engineUnclear, `${host}:${port} names no role in INFO`, { host, port });
  const { role, offset, replicationId: history, link } = view;
  const promotedAt = Number(info.get("second_repl_offset") ?? -1);
  return { role, offset, promotedAt, history, ...(link === undefined ? {} : { link }) };
}

/**
 * Stops writes of clients that no proxy holds, expiry and scripts, for at most `ms`, and stops pings: a replica that received a ping which the
 * next primary did not would need all data again. Resolves with the role after that.
 */
export async function pauseWrites(engine: EngineControl, ms: number): Promise<RoleView> {
  const { client } = engine;
  const paused = [client.call("CLIENT", "PAUSE", ms, "WRITE"), setPings(client, PAUSED_PING_S)];
  // an engine answers in order, so that all commands take one way there and back
  const [view] = await Promise.all([roleOf(engine), ...paused]);
  return view;
}

export async function resumeWrites({ client }: Pick<EngineControl, "client">): Promise<void> {
  await Promise.all([client.call("CLIENT", "UNPAUSE"), setPings(client, PING_PERIOD_S)]);
}

const atOnce = (): Promise<void> => Promise.resolve();

/** How a target is waited for: without pause and for 2 s when nothing else is said, since clients may be held. */
export interface CatchUp {
  readonly withinMs?: number;
  readonly pause?: () => Promise<void>;
}

/**
 * Resolves once `target` has applied all up to this offset of its primary; AGENT_NOT_CAUGHT_UP when that takes too long, and so many
 * looks: a machine that stood still has shown nothing meanwhile.
 */
export async function awaitOffset(
  offset: number,
  target: EngineControl,
  { withinMs = CATCH_UP_MS, pause = atOnce }: CatchUp = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (let looks = 1; ; looks += 1) {
    const view = await roleOf(target);
    if (view.offset >= offset) return;
    if (performance.now() < deadline || looks < LEAST_LOOKS) {
      await pause();
      continue;
    }
    const gap = offset - view.offset;
    throw new Fault(faults.notCaughtUp, `${target.host}:${target.port} is ${gap} bytes behind after ${withinMs} ms`, {
      gap,
    });
  }
}

/**
 * Resolves with the role of a replica once it has taken in all that its primary had sent: the link is down, or brought nothing
 * more in so many looks on end. A promotion before that would discard what is still in its buffers. Looks are counted, not
 * time: a machine that stood still has shown nothing. At most 3,000 looks, since a primary that is cut off may go on sending.
 */
export async function awaitDrained(
  replica: EngineControl,
  clock: Pick<Clock, "sleep">,
  quietLooks: number,
): Promise<RoleView> {
  let view = await roleOf(replica);
  let quiet = 0;
  for (let looks = 0; looks < DRAIN_LOOKS && quiet < quietLooks; looks++) {
    if (view.role !== "replica" || view.link?.status !== "up") break;
    await clock.sleep(DRAIN_POLL_MS);
    const next = await roleOf(replica);
    quiet = next.offset > view.offset ? 0 : quiet + 1;
    view = next;
  }
  return view;
}

export async function promote({ client }: EngineControl): Promise<void> {
  await client.call("REPLICAOF", "NO", "ONE");
}

/** Lets others close this connection by what it is for: a leader that was suspended must not go on. */
export async function nameConnection({ client }: EngineControl, name: string): Promise<void> {
  await client.call("CLIENT", "SETNAME", name);
}

/** Closes the other connections of this name. */
export async function closeNamed({ client }: EngineControl, name: string): Promise<void> {
  const [listed, own] = await Promise.all([client.call("CLIENT", "LIST"), client.call("CLIENT", "ID")]);
  const ids = textOf(listed)
    .split("\n")
    .filter((line) => line.includes(` name=${name} `))
    .map((line) => /^id=(\d+) /.exec(line)?.[1] ?? "")
    .filter((id) => id !== "" && Number(id) !== own);
  await Promise.all(ids.map((id) => client.call("CLIENT", "KILL", "ID", id)));
}

async function setPings(client: EngineClient, seconds: number): Promise<void> {
  await client.call("CONFIG", "SET", "repl-ping-replica-period", seconds);
}

/** Where others than this process reach the engine of an address. */
export function placeOf({ host, port, tls }: EngineAddress | EngineControl): EnginePlace {
  return { host, port, ...(tls === undefined ? {} : { tls: true }) };
}

/** Ends the script or function that it runs, if any; RESP_ERROR_REPLY when that has written. */
export async function killScript({ client }: EngineControl): Promise<void> {
  for (const kind of ["SCRIPT", "FUNCTION"]) {
    try {
      await client.call(kind, "KILL");
      return;
    } catch (error) {
      // an engine that runs a function is busy for SCRIPT KILL
      if (engineCodeOf(error) === "NOTBUSY") return;
      if (engineCodeOf(error) !== "BUSY") throw error;
    }
  }
}

/**
 * The role of an engine after every earlier command: connections over which one might still arrive are closed first, unless
 * the engine is a primary already. Undefined when it does not answer.
 */
export async function settledRole(address: EngineAddress): Promise<RoleView | undefined> {
  try {
    return await withEngine(address, async (engine) => {
      const view = await roleOf(engine);
      if (view.role === "primary") return view;
      await engine.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      return roleOf(engine);
    });
  } catch (error) {
    if (error instanceof Fault) return undefined; // does not answer now
    throw error;
  }
}

export async function withEngine<T>(address: EngineAddress, act: (engine: EngineControl) => Promise<T>): Promise<T> {
  const engine = await openEngine(address);
  try {
    return await act(engine);
  } finally {
    engine.client.close();
  }
}

/** The message of an error, for a sentence. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, "");
}

/** Sections of INFO. */
export async function infoOf(client: EngineClient, ...sections: readonly string[]): Promise<Info> {
  return parseInfo(textOf(await client.call("INFO", ...sections)));
}

/** The name out of an alternation of names and values; undefined for a module that is compiled into the engine. */
function loadedModule(module: Reply): string | undefined {
  const fields = listOf(module);
  const valueOf = (name: string): string => textOf(fields[fields.indexOf(name) + 1] ?? "");
  return fields.includes("path") && valueOf("path") === "" ? undefined : valueOf("name");
}
