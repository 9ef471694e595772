/** An engine's role and how far its stream has got. */
export interface RoleFacts {
  readonly role: "primary" | "replica";
  readonly offset: number;
  /** Offset at which it was promoted last; negative when it never was. */
  readonly promotedAt: number;
  /** The id of its stream: that of its primary, since it has followed it. */
  readonly history: string;
}

/** The same of an engine that was the primary. A fence alone makes it a replica of nothing. */
export interface FormerFacts extends RoleFacts {
  /** It follows another engine. */
  readonly isFollower: boolean;
}

/** What can be seen of a switchover that was begun and not ended. */
export interface IntentFacts {
  /** Undefined when it does not answer. */
  readonly target: RoleFacts | undefined;
  readonly old: FormerFacts | undefined;
  /** The target is known to be dead: its process has ended, or its node's lease has expired. */
  readonly targetDead: boolean;
  /** The old primary was cut off when it began. */
  readonly forced: boolean;
}

export type IntentVerdict =
  /** The target serves, or was about to: go on from there. */
  | { readonly kind: "finish"; readonly loss?: string }
  /** The old primary serves: everything as it was. */
  | { readonly kind: "take-back"; readonly loss?: string }
  | { readonly kind: "wait"; readonly reason: string };

/** What an idle primary adds to its stream by itself within a fence, in bytes: keep-alives, no writes. */
const IDLE_BYTES = 128;

/**
 * Decides by the target's role: promoted means finish, otherwise take back. Only when the fence ran out, so that the old
 * primary took writes again while the target took none, a promoted target steps back.
 */
export function evaluateIntent({ target, old, targetDead, forced }: IntentFacts): IntentVerdict {
  if (target === undefined)
    return targetDead ? { kind: "take-back", loss: goneWithTarget(old) } : { kind: "wait", reason: TARGET_SILENT };
  if (target.role === "replica")
    return hasBegunAnew(target, old) ? { kind: "take-back", loss: goneWithTarget(old) } : { kind: "take-back" };
  if (old?.role !== "primary") return { kind: "finish", ...(forced ? { loss: CUT_OFF } : {}) };
  const byOld = old.offset - target.promotedAt;
  const byTarget = target.offset - target.promotedAt;
  if (byOld <= IDLE_BYTES) return { kind: "finish" };
  if (byTarget <= IDLE_BYTES) return { kind: "take-back" };
  return { kind: "finish", loss: `the old primary took ${byOld} bytes of writes after its successor was promoted` };
}

/** A primary is fenced once its successor has all of its stream, so one that has another stream has ended since, and may have been promoted before that. */
function hasBegunAnew(target: RoleFacts, old: FormerFacts | undefined): boolean {
  return old?.role === "replica" && target.history !== old.history;
}

const CUT_OFF =
  "a replica took over from a primary that was cut off; acknowledged writes that had not reached it are lost, how many is not known";

const TARGET_SILENT = "the target of the switchover does not answer, so it is not known whether it was promoted";

function goneWithTarget(old: FormerFacts | undefined): string {
  return old?.isFollower === true
    ? "the new primary died right after it was promoted; writes that it acknowledged in between are lost"
    : "the new primary died while it was being promoted; writes that it acknowledged in between, if any, are lost";
}
