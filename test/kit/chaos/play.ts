import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "#kit/base/fault";
import { until } from "#kit/testing/until";
import type { Change } from "./changes.ts";
import { followChanges } from "./follow.ts";
import { inject } from "./inject.ts";
import { startLoad, type Load } from "./load.ts";
import type { Life } from "./life.ts";
import { startLives } from "./lives.ts";
import { beginMove, endMaintenance } from "./moves.ts";
import { textOf, type Fault, type Move, type Schedule, type Scheduled } from "./schedule.ts";
import { NODES, type Scene } from "./scene.ts";
import { lacks } from "./whole.ts";

/** After the last fault the cluster has to be whole again within so long. */
const HEALS_WITHIN_MS = 60_000;
const CLIENTS_PER_NODE = 2;
/** Collections of a million elements are filled before the schedule begins. */
const BEGINS_WITHIN_MS = 120_000;
/** As a kubelet would start it. */
const RESTART_AFTER_MS = 500;

/** What was seen while a schedule was played. */
export interface Played {
  readonly loads: readonly Load[];
  readonly lives: readonly Life[];
  /** When the schedule began, in nanoseconds by the steady clock of the machine. */
  readonly beganNs: number;
  readonly changes: readonly Change[];
  /** The same of the database whose memory is full. */
  readonly changesOfFull: readonly Change[];
  /** From the end of the last fault until the cluster was whole, in milliseconds. */
  readonly healedMs: number;
  /** Moves that the cluster refused, or could not be asked for. */
  readonly refused: readonly string[];
}

/** Plays a schedule while clients of every node write, and waits until the cluster has healed and every client has its answer. */
export async function play(scene: Scene, schedule: Schedule, say: (line: string) => void): Promise<Played> {
  await using stack = new AsyncDisposableStack();
  const { cluster, port } = scene;
  await becomesWhole(scene, say);
  const changes = stack.use(await followChanges(scene, scene.uid));
  const ofFull = stack.use(await followChanges(scene, scene.full.uid));
  const names = NODES.flatMap((node) =>
    Array.from({ length: CLIENTS_PER_NODE }, (_, at) => ({ node, name: `client-${node}-${at}` })),
  );
  const loads = names.map(({ node, name }) => stack.use(startLoad(cluster.address(node), port, name)));
  await until("every client writes", () => loads.every(({ written }) => written.length > 3), { withinMs: 20_000 });
  const lives = startLives(scene, schedule).map((life) => stack.use(life));
  await haveBegun(lives);
  stack.use(restartsNodes(scene, say));
  const refused: string[] = [];
  const beganNs = Number(process.hrtime.bigint());
  const began = performance.now();
  const note = (line: string): void => say(`${Math.round(performance.now() - began)} ms: ${line}`);
  await Promise.all([
    ...schedule.faults.map((fault) => playFault(scene, fault, began, note)),
    ...schedule.moves.map((move) => playMove(scene, move, began, note, refused)),
    at(began, schedule.lengthMs),
  ]);
  note("the last fault is over");
  const over = performance.now();
  await becomesWhole(scene, note);
  const healedMs = Math.round(performance.now() - over);
  note("the cluster is whole");
  await Promise.all([...loads, ...lives].map((client) => client.stop(HEALS_WITHIN_MS)));
  return { loads, lives, beganNs, changes: changes.changes, changesOfFull: ofFull.changes, healedMs, refused };
}

async function haveBegun(lives: readonly Life[]): Promise<void> {
  const isOver = (): boolean => lives.every((life) => life.hasBegun());
  await until("every life has begun", isOver, { withinMs: BEGINS_WITHIN_MS }).catch((error: unknown) => {
    const waiting = lives.filter((life) => !life.hasBegun()).map((life) => life.waitsFor());
    throw new Error(`${messageOf(error)}; ${waiting.join("; ")}`, { cause: error });
  });
}

async function playFault(
  scene: Scene,
  fault: Scheduled<Fault>,
  began: number,
  note: (line: string) => void,
): Promise<void> {
  await at(began, fault.fromMs);
  note(`begins: ${textOf(fault)}`);
  const end = await inject(fault, scene);
  await at(began, fault.fromMs + fault.forMs);
  end();
  note(`ends: ${textOf(fault)}`);
}

/** A move may be refused, also because of another one; the end of one that began is asked for once more when all is over. */
async function playMove(
  scene: Scene,
  move: Scheduled<Move>,
  began: number,
  note: (line: string) => void,
  refused: string[],
): Promise<void> {
  await at(began, move.fromMs);
  try {
    const end = await beginMove(move, scene);
    note(`moves: ${textOf(move)}`);
    await at(began, move.fromMs + move.forMs);
    await end();
  } catch (error) {
    refused.push(`${textOf(move)}: ${messageOf(error)}`);
    note(`refused: ${refused.at(-1)}`);
  }
}

async function at(began: number, afterMs: number): Promise<void> {
  await sleep(Math.max(0, began + afterMs - performance.now()));
}

/** Waits until the cluster lacks nothing; each time when something else is missing, it is noted. */
async function becomesWhole(scene: Scene, note: (line: string) => void): Promise<void> {
  // no primary moves to a node whose date is wrong: an upgrade that has begun waits for this
  for (const shim of scene.shims.values()) shim.step(0);
  let missing: readonly string[] = [];
  const isWhole = async (): Promise<boolean> => {
    const before = missing.join("; ");
    try {
      await endMaintenance(scene);
      missing = await lacks(scene);
    } catch (error) {
      missing = [`no node answers: ${messageOf(error)}`];
    }
    if (missing.length > 0 && missing.join("; ") !== before) note(`lacks: ${missing.join("; ")}`);
    return missing.length === 0;
  };
  await until("the cluster is whole", isWhole, { withinMs: HEALS_WITHIN_MS, everyMs: 100 }).catch((error: unknown) => {
    throw new Error(`${messageOf(error)}; ${missing.join("; ")}`, { cause: error });
  });
}

/** Starts each node again that has ended, unless a fault wants it down. */
function restartsNodes({ cluster, down }: Scene, say: (line: string) => void): AsyncDisposable {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      for (const node of NODES) {
        if (cluster.isRunning(node) || down.has(node)) continue;
        say(`node ${node} starts again`);
        await cluster.launch(node);
      }
      await sleep(RESTART_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined); // stopped: the loop looks
    }
  })();
  return {
    [Symbol.asyncDispose]: () => {
      stopping.abort();
      return running;
    },
  };
}
