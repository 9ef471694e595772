/** Which keys an engine takes when its memory is full, as the database says it. */
export type EvictionPolicy = (typeof EVICTION_POLICIES)[number];

/** Every policy. */
export const EVICTION_POLICIES = [
  "noeviction",
  "allkeys-lru",
  "allkeys-lfu",
  "allkeys-random",
  "volatile-lru",
  "volatile-lfu",
  "volatile-random",
  "volatile-ttl",
] as const;

/** The error of a write for which there is no memory. */
export const OUT_OF_MEMORY = /^OOM command not allowed when used memory > 'maxmemory'/;

/** What a policy takes: every key, those that have a time, or none. Undefined: the memory is never full. */
export function mayEvict(policy: EvictionPolicy | undefined, hasTime: boolean): boolean {
  if (policy === undefined || policy === "noeviction") return false;
  return hasTime || policy.startsWith("allkeys-");
}

/** A write may be refused where no key is left that may be taken; what only reads, takes away or gives a time never is. */
export function mayRefuse(policy: EvictionPolicy | undefined, command: string): boolean {
  return policy !== undefined && !policy.startsWith("allkeys-") && TAKES_MEMORY.has(command);
}

const TAKES_MEMORY: ReadonlySet<string> = new Set([
  ...["SET", "APPEND", "INCRBY", "HSET", "HINCRBY", "RPUSH", "LSET", "SADD", "ZADD", "ZINCRBY", "XADD"],
]);
