import { readdirSync, readFileSync } from "node:fs";
import type { DatabaseRecord } from "../../../src/core/api/records.ts";
import { slotTexts } from "../../../src/core/slots/named-slots.ts";
import type { Kube } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import { startLedger, type Ledger, type LedgerOptions } from "../load/load-ledger.ts";
import type { TestCluster } from "./cluster.ts";
import { readRecord } from "./records.ts";
import { isActive } from "./sharded-database.ts";

const PATIENCE = { withinMs: 180_000, everyMs: 20 };

/** Waits until the database has so many shards, and the former ones are gone; fails with what it waits for. */
export async function awaitShards(cluster: TestCluster, kube: Kube, uid: number, shards: number): Promise<void> {
  await awaitOthers(cluster, kube, uid, (serve) => serve.length === shards);
}

/** The same of shards with these slots, in their order. */
export async function awaitTable(
  cluster: TestCluster,
  kube: Kube,
  uid: number,
  slots: readonly string[],
): Promise<void> {
  await awaitOthers(cluster, kube, uid, (serve) => slotTexts(serve).join(" ") === slots.join(" "));
}

async function awaitOthers(
  cluster: TestCluster,
  kube: Kube,
  uid: number,
  are: (shards: DatabaseRecord["shards"]) => boolean,
): Promise<void> {
  const has = async (): Promise<boolean> => {
    const { shards, reshape } = await readRecord(kube, cluster, uid);
    return are(shards) && reshape === undefined && (await isActive(cluster, uid));
  };
  await until("it has the shards that were asked for", has, PATIENCE).catch(async (error: unknown) => {
    const { waitingFor, reshape } = await readRecord(kube, cluster, uid);
    throw new Error(`${waitingFor ?? ""}: ${JSON.stringify(reshape)}`, { cause: error });
  });
}

/** A load by several nodes; disposed, it ends at once and compares nothing. */
export interface LoadByNodes extends AsyncDisposable {
  /** Ends the load, and prints what went wrong. */
  end(): Promise<{ readonly failed: number; readonly lost: number }>;
}

/** Clients that write and read at these nodes. */
export async function startLoadAt(
  cluster: TestCluster,
  nodes: readonly number[],
  options: Pick<LedgerOptions, "port" | "tls">,
): Promise<LoadByNodes> {
  await using stack = new AsyncDisposableStack();
  const ledgers: Ledger[] = [];
  for (const node of nodes) {
    const at = { ...options, host: cluster.address(node) };
    ledgers.push(stack.use(await startLedger({ ...at, connections: 4, pauseMs: 10 })));
  }
  const owned = stack.move();
  return {
    end: async () => {
      const reports = await Promise.all(ledgers.map((ledger) => ledger.stop()));
      const complaints = reports.flatMap((report) => report.complaints);
      if (complaints.length > 0) console.error(complaints.join("\n"));
      const sum = (of: "failed" | "lost"): number => reports.reduce((total, report) => total + report[of], 0);
      return { failed: sum("failed"), lost: sum("lost") };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The processes that the agent of a node has started. */
export function childrenOf(
  cluster: TestCluster,
  node: number,
): readonly { readonly pid: number; readonly command: string }[] {
  const parent = String(cluster.pid(node));
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ") }));
}

function parentOf(pid: string): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
