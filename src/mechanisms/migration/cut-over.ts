import { performance } from "node:perf_hooks";
import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "../../core/migration/faults.ts";
import type { OpenKeys } from "../../core/migration/open-keys.ts";
import type { EngineClient } from "../../ports/resp/engine-client.ts";
import { parseInfo, replicationView } from "../../ports/resp/info.ts";
import { byteStringOf, listOf, textOf } from "../../ports/resp/reply.ts";
import type { KeyComparison } from "./comparison.ts";
import type { SourceFollower } from "./source-follower.ts";

/** What a cut-over works with. */
export interface CutOverSides {
  readonly control: EngineClient;
  readonly follower: SourceFollower;
  readonly comparison: KeyComparison;
  readonly open: OpenKeys;
}

/** How a source was ended. */
export interface CutOver {
  /** For so long writes waited at the source, until it refused them. */
  readonly pausedMs: number;
  /** What makes the source take writes again, words of one command. */
  readonly undo: readonly string[];
}

/**
 * Writes wait at the source, by its own pause, which ends by itself. When the endpoint has all of them and no key differs, the source refuses writes from then
 * on; only after that the pause ends. Whatever fails before lets the source go on.
 */
export async function cutOver(sides: CutOverSides, pauseMs: number): Promise<CutOver> {
  const { control } = sides;
  const began = performance.now();
  const limit = AbortSignal.timeout(pauseMs);
  const undo = await settingsOf(control);
  await control.call("CLIENT", "PAUSE", pauseMs, "WRITE");
  try {
    await settle(sides, limit, pauseMs);
    await endWrites(sides, undo, () => settle(sides, limit, pauseMs));
  } finally {
    // without it, the pause ends by itself
    await control.call("CLIENT", "UNPAUSE").catch(unlessFault);
  }
  return { pausedMs: performance.now() - began, undo };
}

/** The source refuses writes from now on; `settle` is for what it may have taken when its pause ended before that. */
async function endWrites(
  { control }: CutOverSides,
  undo: readonly [string, ...string[]],
  settleAgain: () => Promise<void>,
): Promise<void> {
  try {
    await control.call("CONFIG", "SET", "min-replicas-to-write", MOST_REPLICAS, "min-replicas-max-lag", LAG_SECONDS);
    await settleAgain();
  } catch (error) {
    await control.call(...undo).catch((cause: unknown) => {
      const line = undo.join(" ");
      throw new Fault(faults.mayRefuse, `The source may refuse writes: ${messageOf(cause)} There: ${line}`, {}, cause);
    });
    throw error;
  }
}

function unlessFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
}

/** The endpoint has all that the source has written, and every key is the same. */
async function settle(
  { control, follower, comparison, open }: CutOverSides,
  limit: AbortSignal,
  pauseMs: number,
): Promise<void> {
  const offset = replicationView(parseInfo(textOf(await control.call("INFO", "replication"))))?.offset ?? Infinity;
  if (!(await follower.reach(offset, limit)))
    throw notInTime(
      `the endpoint was ${offset - follower.progress.applied} bytes behind when the ${pauseMs} ms were over`,
    );
  do await comparison.lookAtOpen();
  while (open.size > 0 && !limit.aborted);
  if (open.size > 0 || limit.aborted)
    throw notInTime(`${open.size} keys were not yet the same when the ${pauseMs} ms were over`);
}

function notInTime(why: string): Fault {
  return new Fault(faults.notInTime, `The cut-over was given up, and the source takes writes: ${why}.`);
}

/** The command that gives the source back what it has now. */
async function settingsOf(control: EngineClient): Promise<readonly [string, ...string[]]> {
  const names = ["min-replicas-to-write", "min-replicas-max-lag"];
  const words = listOf(await control.call("CONFIG", "GET", "min-replicas-*")).map(byteStringOf);
  const valueOf = (name: string): string => words[words.indexOf(name) + 1] ?? "";
  return ["CONFIG", "SET", ...names.flatMap((name) => [name, valueOf(name)])];
}

/** No primary has so many replicas: writes are refused with NOREPLICAS. */
const MOST_REPLICAS = 2_147_483_647;
const LAG_SECONDS = 10;
