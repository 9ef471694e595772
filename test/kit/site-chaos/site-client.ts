import { setTimeout as sleep } from "node:timers/promises";
import { engineCodeOf, type EngineClient } from "../../../src/ports/resp/engine-client.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import type { TestEngine } from "../engines/engine.ts";
import { seededDice } from "../world/chaos.ts";
import { requestOf, type SiteRequest } from "./requests.ts";
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

const BATCH = 12;
const PAUSE_MS = 5;
const AGAIN_MS = 10;
const WAIT_MS = 1_000;

/** Writes in batches of every type, each acknowledged when the replicas that may take over have it; connects to the next primary when one is gone. */
export function startSiteClient(site: number, primary: () => SitePrimary, seed: number): SiteClient {
  const session: SiteWrite[] = [];
  const dice = seededDice(seed * 31 + site);
  let [number, isOver, count] = [0, false, 0];
  const batch = async (client: EngineClient, confirmedBy: number): Promise<boolean> => {
    const began = performance.now();
    const sent = Array.from({ length: BATCH }, () => sentBy(client, requestOf(site, (number += 1), dice), number));
    const confirmed = client.call("WAIT", confirmedBy, WAIT_MS).then(
      (replicas) => Number(replicas) >= confirmedBy,
      () => false,
    );
    const outcomes = await Promise.all(sent);
    const isConfirmed = await confirmed;
    const ended = performance.now();
    for (const { outcome, written, number: place } of outcomes) {
      if (outcome !== "refused") count += 1;
      if (outcome === "refused" || written === undefined) continue;
      session.push({ number: place, began, ended, written, outcome: isConfirmed ? outcome : "unknown" });
    }
    return isConfirmed && outcomes.every(({ outcome }) => outcome === "acknowledged");
  };
  const run = async (): Promise<void> => {
    while (!isOver) {
      const { engine, confirmedBy } = primary();
      const client = await engine.connect().catch(() => undefined); // killed: another one takes over
      while (
        client !== undefined &&
        !isOver &&
        primary().engine === engine &&
        (await batch(client, primary().confirmedBy))
      )
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

interface Sent {
  readonly number: number;
  readonly outcome: SiteWrite["outcome"] | "refused";
  readonly written: SiteWrite["written"] | undefined;
}

async function sentBy(client: EngineClient, { commands, written }: SiteRequest, number: number): Promise<Sent> {
  const outcomes = await Promise.allSettled(commands.map((command) => client.call(...command)));
  const failed = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason as unknown);
  if (failed.length === 0) {
    const replies = outcomes.flatMap((outcome): readonly Reply[] =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    );
    return { number, outcome: "acknowledged", written: written(replies) };
  }
  // an engine that answers with an error has executed nothing
  if (failed.some((reason) => engineCodeOf(reason) !== undefined))
    return { number, outcome: "refused", written: undefined };
  return { number, outcome: "unknown", written: written([]) };
}
