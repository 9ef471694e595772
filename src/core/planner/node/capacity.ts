import { replicaBufferBytes } from "../../api/settings/replication-buffers.ts";

/** Memory of the container of a node, in bytes. */
export interface ContainerMemory {
  /** The most that its processes may take together before one of them is killed. */
  readonly limit: number;
  /** What of that the node keeps for itself: its agent and its proxy. */
  readonly reserve: number;
}

const MEBIBYTE = 1024 * 1024;

/** What a node keeps for itself, in bytes. The page of operations has the same table. */
const OF_NODE = {
  /** 110 to 220 MB were measured. */
  agent: 192 * MEBIBYTE,
  /** 95 MB at rest, 128 MiB of replies that wait for all clients, 100 MiB that are free and not used again yet, and requests that are collected. */
  proxy: 512 * MEBIBYTE,
  /** 44 MB were measured, besides files that it shares with others. */
  starter: 48 * MEBIBYTE,
};

/** What an instance takes besides the data and what may wait for its replica. */
const OF_INSTANCE = {
  /** Code, connections and files of an engine that holds nothing, in bytes. */
  engine: 16 * MEBIBYTE,
  /** Gaps between values, as a share of the data. */
  gaps: 0.1,
  /** A fork shares its pages with the engine until one of them writes: at worst each page is there twice. */
  fork: 1,
};

/** What a node keeps for itself in a container of any size, with one worker of its proxy. */
export const NODE_RESERVE_BYTES = OF_NODE.agent + OF_NODE.proxy;

/** What a further worker takes at worst: 100 MiB at rest, 128 for what waits, and 92 that are free. */
export const WORKER_BYTES = 320 * MEBIBYTE;

/** What a node keeps for itself with so many workers. */
export function nodeReserveBytes(workers: number): number {
  return NODE_RESERVE_BYTES + (workers - 1) * WORKER_BYTES;
}

/** What the starter takes of the container of the engines. */
export const STARTER_RESERVE_BYTES = OF_NODE.starter;

/** What an instance of a database of this size takes at worst: data, gaps, a fork, and what waits for a replica. */
export function instanceBytes(memoryBytes: number): number {
  return restingBytes(memoryBytes) + memoryBytes * OF_INSTANCE.fork + replicaBufferBytes(memoryBytes);
}

/** What an instance takes when it is full and no fork runs. */
export function restingBytes(memoryBytes: number): number {
  return OF_INSTANCE.engine + memoryBytes * (1 + OF_INSTANCE.gaps);
}

/** Bytes of the container that no database needs; negative where databases were given more than it has. */
export function freeBytes(
  { limit, reserve }: ContainerMemory,
  sizes: readonly number[],
  needs: (memoryBytes: number) => number = instanceBytes,
): number {
  return sizes.reduce((free, size) => free - needs(size), limit - reserve);
}

/** The largest database of which an instance fits into `bytes`; 0 when none does. Of a size that has many digits it is a little less. */
export function largestDatabase(bytes: number): number {
  let [fits, tooLarge] = [0, Math.max(1, bytes)];
  if (instanceBytes(1) > bytes) return 0;
  while (tooLarge - fits > MEBIBYTE / 16) {
    const middle = (fits + tooLarge) / 2;
    if (instanceBytes(middle) <= bytes) fits = middle;
    else tooLarge = middle;
  }
  return Math.floor(fits);
}
