import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { until } from "#kit/testing/until";

/** What a server is expected to do with connections of strangers. */
export interface FloodedServer {
  readonly host: string;
  readonly port: number;
  /** How many one address may have. */
  readonly ofAddress: number;
  /** How long one that says nothing may stay, in milliseconds. */
  readonly silentMs: number;
  /** Asks something, from this address; resolves when the server has answered. */
  readonly ask: (localAddress: string) => Promise<unknown>;
}

const STRANGER = "127.0.0.9";
const CALLER = "127.0.0.8";
const MORE = 40;

/** Holds more connections than the server allows, which say nothing: others are served meanwhile, and all of these are ended. */
export async function survivesFlood({ host, port, ofAddress, silentMs, ask }: FloodedServer): Promise<void> {
  const opened = async (): Promise<Socket> => {
    const socket = connect({ host, port, localAddress: STRANGER }).on("error", () => undefined);
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
    return socket.resume();
  };
  const sockets = await Promise.all(Array.from({ length: ofAddress + MORE }, opened));
  const open = (): number => sockets.filter(({ destroyed }) => !destroyed).length;
  await until("those above the cap are ended", () => open() <= ofAddress);
  assert.equal(open(), ofAddress);
  await ask(CALLER);
  await until("the silent ones are ended", () => open() === 0, { withinMs: silentMs + 15_000, everyMs: 50 });
  await ask(STRANGER);
}
