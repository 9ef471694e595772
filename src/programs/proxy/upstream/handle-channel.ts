import { Socket } from "node:net";
import type { Channel, ChannelEvents, Lending, Sent } from "./channel.ts";
import { LentMemory, SHARED_MEMORY } from "./lent-memory.ts";

/** What libuv has for a connection, as Node.js 24 passes it to JavaScript: not documented (docs/decisions/0035). */
interface Handle {
  /** The memory that it returns is read into from now on. */
  onread: (memory: ArrayBuffer | undefined) => Uint8Array | undefined;
  useUserBuffer(memory: Uint8Array): void;
  readStart(): number;
  readStop(): number;
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number;
}

interface WriteRequest {
  oncomplete: (status: number) => void;
  /** Kept until the kernel has taken them. */
  buffer: Uint8Array | undefined;
}

interface StreamBinding {
  readonly WriteWrap: new () => WriteRequest;
  readonly streamBaseState: Int32Array;
  readonly kReadBytesOrError: number;
  readonly kArrayBufferOffset: number;
  readonly kLastWriteWasAsync: number;
}

/**
 * A plain TCP connection without the streams of Node.js: each read and each write is one call. The socket stays the owner of the
 * connection, and ends it.
 */
export class HandleChannel implements Channel {
  readonly encrypts = false;
  queuedBytes = 0;
  readonly #own: LentMemory | undefined;
  readonly #socket: Socket;
  readonly #handle: Handle;
  readonly #binding: StreamBinding;
  readonly #state: Int32Array;
  readonly #events: ChannelEvents;
  #peerEnded = false;
  #ended = false;
  #finished = false;

  /**
   * Undefined for a socket that is no plain TCP connection or has been read from already, and in a version of Node.js that this class is not
   * made for.
   */
  static of(socket: Socket, events: ChannelEvents, lends: Lending): HandleChannel | undefined {
    if (BINDING === undefined || socket.constructor !== Socket || socket.readableLength > 0) return undefined;
    const handle = (socket as unknown as { readonly _handle: unknown })._handle;
    return isHandle(handle) ? new HandleChannel(socket, handle, BINDING, events, lends) : undefined;
  }

  private constructor(socket: Socket, handle: Handle, binding: StreamBinding, events: ChannelEvents, lends: Lending) {
    this.#socket = socket;
    this.#handle = handle;
    this.#binding = binding;
    this.#state = binding.streamBaseState;
    this.#events = events;
    this.#own = lends === "own" ? new LentMemory() : undefined;
    // the close that follows an error is what counts
    socket.on("error", () => undefined);
    socket.once("finish", () => {
      this.#finished = true;
      if (this.#peerEnded) this.destroy();
    });
    socket.once("close", () => {
      this.#ended = true;
      events.closed();
    });
    socket.pause();
    handle.readStop();
    if (lends !== "nothing") handle.useUserBuffer(this.#own?.bytes ?? SHARED_MEMORY);
    handle.onread = (memory) => this.#onRead(memory);
    handle.readStart();
  }

  write(bytes: Buffer, taken: () => void): Sent {
    if (this.#ended || this.#socket.destroyed) return "ended";
    const request = (spare ??= new this.#binding.WriteWrap());
    if (this.#handle.writeBuffer(request, bytes) !== 0) {
      this.destroy();
      return "ended";
    }
    if (this.#state[this.#binding.kLastWriteWasAsync] === 0) return "taken";
    spare = undefined;
    request.buffer = bytes;
    request.oncomplete = (status) => {
      this.#onWritten(bytes.length, status, taken);
    };
    this.queuedBytes += bytes.length;
    return "queued";
  }

  stopReading(): void {
    if (!this.#socket.destroyed) this.#handle.readStop();
  }

  read(): void {
    if (!this.#socket.destroyed && !this.#peerEnded) this.#handle.readStart();
  }

  halfClose(): void {
    this.#ended = true;
    this.#socket.end();
  }

  destroy(): void {
    this.#ended = true;
    this.#socket.destroy();
  }

  reset(): void {
    this.#ended = true;
    this.#socket.resetAndDestroy();
  }

  #onRead(memory: ArrayBuffer | undefined): Uint8Array | undefined {
    const length = this.#state[this.#binding.kReadBytesOrError] ?? 0;
    if (length <= 0) {
      if (length === END) this.#end();
      else if (length < 0) this.destroy();
      return undefined;
    }
    if (memory !== undefined)
      this.#events.data(Buffer.from(memory, this.#state[this.#binding.kArrayBufferOffset], length), length);
    else this.#events.data(this.#own?.bytes ?? SHARED_MEMORY, length);
    return this.#own?.other;
  }

  #end(): void {
    this.#peerEnded = true;
    this.#handle.readStop();
    this.#events.end();
    if (this.#finished) this.destroy();
  }

  #onWritten(length: number, status: number, taken: () => void): void {
    if (this.#socket.destroyed) return;
    if (status < 0) {
      this.destroy();
      return;
    }
    this.queuedBytes -= length;
    taken();
    if (this.queuedBytes === 0) this.#events.drained();
  }
}

/** libuv's number for the end of what the peer sends. */
const END = -4095;
/** Used again for each write that the kernel takes at once. */
let spare: WriteRequest | undefined;

const BINDING = streamBinding();

/** Undefined in a version of Node.js other than those that this was tested with, or without what it needs. */
function streamBinding(): StreamBinding | undefined {
  if (!/^24\./.test(process.versions.node) || process.env.STORE_PROXY_SOCKETS === "documented") return undefined;
  const { binding } = process as unknown as { readonly binding?: (name: string) => Partial<StreamBinding> };
  const found = binding?.("stream_wrap") ?? {};
  const isWhole =
    typeof found.WriteWrap === "function" &&
    found.streamBaseState instanceof Int32Array &&
    [found.kReadBytesOrError, found.kArrayBufferOffset, found.kLastWriteWasAsync].every(Number.isInteger);
  return isWhole ? (found as StreamBinding) : undefined;
}

function isHandle(value: unknown): value is Handle {
  const names = ["useUserBuffer", "readStart", "readStop", "writeBuffer"] as const;
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof (value as Partial<Handle>)[name] === "function")
  );
}
