import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "#kit/base/fault";
import type { EngineClient } from "../../../src/ports/resp/engine-client.ts";
import type { TestEngine } from "../engines/engine.ts";
import { seededDice } from "../world/chaos.ts";
import { requestOf } from "./requests.ts";
import type { Session, SiteWrite } from "./writes.ts";

/** The primary of a site, and how many replicas have to have what is acknowledged. */
export interface SitePrimary {
  readonly engine: TestEngine;
  readonly confirmedBy: number;
}

/** A client of one site. */
export interface SiteClient {
  readonly session: Session;
  /** Requests that the engine has executed, or may have. */
  readonly requests: () => number;
  /** Ends it when its last request is answered. */
  finish(): Promise<void>;
}

export interface SiteClientOptions {
  readonly site: number;
  readonly primary: () => SitePrimary;
  readonly seed: number;
  /** Requests a second, as far as the site takes them; undefined: a dozen at a time, with a pause. */
  readonly rate: number | undefined;
}

const BATCH = 12;
/** More is not sent at once: what was due while there was no primary is left out. */
const MOST = 500;
const PAUSE_MS = 5;
const AGAIN_MS = 10;
const WAIT_MS = 1_000;

/** Writes in batches of every type, each acknowledged when the replicas that may take over have it; connects to the next primary when one is gone. */
export function startSiteClient({ site, primary, seed, rate }: SiteClientOptions): SiteClient {
  const session: SiteWrite[] = [];
  const dice = seededDice(seed * 31 + site);
  let [number, isOver, count] = [0, false, 0];
  const batch = async (client: EngineClient, { engine, confirmedBy }: SitePrimary, size: number): Promise<boolean> => {
    const began = performance.now();
    const requests = Array.from({ length: size }, () => requestOf(site, (number += 1), dice));
    const commands = [...requests.flatMap((request) => request.commands), ["WAIT", confirmedBy, WAIT_MS]];
    const outcomes = await client.callAll(commands, "utf8").catch(() => undefined); // the connection has ended: whether they were executed is not known
    const ended = performance.now();
    const isAlone = primary().engine === engine && primary().confirmedBy === 0;
    // a replica that has come meanwhile may take over without what was sent before it had to have it
    const isConfirmed = Number(outcomes?.at(-1)) >= confirmedBy && (confirmedBy > 0 || isAlone);
    let [at, refused] = [0, 0];
    for (const [index, request] of requests.entries()) {
      const replies = outcomes?.slice(at, (at += request.commands.length)) ?? [];
      // an engine that answers with an error has executed nothing
      const isRefused = replies.some((reply) => reply instanceof Fault);
      if (isRefused) refused += 1;
      const written = isRefused ? undefined : request.written(replies);
      if (written === undefined) continue;
      const outcome = isConfirmed ? "acknowledged" : "unknown";
      session.push({ number: number - size + 1 + index, began, ended, written, outcome });
    }
    count += size - refused;
    return isConfirmed && refused === 0;
  };
  const run = async (): Promise<void> => {
    while (!isOver) {
      const { engine, confirmedBy } = primary();
      const client = await engine.connect().catch(() => undefined); // killed: another one takes over
      const due = dueAt(rate);
      while (client !== undefined && !isOver && primary().engine === engine && (await batch(client, primary(), due())))
        await sleep(PAUSE_MS);
      client?.close();
      await sleep(confirmedBy === 0 ? PAUSE_MS : AGAIN_MS);
    }
  };
  const running = run();
  running.catch(() => undefined); // `finish` has it
  return {
    session,
    requests: () => count,
    finish: async () => {
      isOver = true;
      await running;
    },
  };
}

/** How many requests are due since the last time. */
function dueAt(rate: number | undefined): () => number {
  if (rate === undefined) return () => BATCH;
  let last = performance.now();
  return () => {
    const now = performance.now();
    const due = Math.floor(((now - last) / 1_000) * rate);
    last += (due / rate) * 1_000;
    return Math.max(1, Math.min(MOST, due));
  };
}
