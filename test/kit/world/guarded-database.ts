import assert from "node:assert/strict";
import { startClients } from "../../../src/programs/demo/load/clients.ts";
import type { Load } from "../../../src/programs/demo/load/clients.ts";
import { connectEngine } from "../../../src/ports/resp/engine-client.ts";
import type { BdbRecord } from "../../../src/ports/management/records.ts";
import type { TestCluster } from "./cluster.ts";
import { nodeOf } from "./shards.ts";

/** The nodes of the cluster. */
export const NODES = [1, 2, 3];

/** A database whose passwords change; disposed of, it is deleted. */
class GuardedDatabase implements AsyncDisposable {
  readonly uid: number;
  readonly port: number;
  readonly #cluster: TestCluster;

  constructor(cluster: TestCluster, { uid, port }: BdbRecord) {
    this.#cluster = cluster;
    this.uid = uid;
    this.port = port;
  }

  read(): Promise<BdbRecord> {
    return this.#cluster.client.call("bdb", { params: { uid: this.uid } });
  }

  change(body: { readonly authentication_redis_pass: string }): Promise<BdbRecord> {
    return this.#cluster.client.call("updateBdb", { params: { uid: this.uid }, body });
  }

  connect(node: number, password: string) {
    return connectEngine({ host: this.#cluster.address(node), port: this.port, password, timeoutMs: 2_000 });
  }

  /** The nodes whose endpoint lets a client with this password in. */
  async acceptedBy(password: string): Promise<readonly number[]> {
    const accepted = await Promise.all(NODES.map((node) => letsIn(this.#cluster.address(node), this.port, password)));
    return NODES.filter((_, index) => accepted[index]);
  }

  /** How many engines let a client with the password in. */
  async enginesAccept(password: string): Promise<number> {
    const shards = await this.#cluster.shards(this.uid);
    const accepted = shards.map((shard) => letsIn(this.#cluster.address(nodeOf(shard)), shard.port, password));
    return (await Promise.all(accepted)).filter(Boolean).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster.client.call("deleteBdb", { params: { uid: this.uid } });
  }
}

async function letsIn(host: string, port: number, password: string): Promise<boolean> {
  try {
    const client = await connectEngine({ host, port, password, timeoutMs: LOGIN_MS });
    try {
      return (await client.call("PING")) === "PONG";
    } finally {
      client.close();
    }
  } catch {
    return false; // refused, or not there at the moment
  }
}

/** A database with two copies of its data whose clients need `password`. */
export async function startGuarded(
  cluster: TestCluster,
  name: string,
  overlapSeconds: number,
  password = "first",
): Promise<GuardedDatabase> {
  const body = { name, memory_size: 50_000_000, replication: true, redis_version: "7.2" } as const;
  const login = { password_overlap_seconds: overlapSeconds, authentication_redis_pass: password };
  return new GuardedDatabase(cluster, await cluster.create({ ...body, ...login }));
}

/** The same, with clients that write, count and read by node 2. */
export async function startGuardedUnderLoad(
  cluster: TestCluster,
  name: string,
  overlapSeconds: number,
): Promise<LoadedDatabase> {
  const { uid, port } = await startGuarded(cluster, name, overlapSeconds);
  const at = { host: cluster.address(2), port };
  const load = await startClients({ ...at, password: "first", connections: 12, gapMs: 2 });
  return new LoadedDatabase(cluster, await cluster.client.call("bdb", { params: { uid } }), load);
}

class LoadedDatabase extends GuardedDatabase {
  readonly #load: Load;
  #finished = false;

  constructor(cluster: TestCluster, bdb: BdbRecord, load: Load) {
    super(cluster, bdb);
    this.#load = load;
  }

  async finishUnharmed(): Promise<void> {
    this.#finished = true;
    const { phases, ledger, failures, reconnects } = await this.#load.finish();
    const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
    assert.ok(ledger.acknowledgedWrites > 0);
    assert.deepEqual(
      { failed, reconnects, lost: ledger.lostWrites, drift: ledger.incrementDrift, stale: ledger.staleReads },
      { failed: 0, reconnects: 0, lost: 0, drift: 0, stale: 0 },
      failures.join("; "),
    );
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#finished) this.#load.abort(); // the test has failed
    await super[Symbol.asyncDispose]();
  }
}

/** After wrong passwords an endpoint lets an address wait. */
const LOGIN_MS = 15_000;
