import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Served } from "./served.ts";

/** Clients of an endpoint that read nothing. */
export async function crowdOf({ endpoint: { listen } }: Pick<Served, "endpoint">, count: number, port = listen.port) {
  const sockets: Socket[] = Array.from({ length: count }, () => connect({ ...listen, port }));
  for (const socket of sockets) socket.on("error", () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) socket.pause();
  return { sockets, [Symbol.dispose]: () => void sockets.map((socket) => socket.destroy()) };
}
