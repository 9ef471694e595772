/** A way to subscribe, and to publish for it. */
export interface Way {
  readonly subscribe: string;
  readonly unsubscribe: string;
  readonly publish: string;
  /** The first word of its messages. */
  readonly message: string;
  /** What is subscribed to, for keys and channels that begin with `name`. */
  subscription(name: string): string;
  channel(name: string): string;
}

const all = (name: string): string => `${name}:all`;
const shard = (name: string): string => `${name}:shard`;

/** All ways. */
export const WAYS: readonly [Way, Way, Way] = [
  {
    subscribe: "SUBSCRIBE",
    unsubscribe: "UNSUBSCRIBE",
    publish: "PUBLISH",
    message: "message",
    subscription: all,
    channel: all,
  },
  {
    subscribe: "PSUBSCRIBE",
    unsubscribe: "PUNSUBSCRIBE",
    publish: "PUBLISH",
    message: "pmessage",
    subscription: (name) => `${name}:*`,
    channel: all,
  },
  {
    subscribe: "SSUBSCRIBE",
    unsubscribe: "SUNSUBSCRIBE",
    publish: "SPUBLISH",
    message: "smessage",
    subscription: shard,
    channel: shard,
  },
];
