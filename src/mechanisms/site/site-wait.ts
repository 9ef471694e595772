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

/** Reads what the link has answered: how many sites have it, of each slice of the engine; nothing before all have answered. */
export function sitesAnswered({ id }: SiteWait, slices: readonly string[]): readonly [string, ...Arg[]] {
  const answers = slices.map((slice) => answerKey(id, slice));
  return inLinkDatabase("EVAL_RO", LEAST_ANSWER, ...answers);
}

const LEAST_ANSWER = `local least = nil
for _, answer in ipairs(ARGV) do
  local sites = tonumber(redis.call('GET', answer))
  if not sites then return false end
  least = math.min(least or sites, sites)
end
return least`;

/** What the mark asks for; undefined of another mark. */
export function siteWaitIn(mark: string): SiteWait | undefined {
  if (!mark.startsWith(MARK)) return undefined;
  const [sites = "", id = ""] = mark.slice(MARK.length).split(":");
  return { id, sites: Number(sites) };
}

/** Tells the client that waits how many sites have it. */
export function answerWait({ id }: SiteWait, sites: number, slice: string): LinkKeyCommand {
  return ["SET", answerKey(id, slice), sites, "PX", SITE_WAIT_MS];
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
