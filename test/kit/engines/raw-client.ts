import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls, TLSSocket, type ConnectionOptions } from "node:tls";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import { ReplyDecoder } from "../../../src/ports/resp/reply-decoder.ts";
import { encodeCommand } from "../../../src/ports/resp/encode.ts";
import type { Arg } from "../../../src/ports/resp/encode.ts";
import { ReplyError } from "../../../src/ports/resp/reply.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";

/** The types of Node.js lack the second part. */
type TlsOptions = ConnectionOptions & { readonly allowHalfOpen: boolean };

/** A client that shows every frame as it comes: errors as `ReplyError`, messages among the replies. */
export class RawClient {
  readonly #socket: Socket;
  readonly #arrived: Reply[] = [];
  readonly #readers: ((reply: Reply | undefined) => void)[] = [];
  #over = false;
  /** True once the peer has sent FIN or the connection broke. */
  get over(): boolean {
    return this.#over;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    const decoder = new ReplyDecoder();
    const end = (): void => {
      this.#over = true;
      for (const reader of this.#readers.splice(0)) reader(undefined);
    };
    socket.on("error", () => undefined); // the close that follows is what counts
    socket.once("end", end);
    socket.once("close", end);
    socket.on("data", (bytes: Buffer) => {
      for (const reply of decoder.push(bytes)) {
        const reader = this.#readers.shift();
        if (reader === undefined) this.#arrived.push(reply);
        else reader(reply);
      }
    });
  }

  static async connect({ host, port }: Address): Promise<RawClient> {
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true });
    await once(socket, "connect");
    return new RawClient(socket);
  }

  /** Through a TLS handshake; rejects with the reason when there is none. */
  static async connectTls({ host, port }: Address, options: ConnectionOptions): Promise<RawClient> {
    const halfOpen: TlsOptions = { host, port, allowHalfOpen: true, ...options };
    const socket = connectTls(halfOpen);
    await once(socket, "secureConnect");
    return new RawClient(socket);
  }

  /** The certificate of the other side; undefined without TLS. */
  get certificate(): string | undefined {
    return this.#socket instanceof TLSSocket ? this.#socket.getPeerX509Certificate()?.toString() : undefined;
  }

  send(...args: readonly Arg[]): void {
    this.write(encodeCommand(args));
  }

  /** Sends requests in one piece, so that the other side has all of them before it answers one. */
  sendTogether(requests: readonly (readonly Arg[])[]): void {
    this.write(Buffer.concat(requests.map((args) => encodeCommand(args))));
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** The next frame; undefined when the connection is over. */
  read(): Promise<Reply | undefined> {
    const reply = this.#arrived.shift();
    if (reply !== undefined) return Promise.resolve(reply);
    if (this.#over) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  async readMany(count: number): Promise<(Reply | undefined)[]> {
    const replies: (Reply | undefined)[] = [];
    for (let i = 0; i < count; i++) replies.push(await this.read());
    return replies;
  }

  /** Sends, and gives the next frame; an error as its text. */
  async ask(...args: readonly Arg[]): Promise<Reply | undefined> {
    this.send(...args);
    return plain(await this.read());
  }

  /** Frames that have arrived and were not read. */
  get unread(): readonly Reply[] {
    return this.#arrived;
  }

  /** Reads nothing any more. */
  pause(): void {
    this.#socket.pause();
  }

  end(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Ends the connection as a client does that has crashed: with RST. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }
}

/** Errors as text, so that a whole list of replies can be compared. */
export function plain(reply: Reply | undefined): Reply | undefined {
  return reply instanceof ReplyError ? `-${reply.message}` : reply;
}
