import { encodeCommand } from "../../../ports/resp/encode.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { classify, lastClassified, NameTable } from "./commands.ts";
import { requestParts } from "./request-parts.ts";
import type { CommandEntry } from "./table/entry.ts";

const ZERO_ALONE = "sites share the database 0 alone; use a prefix of the key";

/** What clients of an Active-Active database cannot use, by the reason, with what they use instead. */
export const REFUSED_AT_SITES: readonly { readonly why: string; readonly names: string }[] = [
  {
    why: "an engine takes entries of a stream only in the order of their IDs, so that those of two sites cannot be merged; use a list, a sorted set, or a stream in a database of one cluster",
    names: "XADD XDEL XDELEX XTRIM XACK XACKDEL XCLAIM XAUTOCLAIM XSETID XGROUP XREADGROUP",
  },
  {
    why: "fields with an expiry of their own are not merged; use a key for each, with EXPIRE",
    names: "HEXPIRE HEXPIREAT HPEXPIRE HPEXPIREAT HPERSIST HGETEX HSETEX",
  },
  { why: "engines of older versions do not know it; use HGET and HDEL in one MULTI", names: "HGETDEL" },
  { why: ZERO_ALONE, names: "MOVE SWAPDB" },
  { why: "its text may hold what sites cannot merge; write the value with the commands of its type", names: "RESTORE" },
  { why: "functions stay at one site; use EVAL, or load scripts at each", names: "FUNCTION" },
  { why: "use GEOSEARCH, GEOSEARCHSTORE or the variants that end in _RO", names: "GEORADIUS GEORADIUSBYMEMBER" },
  { why: "vectors are not merged; keep them in a database of one cluster", names: "VADD VREM VSETATTR" },
];

/** How an endpoint looks up commands. */
export interface ClassifyingEndpoint {
  readonly isSite: boolean;
  /** Its clients see a cluster. */
  readonly isCluster: boolean;
}

/** `classify` for an endpoint: at a site, writes that links do not carry are refused. Where clients see a cluster, INFO is not simply forwarded. */
export function classifyFor({ isSite, isCluster }: ClassifyingEndpoint): typeof classify {
  if (isCluster) return isSite ? classifyAtSiteInCluster : classifyInCluster;
  return isSite ? classifyAtSite : classify;
}

function classifyInCluster(bytes: Buffer, at: number, length: number): CommandEntry | undefined {
  return classify(bytes, at, length) ?? (lastClassified() === INFO.name ? INFO : undefined);
}

function classifyAtSiteInCluster(bytes: Buffer, at: number, length: number): CommandEntry | undefined {
  return NAMES.find(bytes, at, length)?.special ?? classifyInCluster(bytes, at, length);
}

const INFO: CommandEntry = { name: "INFO", commandClass: "read", note: "" };

function classifyAtSite(bytes: Buffer, at: number, length: number): CommandEntry | undefined {
  return NAMES.find(bytes, at, length)?.special ?? classify(bytes, at, length);
}

/** A request as a site takes it, and what is done with it. */
export interface TakenAtSite {
  readonly request: Buffer;
  readonly command: CommandEntry;
}

/**
 * Keeps to the database 0, the one that sites share: another one holds what the link keeps. An engine writes UNLINK in capitals into its stream for a
 * key whose time has come; what a client removes is written in another way.
 */
export function takenAtSite(request: Buffer, command: CommandEntry): TakenAtSite {
  const { name } = command;
  if (name === "FLUSHALL") {
    const [, ...options] = requestArguments(request);
    return { request: encodeCommand(["FLUSHDB", ...options]), command };
  }
  if (name === "UNLINK") {
    const [, ...keys] = requestArguments(request);
    return { request: encodeCommand(["unlink", ...keys]), command };
  }
  if (!namesOther(request, name)) return { request, command };
  return { request, command: { name, commandClass: "refused", note: ZERO_ALONE } };
}

function namesOther(request: Buffer, name: string): boolean {
  if (name !== "SELECT" && name !== "COPY") return false;
  const args = requestArguments(request);
  const at = name === "SELECT" ? 1 : requestParts(name, args)?.get("destination-db");
  return at !== undefined && (args[at]?.toString() ?? "0") !== "0";
}

const NAMES = new NameTable([
  ...REFUSED_AT_SITES.flatMap(({ why, names }) =>
    names.split(" ").map((name) => ({
      name,
      special: { name, commandClass: "refused" as const, note: `${why} (docs/active-active.md)` },
      mayCross: false,
      hasOneKey: false,
    })),
  ),
  // looked at: they may name another database, reach all, or look like what engines do
  ...["COPY", "FLUSHALL", "UNLINK"].map((name) => ({
    name,
    special: { name, commandClass: "write" as const, note: "" },
    mayCross: name === "COPY",
    hasOneKey: false,
  })),
]);
