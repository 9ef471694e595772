// Clients of a crowd: a program of its own, so that its work is not that of those who measure.
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { encodeCommand } from "../../src/ports/resp/encode.ts";
import { obey, ownTask, type Target } from "../helper/process.ts";

/** What the clients of a crowd do. */
export interface CrowdTask {
  readonly target: Target;
  readonly from: string;
  readonly count: number;
  /** Every so many of them asks, as often as is said, for the value of this key. */
  readonly asks: { readonly each: number; readonly times: number; readonly key: string };
  /** So much is read of the replies each second. */
  readonly readBytes: number;
}

export type CrowdOrder = "connect" | "ask";

const AT_ONCE = 64;
/** They do not all ask at the same moment. */
const ASK_MS = 5_000;
/** Nor do they read at the same moment of each second. */
const READ_TICKS = 100;

const { target, from, count, asks, readBytes } = ownTask<CrowdTask>();
const sockets: Socket[] = [];

obey<CrowdOrder, number>(async (order) => {
  if (order === "connect") await Promise.all(Array.from({ length: AT_ONCE }, connectNext));
  else await ask();
  return sockets.filter(({ destroyed }) => !destroyed).length;
});

let begun = 0;

async function connectNext(): Promise<void> {
  while (begun++ < count) {
    const socket = dial().on("error", () => undefined);
    const through = target.authority === undefined ? "connect" : "secureConnect";
    await Promise.race([once(socket, through), once(socket, "close")]).catch(() => undefined);
    socket.pause();
    sockets.push(socket);
  }
}

function dial(): Socket {
  const options = { host: target.host, port: target.port, localAddress: from };
  if (target.authority === undefined) return connectPlain(options);
  return connectTls({ socket: connectPlain(options), ca: target.authority, servername: "db" });
}

async function ask(): Promise<void> {
  const request = encodeCommand(["GET", asks.key]);
  const requests = Buffer.concat(Array.from({ length: asks.times }, () => request));
  const asking = sockets.filter((_, index) => index % asks.each === 0);
  const began = performance.now();
  for (const [index, socket] of asking.entries()) {
    const earlyMs = (ASK_MS * index) / asking.length - (performance.now() - began);
    if (earlyMs > 0) await sleep(earlyMs);
    socket.write(requests);
  }
  let tick = 0;
  setInterval(() => {
    for (let at = tick++ % READ_TICKS; at < sockets.length; at += READ_TICKS) sockets[at]?.read(readBytes);
  }, 1000 / READ_TICKS);
}
