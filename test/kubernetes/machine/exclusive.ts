import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";

/**
 * Runs `work` while no other process of this machine runs one under the same name; waits for its turn. The lock is a socket
 * without a file, so it ends with the process that holds it, however that ends.
 */
export async function exclusively<T>(name: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  const path = `\0store-enterprise-${createHash("sha256").update(name).digest("hex")}`;
  let server = await tryToHold(path);
  if (server === undefined) onWait();
  while (server === undefined) {
    await untilReleased(path);
    server = await tryToHold(path);
  }
  try {
    return await work();
  } finally {
    server.close();
    for (const waiting of held.get(server) ?? []) waiting.destroy();
  }
}

const held = new WeakMap<Server, Set<{ destroy(): void }>>();

async function tryToHold(path: string): Promise<Server | undefined> {
  const waiting = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    waiting.add(socket);
    socket.on("error", () => undefined); // a process that waits may leave
    socket.on("close", () => waiting.delete(socket));
  });
  server.listen(path);
  try {
    await once(server, "listening");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return undefined;
    throw error;
  }
  held.set(server, waiting);
  return server;
}

/** The holder keeps the connection until it is done; being refused means the same. */
async function untilReleased(path: string): Promise<void> {
  const socket = connect(path);
  socket.on("error", () => undefined); // the lock was released just now
  socket.resume();
  await new Promise((resolve) => socket.once("close", resolve));
}
