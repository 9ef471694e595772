import type { ClientIdentity } from "../client/identity.ts";
import { keyword } from "../protocol/arguments.ts";
import { integerIn } from "../protocol/integers.ts";
import { errorReply } from "../protocol/replies.ts";
import type { SubscriptionCounts } from "../protocol/subscriptions.ts";

/** A client of an endpoint, as CLIENT LIST, KILL and UNBLOCK see it. */
export interface ListedClient {
  readonly identity: ClientIdentity;
  readonly pinned: {
    readonly current:
      | {
          readonly inTransaction: boolean;
          readonly state: {
            readonly subscriptions: { readonly counts: SubscriptionCounts };
            readonly monitoring: boolean;
          };
          unblock(how: "TIMEOUT" | "ERROR"): Promise<boolean>;
        }
      | undefined;
  };
  /** Ends at the next boundary between requests. */
  finish(): void;
  /** Ends at once. */
  destroy(): void;
}

/** One line of CLIENT LIST, with the fields that the proxy knows, in the order of engines. `now` is the uptime. */
export function describe({ identity, pinned }: ListedClient, now: number): string {
  const { id, address, localAddress, name, settings, user, library, since } = identity;
  const { channels, patterns, sharded } = countsOf(pinned.current);
  const monitors = pinned.current?.state.monitoring === true;
  const flags = monitors
    ? "O"
    : isSubscriber(pinned.current)
      ? "P"
      : pinned.current?.inTransaction === true
        ? "x"
        : "N";
  return (
    `id=${id} addr=${address} laddr=${localAddress} name=${name.toString("latin1")} ` +
    `age=${Math.floor((now - since) / 1000)} flags=${flags} db=${settings.database} sub=${channels} psub=${patterns} ` +
    `ssub=${sharded} user=${user?.name.toString("latin1") ?? "default"} resp=${settings.protocol} ` +
    `lib-name=${library.name} lib-ver=${library.version}\n`
  );
}

/** Decides which clients CLIENT LIST or CLIENT KILL means. `now` is the uptime. */
export type ClientFilter = (client: ListedClient, now: number) => boolean;

/** The filter `name value` of CLIENT KILL; undefined when no engine has such a filter, and an engine's error for a wrong value. */
export function filterOf(name: string, value: Buffer): ClientFilter | Buffer | undefined {
  const text = value.toString("latin1");
  switch (name) {
    case "ID":
      return withId(integerIn(text));
    case "ADDR":
      return ({ identity }) => identity.address === text;
    case "LADDR":
      return ({ identity }) => identity.localAddress === text;
    case "USER":
      return ({ identity }) => (identity.user?.name.toString("latin1") ?? "default") === text;
    case "MAXAGE":
      return olderThan(integerIn(text));
    case "TYPE":
      return ofType(keyword(value)) ?? errorReply(`ERR Unknown client type '${text}'`);
    default:
      return undefined;
  }
}

function withId(id: bigint | undefined): ClientFilter | Buffer {
  if (id === undefined || id <= 0n) return errorReply("ERR client-id should be greater than 0");
  return ({ identity }) => BigInt(identity.id) === id;
}

function olderThan(seconds: bigint | undefined): ClientFilter | Buffer {
  if (seconds === undefined) return errorReply("ERR maxage is not an integer or out of range");
  if (seconds <= 0n) return errorReply("ERR maxage should be greater than 0");
  return ({ identity }, now) => (now - identity.since) / 1000 >= Number(seconds);
}

/** Replicas and primaries are no clients of an endpoint. */
function ofType(type: string): ClientFilter | undefined {
  switch (type) {
    case "NORMAL":
      return ({ pinned }) => !isSubscriber(pinned.current);
    case "PUBSUB":
      return ({ pinned }) => isSubscriber(pinned.current);
    case "MASTER":
    case "PRIMARY":
    case "REPLICA":
    case "SLAVE":
      return () => false;
    default:
      return undefined;
  }
}

function isSubscriber(current: ListedClient["pinned"]["current"]): boolean {
  const { channels, patterns, sharded } = countsOf(current);
  return channels + patterns + sharded > 0;
}

function countsOf(current: ListedClient["pinned"]["current"]): SubscriptionCounts {
  return current?.state.subscriptions.counts ?? { channels: 0, patterns: 0, sharded: 0 };
}
