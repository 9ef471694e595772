// Clients of another database, which ask at a fixed pace and say how long that took.
import { setTimeout as sleep } from "node:timers/promises";
import { RawClient } from "../../test/kit/engines/raw-client.ts";
import { obey, ownTask, type Target } from "../helper/process.ts";

/** What the clients of the other database have seen since they were asked last, in milliseconds. */
export interface Latency {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const CLIENTS = 4;
const EACH_MS = 4;

const target = ownTask<Target>();
let all: number[] = [];

for (let i = 0; i < CLIENTS; i++) void askAgainAndAgain();

obey<"report", Latency>(() => {
  const sorted = all.toSorted((one, other) => one - other);
  all = [];
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { requests: sorted.length, p50: at(0.5), p99: at(0.99), most: sorted.at(-1) ?? Number.NaN };
});

async function askAgainAndAgain(): Promise<void> {
  const { authority: ca } = target;
  const client =
    ca === undefined ? await RawClient.connect(target) : await RawClient.connectTls(target, { ca, servername: "db" });
  for (let i = 0; ; i++) {
    const began = performance.now();
    await (i % 2 === 0 ? client.ask("SET", "key", "x".repeat(64)) : client.ask("GET", "key"));
    const tookMs = performance.now() - began;
    // those that had been due before the reply waited, too
    for (let waited = tookMs; waited > 0; waited -= EACH_MS) all.push(waited);
    await sleep(Math.max(0, EACH_MS - tookMs));
  }
}
