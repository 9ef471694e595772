import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { sendToParent } from "#kit/processes/parent-channel";
import { FORMAT } from "../../core/api/format.ts";
import type {
  BackupCommand,
  BackupProgress,
  BackupReply,
  BackupRequestMessage,
  FetchCommand,
  ReadCommand,
  RemoveCommand,
} from "../../ports/management/backup-control.ts";
import { STORE_SILENCE_MS } from "../../ports/management/slow-routes.ts";
import { isRequestMessage } from "../../ports/management/request-message.ts";
import { ObjectStore } from "../../ports/object-store/s3.ts";
import { BackupRun } from "./backup-run.ts";
import { faults } from "./faults.ts";
import { fetchFile } from "./fetch-file.ts";
import { readBackup } from "./read-backup.ts";
import { removeBackup } from "./remove-backup.ts";

/** The channel to the agent; `process` of a child process with IPC is one. */
export interface BackupChannel {
  send?(message: object): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

interface ProgramContext {
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes the one backup that the agent commands and says how it stands, and fetches its files; resolves when the channel disconnects. */
export async function runBackup(channel: BackupChannel, context: ProgramContext): Promise<void> {
  const disconnected = Promise.withResolvers<undefined>();
  channel.once("disconnect", () => {
    disconnected.resolve(undefined);
  });
  channel.on("message", (message) => {
    if (!isRequestMessage<BackupRequestMessage>(message)) {
      context.log.warn("the agent sent a message that is not a command");
      return;
    }
    void answer(channel, message, context);
  });
  sendToParent(channel, { ready: true, format: FORMAT });
  await disconnected.promise;
}

async function answer(
  channel: BackupChannel,
  { id, command }: BackupRequestMessage,
  context: ProgramContext,
): Promise<void> {
  const reply = (said: BackupReply): void => {
    sendToParent(channel, { id, reply: said });
  };
  if (command.op === "fetch") return reply(await replyToFetch(command, context));
  if (command.op === "read") return reply(await replyToRead(command));
  if (command.op === "remove") return reply(await replyToRemove(command, context));
  reply({ ok: true });
  await take(channel, command, context);
}

async function replyToFetch(command: FetchCommand, { clock, log }: ProgramContext): Promise<BackupReply> {
  const store = new ObjectStore(command.store);
  try {
    await fetchFile(command, store, clock);
    return { ok: true };
  } catch (error) {
    log.warn("a file of a backup cannot be fetched", { backup: command.name, file: command.file.file, error });
    return { ok: false, ...failureOf(error) };
  } finally {
    store.close();
  }
}

async function replyToRead(command: ReadCommand): Promise<BackupReply> {
  const store = new ObjectStore(command.store, STORE_SILENCE_MS);
  try {
    return { ok: true, manifest: await readBackup(command, store) };
  } catch (error) {
    return { ok: false, ...failureOf(error) };
  } finally {
    store.close();
  }
}

async function replyToRemove(command: RemoveCommand, { log }: ProgramContext): Promise<BackupReply> {
  const store = new ObjectStore(command.store, STORE_SILENCE_MS);
  try {
    return { ok: true, removedFiles: await removeBackup(command, store) };
  } catch (error) {
    log.warn("a backup cannot be removed", { backup: command.name, error });
    return { ok: false, ...failureOf(error) };
  } finally {
    store.close();
  }
}

function failureOf(error: unknown) {
  const { code, remedy, retry } = error instanceof Fault ? error : faults.failed;
  return { code, message: messageOf(error), remedy, retry };
}

async function take(channel: BackupChannel, command: BackupCommand, context: ProgramContext): Promise<void> {
  const store = new ObjectStore(command.store);
  const log = context.log.with({ bdb: command.database.uid, backup: command.name, attempt: command.attempt });
  const run = new BackupRun(command, { ...context, store, log });
  const say = (progress: BackupProgress): void => {
    sendToParent(channel, { progress });
  };
  const ended = new AbortController();
  void repeat(context.clock, ended.signal, () => {
    say(run.progress);
  });
  try {
    const manifest = await run.run();
    ended.abort();
    say({ state: "done", manifest });
  } catch (error) {
    ended.abort();
    log.warn("a backup has failed", { error });
    say({ state: "failed", ...failureOf(error) });
  } finally {
    store.close();
  }
}

async function repeat(clock: Clock, signal: AbortSignal, say: () => void): Promise<void> {
  while (!signal.aborted) {
    say();
    await clock.sleep(PROGRESS_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

const PROGRESS_MS = 1_000;
