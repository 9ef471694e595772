import type { Operation } from "../linearizability/history.ts";
import { startService } from "../engines/service.ts";
import { until } from "#kit/testing/until";
import { startTestCluster, type TestCluster } from "../world/cluster.ts";
import { acceptingNodes, comeBack, evacuate, untilSettled, upgradeDatabase } from "../world/maintenance.ts";
import type { Library, LibraryName } from "./libraries.ts";
import { startRecorder, type Attempts, type Recorder } from "./recorders.ts";

/** What one client saw while each node was replaced and the database got another version. */
export interface Moved {
  readonly name: LibraryName;
  readonly operations: readonly Operation[];
  /** What the library said of each request that failed, exchanges among them. */
  readonly failures: readonly string[];
  /** Between a request and its answer. */
  readonly longestMs: number;
}

const PATIENCE = { withinMs: 60_000, everyMs: 50 };
const NODES = [3, 2, 1];

/** Plays one client of each library while the database is upgraded and the nodes are replaced, as the operator does it: one after the other. */
export async function playMoves(libraries: readonly Library[], attempts: Attempts): Promise<readonly Moved[]> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startTestCluster());
  const options = { name: "moved", memory_size: 50_000_000, replication: true, redis_version: "7.2" } as const;
  const { uid, port } = await cluster.create(options);
  const service = stack.use(await startService(port, () => acceptingNodes(cluster)));
  const recorders = libraries.map((library) => {
    const recorder = stack.use(startRecorder(library, service, library.name, attempts));
    return { name: library.name, recorder };
  });
  const areAtWork = (more: number): Promise<void> => untilAtWork(recorders, more);
  await areAtWork(50);
  await upgradeDatabase(cluster, uid, "8.0");
  await areAtWork(20);
  for (const node of NODES) {
    await replace(cluster, node, uid);
    await areAtWork(20);
  }
  await Promise.all(recorders.map(({ recorder }) => recorder.stop()));
  return recorders.map((one) => movedOf(one));
}

/** A client of a library that is played. */
export interface Played {
  readonly name: LibraryName;
  readonly recorder: Recorder;
}

/** What a client has seen that has ended. */
export function movedOf({ name, recorder: { operations, failures } }: Played): Moved {
  return { name, operations, failures, longestMs: longestOf(operations) };
}

/** Waits until each client has done so many more operations. */
export async function untilAtWork(recorders: readonly Played[], more: number): Promise<void> {
  const before = recorders.map(({ recorder }) => recorder.operations.length);
  for (const [index, { name, recorder }] of recorders.entries()) {
    const goal = (before[index] ?? 0) + more;
    await until(`${name} is at work`, () => recorder.operations.length > goal, PATIENCE);
  }
}

/** The node is evacuated, its pod is replaced, and its replica is in sync again. */
async function replace(cluster: TestCluster, node: number, uid: number): Promise<void> {
  await evacuate(cluster, node);
  await cluster.stop(node);
  await cluster.start(node);
  await comeBack(cluster, node);
  await untilSettled(cluster, uid);
}

function longestOf(operations: readonly Operation[]): number {
  return Math.round(Math.max(0, ...operations.map(({ begin, end }) => (end === undefined ? 0 : end - begin))) / 1e6);
}
