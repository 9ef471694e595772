import { needText } from "#kit/base/sizes";
import { everyShard } from "../../api/every-shard.ts";
import { isSameTable } from "../../slots/named-slots.ts";
import type { DatabaseRecord, InstanceRecord, ReshapeIntent, ShardRecord } from "../../api/records.ts";
import { IN_SYNC_BYTES, inSync, primaryOf, replicasOf, syncText } from "./facts.ts";
import type { DatabaseFacts } from "./facts.ts";
import { askedTable, hasAskedTable, keptShards, nextTable, replacedShards } from "./replaced-shards.ts";
import { planReshape } from "./reshape-plan.ts";
import { waitFor } from "../findings/step.ts";
import { isPause } from "../findings/finding.ts";
import type { CopyFailure, FilledTarget, MoverFacts, ReshapeFacts } from "./reshape-facts.ts";
import { copyTrouble, isLasting, roomTrouble, type ShardsTrouble } from "./reshape-trouble.ts";
import { type LeaderProposal, waitBecause } from "./step.ts";

/** So many keys that are to be copied again do not make clients wait for long. */
const FEW_TOUCHED = 100;
/** A node that is away for so long, in milliseconds, does not come back at once. */
const AWAY_MS = 10_000;
/** An attempt that has failed is followed by the next one after so long, in milliseconds, and after twice as long each further time. */
const PAUSE = { first: 1_000, most: 60_000 } as const;
/** The same of a failure that comes again unless somebody does something: each attempt costs every source a fork. */
const LASTING_PAUSE = { first: 60_000, most: 600_000 } as const;

/** True while new shards get their keys: the primaries that serve stay where they are, unless one is lost. */
export function isCopying({ reshape }: Pick<DatabaseRecord, "reshape">): boolean {
  return reshape?.phase === "copy";
}

/** What comes before all else: a switch to the next table that has begun, and former shards that are not needed any more. */
export function unfinishedTable({ record, reshape: facts }: DatabaseFacts): LeaderProposal | undefined {
  switch (record.reshape?.phase) {
    case "hold":
    case "return":
      return { kind: "resume-table" };
    case "retire":
      return facts?.mayRetire === true ? { kind: "retire-shards" } : undefined;
    case "copy":
    case undefined:
      return undefined;
  }
}

/** The next step to the number of shards that is asked for, once no shard needs anything; undefined when the database has it. */
export function beginStep(facts: DatabaseFacts): LeaderProposal | undefined {
  const { record, nodes, everything } = facts;
  const { shards, reshape } = record;
  if (reshape !== undefined)
    return reshape.phase === "retire"
      ? waitBecause(`${countText(shards.length)} serve, and the former shards go in some seconds`)
      : undefined;
  if (hasAskedTable(record)) return undefined;
  const to = askedTable(record);
  const used = nodesOf(shards);
  const left = nodes.find(({ uid, draining, alive }) => used.includes(uid) && (draining || !alive));
  if (left !== undefined)
    return waitBecause(`${countText(to.length)} are made when node ${left.uid} is back in service`);
  const plan = planReshape({ record, to, nodes, everything });
  return "id" in plan ? waitFor(roomTrouble(record, nodes, plan)) : { kind: "begin-reshape", plan };
}

/** What is done for shards that get their keys. */
export function copyStep(facts: DatabaseFacts): LeaderProposal | undefined {
  const { record, reshape: seen } = facts;
  const { reshape } = record;
  if (reshape?.phase !== "copy" || seen === undefined) return undefined;
  const why = whyWithdraw(facts, reshape);
  if (why !== undefined) return { kind: "withdraw-reshape", why };
  const copying = moverStep(facts, reshape, seen);
  const trouble = copying?.kind === "wait" && isPause(copying.wait) ? troubleBefore(record, reshape) : undefined;
  if (trouble !== undefined) return waitFor(trouble);
  const step = copying ?? targetsStep(facts, reshape) ?? { kind: "switch-table" };
  return step.kind === "wait" && isPause(step.wait)
    ? waitBecause(`${changeText(record, reshape)}: ${step.wait.evidence}`)
    : step;
}

function changeText(record: DatabaseRecord, reshape: ReshapeIntent): string {
  const kept = keptShards(record).length;
  const stay = kept === 0 ? "" : `, and ${countText(kept)} ${kept === 1 ? "stays" : "stay"}`;
  return `${countText(reshape.shards.length)} ${reshape.shards.length === 1 ? "is" : "are"} made instead of ${replacedShards(record).length}${stay}`;
}

/** The nodes that serve are left by the primaries in the next table, and those that are to be have not been left meanwhile. */
function whyWithdraw({ record, nodes }: DatabaseFacts, reshape: ReshapeIntent): string | undefined {
  const asked = askedTable(record);
  if (!isSameTable(asked, nextTable(record))) return `${askedText(record, asked.length)} are asked for by now`;
  const used = [...nodesOf(everyShard(record)), reshape.mover.node];
  const drained = nodes.find(({ uid, draining }) => draining && used.includes(uid));
  if (drained !== undefined) return `node ${drained.uid} is to be left`;
  const needed = [...nodesOf(reshape.shards), reshape.mover.node];
  const away = nodes.find(({ uid, alive, goneForMs }) => !alive && goneForMs >= AWAY_MS && needed.includes(uid));
  return away === undefined ? undefined : `node ${away.uid} is away`;
}

function askedText(record: DatabaseRecord, count: number): string {
  return count === nextTable(record).length ? "shards with other slots" : countText(count);
}

function nodesOf(shards: readonly ShardRecord[]): readonly number[] {
  return shards.flatMap(({ instances }) => instances.map(({ node }) => node));
}

function moverStep(
  { record, instances }: DatabaseFacts,
  reshape: ReshapeIntent,
  { mover, attemptMs }: ReshapeFacts,
): LeaderProposal | undefined {
  const { node } = reshape.mover;
  switch (mover.state) {
    case "unknown":
      return waitBecause(`node ${node}, which copies the keys of shards, does not answer`);
    case "awaited":
      return waitBecause(`node ${node} begins to copy the keys of shards`);
    case "over":
      return copyAgain(mover, record, reshape, attemptMs);
    case "at-work": {
      const [left, ended] = [
        mover.sources.find(({ isCurrent }) => !isCurrent),
        mover.targets.find(({ state }) => state === "over"),
      ];
      const lost = left === undefined ? endedText(ended) : `shard ${left.id} has another primary.`;
      if (lost !== undefined) return copyAgain({ code: COPY_LOST, why: lost }, record, reshape, attemptMs);
      const silent = record.shards.find((shard) => instances.get(shard.primary)?.state !== "serving");
      if (silent !== undefined) return waitBecause(`the primary of shard ${silent.id} does not serve`);
      return progressWait(mover);
    }
  }
}

/** The mover goes on, and what it has filled is worth nothing. */
const COPY_LOST = "COPY_LOST";

function endedText(ended: FilledTarget | undefined): string | undefined {
  return ended === undefined ? undefined : `the engine of new shard ${ended.id} has ended.`;
}

function copyAgain(
  failure: CopyFailure,
  record: DatabaseRecord,
  reshape: ReshapeIntent,
  attemptMs: number,
): LeaderProposal {
  const { first, most } = isLasting(failure) ? LASTING_PAUSE : PAUSE;
  const pause = Math.min(most, first * 2 ** Math.min(reshape.attempt - 1, 10));
  if (attemptMs >= pause) return { kind: "begin-copy", why: failure.why, failed: failure };
  const trouble = copyTrouble(record, reshape, failure);
  if (trouble !== undefined) return waitFor(trouble);
  return waitBecause(`copying begins anew in ${Math.ceil((pause - attemptMs) / 1_000)} s: ${failure.why}`);
}

/** What has made the attempts before fail, until this one has copied all: a finding that came and went with each attempt would be missed. */
function troubleBefore(record: DatabaseRecord, reshape: ReshapeIntent): ShardsTrouble | undefined {
  const { failed, attempt } = reshape;
  return failed && copyTrouble(record, { ...reshape, attempt: attempt - 1 }, failed);
}

/** Undefined once each new shard has all but what was written a moment ago. */
function progressWait({
  sources,
  targets,
}: Extract<MoverFacts, { readonly state: "at-work" }>): LeaderProposal | undefined {
  const filled = targets.filter(({ state }) => state === "following").length;
  if (filled < targets.length || sources.some(({ state }) => state !== "following")) {
    const bytes = targets.reduce((sum, { copiedBytes }) => sum + copiedBytes, 0);
    return waitBecause(
      `${filled} of ${countText(targets.length, "new ")} have their keys, ${needText(bytes)} are copied`,
    );
  }
  const lag = Math.max(...targets.map(({ lagBytes }) => lagBytes));
  if (lag > IN_SYNC_BYTES) return waitBecause(`the new shards have their keys, and are ${lag} bytes behind`);
  const touched = sources.reduce((sum, one) => sum + one.touched, 0);
  return touched > FEW_TOUCHED ? waitBecause(`${touched} keys are copied again`) : undefined;
}

/** Each engine of the new shards follows what it shall, and has what its primary has. */
function targetsStep({ instances }: DatabaseFacts, { shards }: ReshapeIntent): LeaderProposal | undefined {
  for (const shard of shards) {
    const stray = shard.instances.find(({ id }) => instances.get(id)?.follows === "another");
    if (stray !== undefined) return { kind: "reattach", shard: shard.id, replica: stray.id };
  }
  const late = shards.flatMap((shard) => replicasOf(shard)).find(({ id }) => !inSync(instances.get(id)));
  const lost = shards.map(primaryOf).find(({ id }) => instances.get(id)?.state !== "serving");
  if (lost !== undefined) return waitBecause(engineText(lost));
  return late === undefined ? undefined : waitBecause(syncText(late, instances.get(late.id)));
}

function engineText({ node }: InstanceRecord): string {
  return `the engine of a new shard on node ${node} does not serve`;
}

function countText(count: number, which = ""): string {
  return count === 1 ? `one ${which}shard` : `${count} ${which}shards`;
}
