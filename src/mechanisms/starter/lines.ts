import type { Socket } from "node:net";
import { LONGEST_STARTER_MESSAGE } from "../../core/api/starter-messages.ts";

/** Calls `onLine` with each line that comes; the connection is ended when a line is too long, or `onLine` says that it is wrong. */
export function readLines(socket: Socket, onLine: (line: string) => boolean): void {
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    const isRight = [...lines, rest].every(({ length }) => length <= LONGEST_STARTER_MESSAGE) && lines.every(onLine);
    if (!isRight) socket.destroy(new Error("the other side says what is no message"));
  });
}

/** Sends a message as a line; nothing happens on a connection that has ended. */
export function writeLine(socket: Socket | undefined, message: object): void {
  if (socket?.writable === true) socket.write(`${JSON.stringify(message)}\n`);
}
