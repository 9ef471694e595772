// In the place of a proxy, a server without anything that a proxy is for: it answers the clients of crowds itself, and passes on what
// those of the other database say, as it comes.
import { connect, createServer as createPlainServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Address } from "../../src/ports/management/proxy-control.ts";
import { encodeCommand } from "../../src/ports/resp/encode.ts";
import { obey, ownTask } from "../helper/process.ts";

/** Where the stand-in listens, and what it does there. */
export interface StandInTask {
  readonly crowds: readonly { readonly listen: Address; readonly key: string; readonly bytes: number }[];
  readonly tenant: { readonly listen: Address; readonly engine: Address };
  readonly shown?: { readonly cert: string; readonly key: string };
}

/** As a proxy has. */
const BACKLOG = 4096;
const { crowds, tenant, shown } = ownTask<StandInTask>();

await Promise.all([
  ...crowds.map(({ listen, key, bytes }) => {
    const requestBytes = encodeCommand(["GET", key]).length;
    const reply = Buffer.from(`$${bytes}\r\n${"x".repeat(bytes)}\r\n`);
    return serve(listen, (socket) => answer(socket, requestBytes, reply));
  }),
  serve(tenant.listen, passOn),
]);
obey<"listen", boolean>(() => true);

function serve({ host, port }: Address, take: (socket: Socket) => void): Promise<void> {
  const each = (socket: Socket): void => {
    socket.setNoDelay(true).on("error", () => undefined); // a close follows
    take(socket);
  };
  const server: Server = shown === undefined ? createPlainServer(each) : createTlsServer(shown, each);
  return new Promise((resolve) => server.listen({ host, port, backlog: BACKLOG }, resolve));
}

/** All that they send is the same request, again and again. */
function answer(socket: Socket, requestBytes: number, reply: Buffer): void {
  let arrived = 0;
  socket.on("data", ({ length }) => {
    for (arrived += length; arrived >= requestBytes; arrived -= requestBytes) socket.write(reply);
  });
}

function passOn(socket: Socket): void {
  const engine = connect({ ...tenant.engine, noDelay: true });
  engine.on("error", () => socket.destroy());
  socket.pipe(engine).pipe(socket);
}
