import { Fault } from "#kit/base/fault";
import type { DestinationFacts, SourceFacts } from "../../../core/migration/obstacles.ts";
import {
  connectEngine,
  engineCodeOf,
  type EngineAddress,
  type EngineClient,
} from "../../../ports/resp/engine-client.ts";
import { parseInfo, replicationView, reportedEngine, type Info } from "../../../ports/resp/info.ts";
import { modulesIn } from "../../../ports/resp/loaded-modules.ts";
import { listOf, textOf, type Reply } from "../../../ports/resp/reply.ts";

/** Asks a source what it is. */
export async function askSourceFacts(address: EngineAddress): Promise<SourceFacts> {
  return withEngine(address, async (client) => {
    const text = textOf(await client.call("INFO"));
    const info = parseInfo(text);
    const link = replicationView(info)?.link;
    return {
      engine: engineOf(info),
      follows: link === undefined ? undefined : `${link.host}:${link.port}`,
      isCluster: info.get("cluster_enabled") === "1",
      modules: modulesIn(text)
        .map(({ name }) => name)
        .filter((name) => !OF_ENGINES.has(name)),
      keys: keysIn(info),
      bytes: Number(info.get("used_memory_dataset") ?? 0),
      denied: await deniedTo(client),
    };
  });
}

/** Asks a database by its endpoint what it is. */
export async function askDestinationFacts(
  address: EngineAddress,
  known: Pick<DestinationFacts, "name" | "shards" | "memory" | "isReplaced">,
): Promise<DestinationFacts> {
  return withEngine(address, async (client) => {
    const info = parseInfo(textOf(await client.call("INFO")));
    const [, databases = ""] = listOf(await client.call("CONFIG", "GET", "databases"));
    const keys = [...keysIn(info).values()].reduce((sum, each) => sum + each, 0);
    return { ...known, engine: engineOf(info), databases: Number(databases), keys };
  });
}

/** Deletes all that a database has. */
export async function emptyDatabase(address: EngineAddress): Promise<void> {
  await withEngine(address, (client) => client.call("FLUSHALL"));
}

async function withEngine<T>(address: EngineAddress, work: (client: EngineClient) => Promise<T>): Promise<T> {
  const client = await connectEngine({ ...address, timeoutMs: ANSWER_MS });
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

function engineOf(info: Info): SourceFacts["engine"] {
  return reportedEngine(info) ?? { family: "redis", version: "unknown" };
}

function keysIn(info: Info): ReadonlyMap<number, number> {
  return new Map(
    [...info.entries()].flatMap(([field, value]) => {
      const [number, keys] = [/^db(\d+)$/.exec(field)?.[1], /^keys=(\d+)/.exec(value)?.[1]];
      return number === undefined || keys === undefined ? [] : [[Number(number), Number(keys)] as const];
    }),
  );
}

/** What its user may not do; what it cannot be asked is found out when it is done. */
async function deniedTo(client: EngineClient): Promise<SourceFacts["denied"]> {
  const user = await client.call("ACL", "WHOAMI").catch(unlessRefused);
  const denied: { readonly command: string; readonly said: string }[] = [];
  for (const command of NEEDED) {
    const [known = null] = listOf(await client.call("COMMAND", "INFO", command[0]));
    if (known === null) denied.push({ command: command[0], said: "it does not know this command" });
    if (known === null || typeof user !== "string") continue;
    const said = await client.call("ACL", "DRYRUN", user, ...command).catch(unlessRefused);
    if (typeof said === "string" && said !== "OK") denied.push({ command: command.slice(0, 2).join(" "), said });
  }
  return denied;
}

function unlessRefused(error: unknown): Reply {
  if (error instanceof Fault && engineCodeOf(error) !== undefined) return null;
  throw error;
}

const ANSWER_MS = 10_000;
/** They come with their engine. */
const OF_ENGINES: ReadonlySet<string> = new Set(["vectorset"]);
const NEEDED: readonly (readonly [string, ...string[]])[] = [
  ["PSYNC", "?", "-1"],
  ["REPLCONF", "capa", "eof"],
  ["CLIENT", "PAUSE", "1", "WRITE"],
  ["CLIENT", "UNPAUSE"],
  ["CONFIG", "SET", "min-replicas-to-write", "0"],
  ["CONFIG", "GET", "min-replicas-*"],
];
