import { setTimeout as sleep } from "node:timers/promises";
import type { TestEngine } from "../engines/engine.ts";
import { seededDice } from "../world/chaos.ts";
import { commandOf, type Command } from "./commands.ts";

/** A counter with the sum of what its increments were acknowledged for. */
export interface Counter {
  readonly key: string;
  sum: number;
}

export interface EngineLoad {
  /** Commands that were answered so far. */
  readonly written: () => number;
  /** Ends it; the counters that clients incremented at every engine. */
  finish(): Promise<readonly Counter[]>;
}

const BATCH = 10;
const PAUSE_MS = 4;

/** Random commands of every type at every engine, on the same few keys. */
export function startEngineLoad(engines: readonly TestEngine[], seed: number): EngineLoad {
  const counters: readonly Counter[] = ["count:a", "count:b"].map((key) => ({ key, sum: 0 }));
  let written = 0;
  let isOver = false;
  const writers = engines.map(async (engine, index) => {
    const dice = seededDice(seed + index);
    const client = await engine.connect();
    const run = async (command: Command): Promise<void> => {
      const [name, key, by] = command;
      const counter = counters.find((each) => name === "INCRBY" && each.key === key);
      const reply = client.call(...command);
      // a key of another type refuses
      await (counter === undefined ? reply.catch(() => undefined) : reply);
      written += 1;
      if (counter !== undefined) counter.sum += Number(by);
    };
    while (!isOver) {
      await Promise.all(Array.from({ length: BATCH }, () => run(commandOf(dice))));
      await sleep(PAUSE_MS);
    }
    client.close();
  });
  const running = Promise.all(writers);
  running.catch(() => undefined); // where a test fails first its engines end, and that is not what it failed for
  return {
    written: () => written,
    finish: async () => {
      isOver = true;
      await running;
      return counters;
    },
  };
}
