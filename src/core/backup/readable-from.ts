/** An engine from which version on it reads a file. */
export interface ReadingEngine {
  readonly family: "redis" | "valkey";
  readonly version: string;
}

/**
 * The engines that read a file of this version of the format, as they say of themselves; none: this release does not know. An engine refuses a
 * later version than its own, and Valkey refuses those of Redis that it never had.
 */
export function readableFrom(rdb: number): readonly ReadingEngine[] {
  return READERS.find(({ upTo }) => rdb <= upTo)?.engines ?? [];
}

const READERS: readonly { readonly upTo: number; readonly engines: readonly ReadingEngine[] }[] = [
  { upTo: 9, engines: engines("6.0", "7.2") },
  { upTo: 10, engines: engines("7.0", "7.2") },
  { upTo: 11, engines: engines("7.2", "7.2") },
  { upTo: 12, engines: engines("7.4") },
];

function engines(redis: string, valkey?: string): readonly ReadingEngine[] {
  const ofRedis = [{ family: "redis", version: redis }] as const;
  return valkey === undefined ? ofRedis : [...ofRedis, { family: "valkey", version: valkey }];
}
