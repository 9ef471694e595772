import type { RawClient } from "./raw-client.ts";

/** SET of a value that comes in pieces. */
export class SlowUpload {
  readonly #client: RawClient | undefined;
  #left: number;

  constructor(client: RawClient | undefined, key: string, bytes: number) {
    this.#client = client;
    this.#left = bytes;
    client?.write(`*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$${bytes}\r\n`);
  }

  send(bytes: number): void {
    this.#left -= bytes;
    this.#client?.write(Buffer.alloc(bytes, "u"));
  }

  finish(): void {
    this.send(this.#left);
    this.#client?.write("\r\n");
  }
}
