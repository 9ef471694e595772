import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { engineCodeOf, errorReplyOf, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { faults } from "../../../ports/resp/faults.ts";
import type { SiteSlice } from "./slice.ts";
import { ReplyError, type Reply } from "../../../ports/resp/reply.ts";
import { linkTransaction, writeMark, type LinkKeyCommand } from "./marks.ts";

/** What a transaction runs with: until the signal, and as often as the engine refuses it for a while. */
export interface TransactionContext {
  readonly client: EngineClient;
  /** Whose marks it writes. */
  readonly slice: Pick<SiteSlice, "kept">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long the engine is left alone when it refuses a transaction, in milliseconds. */
const REFUSED_MS = 200;

/**
 * The replies to the commands of a transaction, that of MULTI not included. An engine that refuses writes for a while is asked again until it
 * takes it, and `onRefusal` has its reason meanwhile. Rejects when nothing is known of the outcome, and when the signal comes.
 */
export async function execute(
  { client, clock, signal }: Omit<TransactionContext, "slice">,
  transaction: readonly LinkKeyCommand[],
  onRefusal: (refusal: string) => void,
): Promise<readonly Reply[]> {
  for (;;) {
    const outcomes = await client.callAll(transaction, "latin1");
    const failures = outcomes.filter((outcome) => outcome instanceof Fault);
    const last = outcomes.at(-1);
    if (failures.length === 0 && Array.isArray(last)) {
      onRefusal("");
      return last;
    }
    onRefusal(await refusalIn(failures));
    await clock.sleep(REFUSED_MS, signal);
  }
}

/** A command that an engine has refused when it ran; the others of its transaction have happened. */
export interface RefusedCommand {
  readonly command: LinkKeyCommand;
  /** Its place among the commands of the transaction, that of MULTI is 0. */
  readonly index: number;
  readonly why: string;
}

/** What the engine refused of a transaction that it has executed. */
export function refusedIn(
  transaction: readonly LinkKeyCommand[],
  replies: readonly Reply[],
): readonly RefusedCommand[] {
  return replies.flatMap((reply, at) => {
    const command = transaction[at + 1];
    return reply instanceof ReplyError && command !== undefined ? { command, index: at + 1, why: reply.message } : [];
  });
}

/** Rejects unless the engine has executed all of the transaction. */
export async function executedAll(
  context: TransactionContext,
  transaction: readonly LinkKeyCommand[],
): Promise<readonly Reply[]> {
  const replies = await execute(context, transaction, () => undefined);
  requireNone(refusedIn(transaction, replies));
  return replies;
}

/** Throws what the engine has refused. */
export function requireNone([refused]: readonly RefusedCommand[]): void {
  if (refused === undefined) return;
  throw new Fault(faults.unexpectedReply, `The engine refuses ${String(refused.command[0])}: ${refused.why}`);
}

/** Why an engine has executed nothing of a transaction, and may later; rejects with anything else. */
function refusalIn(failures: readonly Fault[]): Promise<string> {
  const [first] = failures;
  const refusal = TEMPORARY.has(engineCodeOf(first) ?? "") ? errorReplyOf(first) : undefined;
  if (refusal !== undefined && engineCodeOf(failures.at(-1)) === "EXECABORT") return Promise.resolve(refusal);
  return Promise.reject(
    first ?? new Fault(faults.unexpectedReply, "EXEC was answered with something else than replies."),
  );
}

/** What an engine says that takes no writes for a while. */
const TEMPORARY = new Set(["OOM", "MISCONF", "NOREPLICAS"]);

/** The replies to the commands of a transaction that only reads, at the place of the stream where the mark is. */
export async function readAt(
  context: TransactionContext,
  mark: string,
  reads: readonly (readonly string[])[],
): Promise<readonly Reply[]> {
  const replies = await execute(
    context,
    linkTransaction([writeMark(mark, context.slice.kept.mark)], reads),
    () => undefined,
  );
  return replies.slice(3);
}
