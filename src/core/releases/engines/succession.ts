import { compareVersionText, parseVersion } from "#kit/base/version";
import { engineText } from "./engines.ts";
import type { EngineIdentity } from "./engines.ts";

/** Whether an engine may take over from another, with the reason as a sentence. */
export interface Succession {
  readonly allowed: boolean;
  readonly reason: string;
}

type Rule = (from: EngineIdentity, to: EngineIdentity) => Succession | undefined;

/**
 * Whether `to` may replicate from `from` and then take over. The rules restate what was measured by full sync, stream and
 * digest between every pair; a pair that no rule covers is refused.
 */
export function mayFollow(from: EngineIdentity, to: EngineIdentity): Succession {
  for (const rule of RULES) {
    const verdict = rule(from, to);
    if (verdict !== undefined) return verdict;
  }
  return refuseSuccession(`no replication from ${engineText(from)} to ${engineText(to)} has been measured`);
}

const neverToAnOlderOne: Rule = (from, to) => {
  if (from.family !== to.family) return undefined;
  return order(from, to) > 0
    ? refuseSuccession(`${engineText(to)} is older than ${engineText(from)}`)
    : allowSuccession(`${engineText(to)} loads what ${engineText(from)} writes: same family, not older`);
};

const fromRedis70ToAnything: Rule = (from, to) =>
  from.family === "redis" && isBefore(from, 7, 1)
    ? allowSuccession(`every engine after it loads what ${engineText(from)} writes, and so does ${engineText(to)}`)
    : undefined;

const fromRedis72ToItsForks: Rule = (from, to) =>
  from.family === "redis" && isBefore(from, 7, 3)
    ? allowSuccession(`${engineText(to)} descends from redis 7.2 and loads what ${engineText(from)} writes`)
    : undefined;

const neverFromNewRedisToAFork: Rule = (from, to) =>
  from.family === "redis"
    ? refuseSuccession(`${engineText(to)} cannot load the data format that ${engineText(from)} writes (RDB 12)`)
    : undefined;

const neverBackToRedis7: Rule = (from, to) =>
  to.family === "redis" && isBefore(to, 8, 0)
    ? refuseSuccession(`${engineText(to)} cannot load the data format that ${engineText(from)} writes`)
    : undefined;

const fromRedictToRedis8: Rule = (from, to) => {
  if (from.family !== "redict") return undefined;
  return to.family === "redis"
    ? allowSuccession(`${engineText(to)} loads what ${engineText(from)} writes`)
    : refuseSuccession(`${engineText(to)} cannot load the data format that ${engineText(from)} writes (RDB 12)`);
};

const fromValkey8ToRedis8AndRedict: Rule = (from, to) => {
  if (from.family !== "valkey") return undefined;
  return isBefore(from, 9, 0)
    ? allowSuccession(`${engineText(to)} loads what ${engineText(from)} writes (RDB 11)`)
    : refuseSuccession(`${engineText(from)} refuses to feed ${engineText(to)} once a hash field has a time to live`);
};

const RULES: readonly Rule[] = [
  neverToAnOlderOne,
  fromRedis70ToAnything,
  fromRedis72ToItsForks,
  neverFromNewRedisToAFork,
  neverBackToRedis7,
  fromRedictToRedis8,
  fromValkey8ToRedis8AndRedict,
];

function allowSuccession(reason: string): Succession {
  return { allowed: true, reason };
}

function refuseSuccession(reason: string): Succession {
  return { allowed: false, reason };
}

function order(a: EngineIdentity, b: EngineIdentity): number {
  return compareVersionText(a.version, b.version) ?? 0;
}

function isBefore(engine: EngineIdentity, major: number, minor: number): boolean {
  const version = parseVersion(engine.version);
  return version !== undefined && (version.major < major || (version.major === major && version.minor < minor));
}
