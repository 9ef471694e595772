import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { FrameScanner, INCOMPLETE } from "../../../src/ports/resp/frame-scanner.ts";

/** What an engine answers to a request. */
type EngineAnswer = (args: readonly string[]) => string | Promise<string>;

/** An engine that answers what a test says. */
export class ScriptedEngine {
  answer: EngineAnswer = () => "+OK\r\n";
  readonly host = "127.0.0.1";
  port = 0;
  readonly #sockets = new Set<Socket>();
  /** They have said HELLO. */
  readonly #ofClients = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#serve(socket);
  });

  static async start(): Promise<ScriptedEngine> {
    const engine = new ScriptedEngine();
    engine.#server.listen(0, engine.host);
    await once(engine.#server, "listening");
    engine.port = (engine.#server.address() as AddressInfo).port;
    return engine;
  }

  /** Ends the connections that carry requests of clients; new ones are taken. */
  cut(): void {
    for (const socket of this.#ofClients) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined); // the proxy ends connections in the middle of a reply
    const scanner = new FrameScanner({ maxFrameBytes: 2 ** 20 });
    let kept = Buffer.alloc(0);
    let answered = Promise.resolve();
    socket.on("data", (bytes: Buffer) => {
      kept = Buffer.concat([kept, bytes]);
      let at = 0;
      for (let past = 0; (past = scanner.next(kept, at, kept.length)) !== INCOMPLETE; at = past)
        answered = this.#answerBehind(answered, socket, wordsOf(kept.subarray(at, past)));
      kept = kept.subarray(at);
    });
  }

  /** Replies are in the order of requests, whenever a test gives them. */
  async #answerBehind(earlier: Promise<void>, socket: Socket, args: readonly string[]): Promise<void> {
    const answer = args[0] === "HELLO" ? "%1\r\n$2\r\nid\r\n:7\r\n" : this.answer(args);
    if (args[0] === "HELLO") this.#ofClients.add(socket);
    await earlier;
    socket.write(await answer);
  }
}

/** The arguments of a request, which have no line breaks. */
function wordsOf(request: Buffer): readonly string[] {
  return request
    .toString("latin1")
    .split("\r\n")
    .slice(1)
    .filter((_, place) => place % 2 === 1);
}
