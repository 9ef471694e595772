import type { Arg } from "../../ports/resp/encode.ts";
import { LINK_DATABASE, LINK_KEYS, type LinkKeyCommand } from "./saved/marks.ts";

/** A client waits until so many other sites have what was written before. */
export interface SiteWait {
  /** Unique; the same when it is asked for again. */
  readonly id: string;
  readonly sites: number;
}

/** An answer is kept for so long, in milliseconds, and what is not asked for again within that time is forgotten. */
export const SITE_WAIT_MS = 10_000;

/** Asks the link of the engine, which sees the question behind all that was written before. */
export function askingSites({ id, sites }: SiteWait): readonly [string, ...Arg[]] {
  return inLinkDatabase("EVAL", "redis.call('SET', ARGV[1], ARGV[2])", LINK_KEYS.mark, `${MARK}${sites}:${id}`);
}

/** Reads what the links of an engine have answered, for each of these slices of it in their order; null while one has not. */
export function sitesAnswered({ id }: SiteWait, slices: readonly string[]): readonly [string, ...Arg[]] {
  return inLinkDatabase(
    "EVAL_RO",
    "return redis.call('MGET', unpack(ARGV))",
    ...slices.map((each) => answerKey(id, each)),
  );
}

/** What links have answered to one question. Each slice has a link of its own, and a site has what was written before when it has that of all slices. */
export class SiteAnswers {
  readonly #sites = new Map<string, ReadonlySet<string>>();

  /** How many sites have it, by what was read of these slices last; null while one has not answered. */
  count(slices: readonly string[], read: readonly (string | null)[]): number | null {
    const [only = null] = read;
    if (slices.every((slice) => slice === UNDIVIDED)) return only === null ? null : Number(only);
    for (const [at, slice] of slices.entries()) this.#take(slice, read[at] ?? null);
    const [first, ...others] = slices.map((slice) => this.#sites.get(slice));
    if (first === undefined || others.includes(undefined)) return null;
    return [...first].filter((site) => others.every((sites) => sites?.has(site))).length;
  }

  /** A link forgets what it has answered in full, and would begin anew when it is asked again: a site that was named counts on. */
  #take(slice: string, answer: string | null): void {
    if (answer === null) return;
    const named = answer.split(" ").filter((site) => site !== "");
    this.#sites.set(slice, new Set([...(this.#sites.get(slice) ?? []), ...named]));
  }
}

/** The name of the slice of a database that is not divided. */
const UNDIVIDED = "";

/** What the mark asks for; undefined of another mark. */
export function siteWaitIn(mark: string): SiteWait | undefined {
  if (!mark.startsWith(MARK)) return undefined;
  const [sites = "", id = ""] = mark.slice(MARK.length).split(":");
  return { id, sites: Number(sites) };
}

/** Answers the client that waits: which sites have it, or how many of them where the database is not divided, as in releases before 0.6.0. */
export function answerWait({ id }: SiteWait, sites: readonly number[], slice: string): LinkKeyCommand {
  return ["SET", answerKey(id, slice), slice === UNDIVIDED ? sites.length : sites.join(" "), "PX", SITE_WAIT_MS];
}

function answerKey(id: string, slice: string): string {
  return `${ANSWER}${id}${slice}`;
}

const MARK = "sites:";
const ANSWER = "site:waited:";

/** A script may select a database without a change for its connection. */
function inLinkDatabase(
  name: "EVAL" | "EVAL_RO",
  call: string,
  ...args: readonly string[]
): readonly [string, ...Arg[]] {
  return [name, `redis.call('SELECT', ${LINK_DATABASE}) ${call}`, 0, ...args];
}
