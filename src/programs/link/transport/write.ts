import type { Socket } from "node:net";

/** Sends, and resolves when there is room for more, or the connection is closed. */
export async function writeTo(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.write(bytes) || socket.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    socket.on("drain", done);
    socket.on("close", done);
  });
}
