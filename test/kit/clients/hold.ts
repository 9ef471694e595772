import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A way to an engine that can keep the answer to one request back while it counts how often the request comes. */
export interface Holder extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The engine executes the next request in which `choose` finds a mark, and its client gets no answer on that connection. */
  hold(choose: (request: string) => string | undefined): Promise<Held>;
}

/** A request whose answer is kept back. */
export interface Held {
  /** What the request was chosen for. */
  readonly mark: string;
  /** When it came, the first time too: milliseconds of `performance.now()`. */
  readonly cameAt: readonly number[];
}

interface Waiting {
  readonly choose: (request: string) => string | undefined;
  readonly done: PromiseWithResolvers<Held>;
}

/** Starts it before the engine. */
export async function startHolder(address: { readonly host: string; readonly port: number }): Promise<Holder> {
  const all = new Set<Socket>();
  let waiting: Waiting | undefined;
  let held: { readonly mark: string; readonly cameAt: number[] } | undefined;
  /** The answer to this request is to be kept back. */
  const isHeld = (request: string): boolean => {
    if (held !== undefined && request.includes(held.mark)) held.cameAt.push(performance.now());
    const mark = waiting?.choose(request);
    if (waiting === undefined || mark === undefined) return false;
    held = { mark, cameAt: [performance.now()] };
    waiting.done.resolve(held);
    waiting = undefined;
    return true;
  };
  const keep = (socket: Socket): void => {
    all.add(socket);
    socket.once("close", () => all.delete(socket)).on("error", () => socket.destroy());
  };
  const server = createServer({ noDelay: true }, (client) => {
    const engine = connect({ host: address.host, port: address.port, noDelay: true });
    keep(client);
    keep(engine);
    client.once("close", () => engine.destroy());
    engine.once("close", () => client.destroy()).pipe(client);
    client.on("data", (data: Buffer) => {
      if (isHeld(data.toString("latin1"))) engine.unpipe(client);
      engine.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: "127.0.0.1",
    port: portOf(server.address()),
    hold: (choose) => {
      const done = Promise.withResolvers<Held>();
      waiting = { choose, done };
      return done.promise;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function portOf(bound: AddressInfo | string | null): number {
  if (typeof bound !== "object" || bound === null) throw new Error("a server on a port has one");
  return bound.port;
}
