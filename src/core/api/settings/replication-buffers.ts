import type { Directives } from "./setting.ts";

const MEBIBYTE = 1024 * 1024;
/** How long a replica may have more than half of its most waiting for it, in seconds. */
const PATIENCE_SECONDS = 120;

/**
 * The most that may wait for a replica that takes in the data of a database, in bytes: half of what the database may use, at least
 * 32 MiB and at most 1 GiB. It is not a part of `maxmemory`, so the node keeps it back.
 */
export function replicaBufferBytes(memoryBytes: number): number {
  return Math.round(between(32 * MEBIBYTE, memoryBytes / 2, 1024 * MEBIBYTE));
}

/** Directives that bound what is kept for replicas; the backlog is a part of `maxmemory`, so it stays small beside it. */
export function replicationBuffers(memoryBytes: number): Directives {
  const most = replicaBufferBytes(memoryBytes);
  return {
    "repl-backlog-size": String(Math.round(between(4 * MEBIBYTE, memoryBytes / 16, 64 * MEBIBYTE))),
    "client-output-buffer-limit": `replica ${most} ${Math.round(most / 2)} ${PATIENCE_SECONDS}`,
  };
}

/**
 * A site of an Active-Active database keeps more: its link goes on in the backlog after it was away, and where that is over the site has
 * to be announced anew, key by key. 16 MiB are minutes of small writes, a tenth of the memory as many of a large database.
 */
export function siteBacklog(memoryBytes: number): Directives {
  return { "repl-backlog-size": String(Math.round(between(16 * MEBIBYTE, memoryBytes / 10, 256 * MEBIBYTE))) };
}

/**
 * What a site keeps of operations for others that do not answer, in bytes: a 32nd of the memory, at least 1 MiB and at most 32 MiB.
 * Its engine has it up to three times, in what the link has saved and in its log. Who lacks more gets a summary.
 */
export function siteKeptBytes(memoryBytes: number): number {
  return Math.round(between(MEBIBYTE, memoryBytes / 32, 32 * MEBIBYTE));
}

/** Between two versions the backlog is longer, so that an old primary can attach again. */
export function upgradeBacklog(directives: Directives): Directives {
  return { "repl-backlog-size": String(2 * Number(directives["repl-backlog-size"])) };
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
