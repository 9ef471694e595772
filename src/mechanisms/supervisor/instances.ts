import { existsSync } from "node:fs";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EngineRunner } from "./engine-process.ts";
import type { FoundEngine } from "./engines.ts";
import { Instance } from "./instance.ts";
import type { InstanceDeps } from "./instance.ts";
import type { InstanceReport, ReplicationAnswer } from "./instance-report.ts";
import {
  hasRestored,
  instanceFiles,
  listInstanceDirectories,
  readDatabase,
  readLaunch,
  removeInstance,
} from "./instance-files.ts";
import type { InstanceDirectory } from "./instance-files.ts";
import { endLeftover } from "./leftovers.ts";
import { adopt, newestData, listSetAside, release, setAside } from "./set-aside.ts";
import type { SetAsideData } from "./set-aside.ts";
import { Fault } from "#kit/base/fault";
import { faults } from "./faults.ts";
import { placeRestored } from "./restored-data.ts";
import type { WantedInstance } from "./wanted-instance.ts";
import { oneAtATime } from "#kit/base/in-turn";

export interface SupervisorDeps {
  /** Folder that holds each instance's data directory. */
  readonly data: string;
  readonly engines: readonly FoundEngine[];
  readonly runner: EngineRunner;
  readonly clock: Clock;
  readonly log: Log;
  /** Replaces single limits, for tests. */
  readonly limits?: Partial<InstanceDeps["limits"]>;
}

/**
 * What becomes of data that no wanted instance uses, and of its engine; "leave": nothing. `created` names the database of the data, if that is
 * known.
 */
export type FateOf = (kept: {
  readonly bdb: number;
  readonly instance: number;
  readonly created: string | undefined;
}) => "remove" | "set-aside" | "leave";

/** The engine processes of one node. */
export interface InstanceSupervisor {
  /**
   * Makes the node run exactly `wanted`: an instance that is not named is stopped, and its data removed or set aside, or
   * all of it left alone, as `fateOf` says. Data that was set aside is adopted when its instance is wanted again. Resolves when everything was started
   * or stopped; idempotent; rejects when a directory could not be moved or removed, after everything else was done.
   */
  reconcileInstances(wanted: readonly WantedInstance[], fateOf: FateOf): Promise<void>;
  report(): readonly InstanceReport[];
  /** What the engine of an instance said last of its replication; undefined while it has said nothing. */
  replicationOf(bdb: number, instance: number): ReplicationAnswer | undefined;
  /** What the running engines show and trust, of those that speak TLS. */
  certificates(): readonly EngineCertificate[];
  /** What is set aside on this node, oldest first; empty before the first reconcile. */
  setAside(): readonly SetAsideData[];
  /** Removes what is set aside and `isOver`. */
  releaseSetAside(isOver: (data: SetAsideData) => boolean): Promise<void>;
  /** Puts a folder that `draftRestored` has made in the place of the data of an instance; SUPERVISOR_RUNS when its engine runs. */
  placeRestored(bdb: number, instance: number, draft: string): Promise<void>;
  /** Ends every process and keeps all data, as when the node's pod ends. */
  stopAll(): Promise<void>;
}

const LIMITS: InstanceDeps["limits"] = {
  readyMs: 60_000,
  silentMs: 10_000,
  everyMs: 500,
  calmMs: 2_000,
  graceMs: 10_000,
};
/** An instance that is removed has nothing to save. */
const REMOVAL_GRACE_MS = 2_000;

/** Begins without a process; engines that an earlier agent left running are ended by the first reconcile. */
export function superviseInstances(deps: SupervisorDeps): InstanceSupervisor {
  const instances = new Instances(deps);
  const inTurn = oneAtATime();
  return {
    reconcileInstances: (wanted, fateOf) => inTurn(() => instances.reconcile(wanted, fateOf)),
    report: () => instances.report(),
    replicationOf: (bdb, instance) => instances.replicationOf(bdb, instance),
    certificates: () => instances.certificates(),
    setAside: () => instances.kept,
    releaseSetAside: (isOver) => inTurn(() => instances.release(isOver)),
    placeRestored: (bdb, instance, draft) => inTurn(() => instances.placeRestored(bdb, instance, draft)),
    stopAll: async () => {
      await inTurn(() => Promise.resolve()); // what has begun is over then
      await instances.stopAll();
    },
  };
}

/** The instances of a node by database and id. */
class Instances {
  /** What is set aside. */
  kept: readonly SetAsideData[] = [];
  readonly #instances = new Map<string, Instance>();
  readonly #deps: SupervisorDeps & InstanceDeps;
  #isOpen = false;

  constructor(deps: SupervisorDeps) {
    this.#deps = { ...deps, limits: { ...LIMITS, ...deps.limits } };
  }

  async reconcile(wanted: readonly WantedInstance[], fateOf: FateOf): Promise<void> {
    if (!this.#isOpen) {
      await endLeftovers(this.#deps, this.#deps.limits.graceMs);
      this.kept = await listSetAside(this.#deps.data);
    }
    this.#isOpen = true;
    const unused = await this.#unused(wanted);
    // first: a new instance may need the port or the folder of one that goes
    const left = await Promise.allSettled(unused.map((directory) => this.#leave(directory, fateOf)));
    const begun = await Promise.allSettled(
      wanted.map(async (one) => {
        await this.#adopt(one);
        await this.#reconcileOne(one);
      }),
    );
    for (const result of [...left, ...begun]) if (result.status === "rejected") throw result.reason;
  }

  report(): readonly InstanceReport[] {
    return [...this.#instances.values()].map((instance) => instance.report());
  }

  replicationOf(bdb: number, instance: number): ReplicationAnswer | undefined {
    return this.#instances.get(keyOf({ bdb, instance }))?.replication();
  }

  certificates(): readonly EngineCertificate[] {
    return [...this.#instances.values()].flatMap((instance) => instance.certificate() ?? []);
  }

  async release(isOver: (data: SetAsideData) => boolean): Promise<void> {
    const { data, log } = this.#deps;
    for (const one of this.kept.filter(isOver)) {
      await release(data, one);
      log.info("data that was set aside is removed", { ...one });
    }
    if (this.#isOpen) this.kept = await listSetAside(data);
  }

  async placeRestored(bdb: number, instance: number, draft: string): Promise<void> {
    const { state = "stopped", lost = false } = this.#instances.get(keyOf({ bdb, instance }))?.report() ?? {};
    if (state !== "stopped" && state !== "crashed")
      throw new Fault(faults.runs, `instance ${instance} of database ${bdb} is ${state}`);
    const files = instanceFiles(this.#deps.data, bdb, instance);
    // whatever a record says: data that an engine has served with give way to none of a backup
    if (!lost && (await readLaunch(files)) !== undefined && !(await hasRestored(files)))
      throw new Fault(faults.hasData, `instance ${instance} of database ${bdb} has data on the volume of this node`);
    await placeRestored(this.#deps.data, bdb, instance, draft);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.stop()));
    this.#instances.clear();
  }

  /** Directories that no wanted instance uses, also those of another database that had the same uid. */
  async #unused(wanted: readonly WantedInstance[]): Promise<readonly (InstanceDirectory & Owned)[]> {
    const { data } = this.#deps;
    const own = this.report().map(({ bdb, instance }) => ({
      bdb,
      instance,
      files: instanceFiles(data, bdb, instance),
    }));
    const all = new Map([...(await listInstanceDirectories(data)), ...own].map((one) => [keyOf(one), one]));
    const users = new Map(wanted.map((one) => [keyOf(one), one.database.created]));
    const unused = await Promise.all(
      [...all].map(async ([key, directory]) => {
        const created = this.#instances.get(key)?.database().created ?? (await readDatabase(directory.files))?.created;
        const isUsed = users.has(key) && (created ?? users.get(key)) === users.get(key);
        return isUsed ? [] : [{ ...directory, created }];
      }),
    );
    return unused.flat();
  }

  async #leave(directory: InstanceDirectory & Owned, fateOf: FateOf): Promise<void> {
    const { data, clock, log, limits } = this.#deps;
    const { bdb, instance, created } = directory;
    const fate = fateOf({ bdb, instance, created });
    if (fate === "leave") return;
    const running = this.#instances.get(keyOf(directory));
    if (fate === "remove") await running?.stop(REMOVAL_GRACE_MS);
    else await running?.stop(limits.graceMs, true);
    this.#instances.delete(keyOf(directory));
    if (fate === "remove") await removeInstance(data, directory);
    else await setAside(data, directory, clock.now());
    if (fate === "set-aside") this.kept = await listSetAside(data);
    if (fate === "remove") log.info("instance removed with its data", { bdb, instance });
    else log.warn("no record asks for an instance: its data is set aside", { bdb, instance, created });
  }

  async #adopt(wanted: WantedInstance): Promise<void> {
    const { data, log } = this.#deps;
    const found = this.#instances.has(keyOf(wanted)) ? undefined : newestData(this.kept, wanted);
    const { directory } = instanceFiles(data, wanted.bdb, wanted.instance);
    if (found === undefined || existsSync(directory)) return;
    await adopt(data, found, directory);
    this.kept = await listSetAside(data);
    log.info("data that was set aside is used again", { ...found });
  }

  #reconcileOne(wanted: WantedInstance): Promise<void> {
    const files = instanceFiles(this.#deps.data, wanted.bdb, wanted.instance);
    const instance = this.#instances.get(keyOf(wanted)) ?? new Instance(wanted, files, this.#deps);
    this.#instances.set(keyOf(wanted), instance);
    return instance.reconcile(wanted);
  }
}

/** The database that the data of a directory is of, by its creation; undefined where that is not known. */
interface Owned {
  readonly created: string | undefined;
}

async function endLeftovers({ data, clock, log }: SupervisorDeps, graceMs: number): Promise<void> {
  const directories = await listInstanceDirectories(data);
  await Promise.all(
    directories.map(async ({ bdb, instance, files }) => {
      if (await endLeftover(files, graceMs, clock)) log.warn("engine of an earlier agent ended", { bdb, instance });
    }),
  );
}

function keyOf({ bdb, instance }: { readonly bdb: number; readonly instance: number }): string {
  return `${bdb}/${instance}`;
}
