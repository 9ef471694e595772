import type { ClientIdentity } from "../client/identity.ts";
import type { ListenerState } from "../pinned/listener-state.ts";
import type { TrackingOptions } from "../pinned/tracking-options.ts";
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
          readonly work: { readonly isBlocked: boolean };
          readonly state: {
            readonly subscriptions: { readonly counts: SubscriptionCounts };
            readonly monitoring: boolean;
            readonly tracking: Pick<TrackingOptions, "isOn" | "isBroadcast" | "isBroken" | "redirect">;
            readonly queuedRequests: readonly unknown[] | undefined;
            readonly watchedKeys: number;
            readonly keptBytes: number;
          };
          unblock(how: "TIMEOUT" | "ERROR"): Promise<boolean>;
        }
      | undefined;
    /** What a client of several shards has subscribed to. */
    readonly listeners:
      | {
          readonly state: Pick<ListenerState, "isMonitoring" | "tracking"> & {
            readonly subscriptions: { readonly counts: SubscriptionCounts };
          };
          unblock(how: "TIMEOUT" | "ERROR"): Promise<boolean>;
        }
      | undefined;
  };
  /** What other clients redirect to it. */
  readonly invalidations: {
    /** The engine's CLIENT ID of the connection that takes them at that run of the primary; 0 when the client is gone. */
    open(engine: string, isMoved: boolean): Promise<number>;
  };
  readonly output: {
    /** What waits until the client reads it. */
    readonly queuedBytes: number;
  };
  readonly life: {
    /** Ends at the next boundary between requests. */
    finish(): void;
    /** Ends at once. */
    destroy(): void;
  };
}

/**
 * One line of CLIENT LIST, with the fields of engines in their order. `now` is the uptime. What only an engine has, its file
 * and its buffers of requests, is 0.
 */
export function describe(client: ListedClient, now: number): string {
  const { id, address, localAddress, name, settings, user, library, since, lastAt, lastCommand } = client.identity;
  const { channels, patterns, sharded } = countsOf(client.pinned);
  const { state, inTransaction = false } = client.pinned.current ?? {};
  const [kept, output] = [state?.keptBytes ?? 0, client.output.queuedBytes];
  const queued = inTransaction ? (state?.queuedRequests?.length ?? 0) : -1;
  const { tracking } = client.pinned.listeners?.state ?? state ?? {};
  const redirect = tracking?.isOn === true ? (tracking.redirect ?? 0) : -1;
  const command = lastCommand === "" ? "NULL" : lastCommand.toLowerCase();
  return (
    `id=${id} addr=${address} laddr=${localAddress} fd=0 name=${name.toString("latin1")} age=${seconds(now - since)} ` +
    `idle=${seconds(now - lastAt)} flags=${flagsOf(client)} db=${settings.database} sub=${channels} psub=${patterns} ` +
    `ssub=${sharded} multi=${queued} watch=${state?.watchedKeys ?? 0} qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=${kept} ` +
    `rbs=0 rbp=0 obl=0 oll=${output > 0 ? 1 : 0} omem=${output} tot-mem=${kept + output} ` +
    `events=${output > 0 ? "rw" : "r"} cmd=${command} user=${user?.name.toString("latin1") ?? "default"} ` +
    `redir=${redirect} resp=${settings.protocol} lib-name=${library.name} lib-ver=${library.version}\n`
  );
}

function seconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000));
}

function flagsOf({ pinned }: ListedClient): string {
  const { current, listeners } = pinned;
  const state = listeners?.state ?? current?.state;
  const flags = [
    (listeners?.state.isMonitoring ?? current?.state.monitoring) === true ? "O" : "",
    isSubscriber(pinned) ? "P" : "",
    current?.inTransaction === true ? "x" : "",
    current?.work.isBlocked === true ? "b" : "",
    state?.tracking.isOn === true ? "t" : "",
    state?.tracking.isBroken === true ? "R" : "",
    state?.tracking.isBroadcast === true ? "B" : "",
  ];
  return flags.join("") || "N";
}

/** Decides which clients CLIENT LIST or CLIENT KILL means. `now` is the uptime. */
export type ClientFilter = (client: ListedClient, now: number) => boolean;

/** The filter `name value` of CLIENT LIST and KILL, but for ID; undefined when no engine has such a filter, and an engine's error for a wrong value. */
export function filterOf(name: string, value: Buffer): ClientFilter | Buffer | undefined {
  const text = value.toString("latin1");
  switch (name) {
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

function olderThan(seconds: bigint | undefined): ClientFilter | Buffer {
  if (seconds === undefined) return errorReply("ERR maxage is not an integer or out of range");
  if (seconds <= 0n) return errorReply("ERR maxage should be greater than 0");
  return ({ identity }, now) => (now - identity.since) / 1000 >= Number(seconds);
}

/** Replicas and primaries are no clients of an endpoint. */
function ofType(type: string): ClientFilter | undefined {
  switch (type) {
    case "NORMAL":
      return ({ pinned }) => !isSubscriber(pinned);
    case "PUBSUB":
      return ({ pinned }) => isSubscriber(pinned);
    case "MASTER":
    case "PRIMARY":
    case "REPLICA":
    case "SLAVE":
      return () => false;
    default:
      return undefined;
  }
}

function isSubscriber(pinned: ListedClient["pinned"]): boolean {
  const { channels, patterns, sharded } = countsOf(pinned);
  return channels + patterns + sharded > 0;
}

/** How many channels and patterns a client has subscribed to. */
export function countsOf({ current, listeners }: ListedClient["pinned"]): SubscriptionCounts {
  const { subscriptions } = listeners?.state ?? current?.state ?? {};
  return subscriptions?.counts ?? { channels: 0, patterns: 0, sharded: 0 };
}
