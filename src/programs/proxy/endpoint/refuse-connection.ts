import type { Socket } from "node:net";
import type { Clock } from "#kit/base/clock";
import { replies } from "../protocol/replies.ts";
import { startTimer } from "../timing/timer.ts";

/** How long a refused client has to read why and to close, in milliseconds. */
const CLOSE_MS = 1_000;

/** Says that there are too many clients, and closes the connection, also when the client does not. */
export function refuseConnection(socket: Socket, clock: Clock): void {
  const cancel = startTimer(clock, CLOSE_MS, () => socket.destroy());
  socket.once("close", cancel);
  socket.on("error", () => undefined); // a close follows
  socket.resume(); // the end of the client comes only after what it has sent
  socket.end(replies.tooManyClients);
}
