import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { usageOf } from "../../../core/planner/node/disk-budget.ts";
import { diskBytesOn } from "../../../core/planner/node/instance-size.ts";
import { refusedForRoom, reserveOf } from "../../../core/planner/node/full-volume.ts";
import type { VolumeUse, RefusedBefore, VolumeRoom } from "../../../core/planner/node/full-volume.ts";
import { bytesIn } from "#kit/files/folder-size";
import type { NodeReport } from "../members/node-report.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What watching the volume of this node works on. */
export interface VolumeContext {
  readonly config: Pick<AgentConfig, "dataDir" | "node">;
  readonly records: Pick<Records, "databases">;
  readonly changes: { readonly notify: () => void };
  readonly clock: Clock;
  readonly log: Log;
}

/** The time between two looks; shorter while little is left, which may be written within a second. */
const CHECK_MS = { far: 1_000, near: 100 } as const;
/** The time between two looks at what each database takes, while there is room: a look goes through all files. */
const USAGE_MS = 15_000;
/** Little is left when less than so many times the reserve is free. */
const NEAR = 3;
/** Sizes are reported in such steps, so that a report does not change all the time. */
const STEP_BYTES = 8 * 1024 * 1024;

/** The room on the volume of this node: before it is full, the database that takes the most for its memory may write no more. */
export class VolumeGuard {
  #full: NodeReport["fullVolume"];
  #isNear = false;
  #usage: NodeReport["volume"];
  #measuredAt = Number.NEGATIVE_INFINITY;
  #before: RefusedBefore = { bdbs: [], free: Number.POSITIVE_INFINITY };

  /** What is reported while the volume is nearly full; undefined otherwise. */
  full(): NodeReport["fullVolume"] {
    return this.#full;
  }

  /** What databases may take here, and which take more; undefined until it was measured. */
  usage(): NodeReport["volume"] {
    return this.#usage;
  }

  /** Looks once a second, and more often while little is left, until `signal` aborts. */
  async watch(context: VolumeContext, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look(context);
      await context.clock.sleep(this.#isNear ? CHECK_MS.near : CHECK_MS.far, signal).catch(() => undefined); // aborted: the loop looks at the signal
    }
  }

  /** Looks once; a volume that cannot be read is said in the log. */
  async look(context: VolumeContext): Promise<void> {
    try {
      this.#before = await this.#judge(context, this.#before);
    } catch (error) {
      context.log.warn("the room on the volume cannot be read", { error });
    }
  }

  async #judge(context: VolumeContext, before: RefusedBefore): Promise<RefusedBefore> {
    const { config, records, changes, clock, log } = context;
    const room = await roomOn(config.dataDir);
    this.#isNear = room.free < NEAR * reserveOf(room.total);
    const isTight = room.free < reserveOf(room.total) || before.bdbs.length > 0;
    const isDue = clock.uptimeMs() - this.#measuredAt >= USAGE_MS;
    const held = isTight || isDue ? await heldBytes(config, records.databases()) : [];
    if (isDue) {
      this.#measuredAt = clock.uptimeMs();
      this.#usage = usageOf(room, held);
    }
    const bdbs = refusedForRoom(
      room,
      held.filter(({ bytes }) => bytes > 0),
      before,
    );
    this.#full = bdbs.length === 0 ? undefined : fullVolume(room, held, bdbs);
    if (bdbs.join() !== before.bdbs.join()) {
      log.warn(bdbs.length === 0 ? "the volume has room again" : "the volume is nearly full", {
        ...room,
        refused: bdbs,
      });
      changes.notify();
    }
    return { bdbs, free: room.free };
  }
}

/** What each database has on this node's volume, with what its copies may take. */
function heldBytes(
  { dataDir, node }: VolumeContext["config"],
  databases: readonly DatabaseRecord[],
): Promise<readonly VolumeUse[]> {
  return Promise.all(
    databases.map(async (record) => ({
      bdb: record.uid,
      bytes: await bytesIn(join(dataDir, `db-${record.uid}`)),
      budget: diskBytesOn(record, node),
    })),
  );
}

function fullVolume(
  { total, free }: VolumeRoom,
  held: readonly VolumeUse[],
  bdbs: readonly number[],
): NonNullable<NodeReport["fullVolume"]> {
  const refused = held.filter(({ bdb }) => bdbs.includes(bdb));
  const databases = refused.map(({ bdb, bytes }) => ({ bdb, bytes: roundToStep(bytes) }));
  return { total, free: roundToStep(free), databases };
}

/** The volume of a folder at this moment. */
export async function roomOn(folder: string): Promise<VolumeRoom> {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { total: bsize * blocks, free: bsize * bavail };
}

function roundToStep(bytes: number): number {
  return Math.round(bytes / STEP_BYTES) * STEP_BYTES;
}
