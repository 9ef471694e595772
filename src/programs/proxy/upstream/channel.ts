import type { Buffer } from "node:buffer";

/** What happens on a channel, for the wire that uses it. */
export interface ChannelEvents {
  /** `bytes` up to `length`: for the duration of the call alone where the channel lends (see `Lending`), otherwise the owner may keep them. */
  data(bytes: Buffer, length: number): void;
  /** The peer will send nothing more. */
  end(): void;
  /** The connection is gone; called once. */
  closed(): void;
  /** The kernel has taken all that was queued. */
  drained(): void;
}

/** What became of bytes to be sent: the kernel has all of them, will take them later, or the connection has ended. */
export type Sent = "taken" | "queued" | "ended";

/**
 * Where bytes that were read lie. `shared`: in memory that all connections are read into, which must be copied to be kept. `own`: in memory that
 * this connection is read into again, which can be kept. `nothing`: in memory that is not read into again, so that they can be kept as they are.
 */
export type Lending = "shared" | "own" | "nothing";

/** Reads and writes one connection; it begins to read when it is made. */
export interface Channel {
  /** The channel speaks TLS: it keeps bytes to be sent a second time, encrypted. */
  readonly encrypts: boolean;
  /** Bytes that the kernel has not taken yet. */
  readonly queuedBytes: number;
  /** Sends `bytes`, in order. They must not change while they are queued: `taken` is called when they are queued no longer. */
  write(bytes: Buffer, taken: () => void): Sent;
  stopReading(): void;
  read(): void;
  /** Sends FIN behind what is queued, and goes on reading. */
  halfClose(): void;
  /** Ends the connection; what the kernel has not sent yet is still sent. */
  destroy(): void;
  /** Ends the connection; the kernel forgets what it has not sent yet, except with TLS. */
  reset(): void;
}
