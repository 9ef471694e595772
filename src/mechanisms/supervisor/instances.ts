import type { Clock } from "../../core/base/clock.ts";
import type { Log } from "../../core/base/log.ts";
import type { FoundEngine } from "./engines.ts";
import { Instance } from "./instance.ts";
import type { InstanceDeps, InstanceReport } from "./instance.ts";
import { instanceFiles, listInstanceDirectories, removeInstance } from "./instance-files.ts";
import type { InstanceDirectory } from "./instance-files.ts";
import { endLeftover } from "./leftovers.ts";
import type { WantedInstance } from "./wanted-instance.ts";

export interface SupervisorDeps {
  /** Folder that holds each instance's data directory. */
  readonly data: string;
  readonly engines: readonly FoundEngine[];
  readonly clock: Clock;
  readonly log: Log;
  /** Replaces single limits, for tests. */
  readonly limits?: Partial<InstanceDeps["limits"]>;
}

/** The engine processes of one node. */
export interface InstanceSupervisor {
  /**
   * Makes the node run exactly `wanted`: an instance that is not named is stopped and its data removed. Resolves when
   * everything was started or stopped; idempotent; never rejects because of one engine, whose state is in the report.
   */
  reconcileInstances(wanted: readonly WantedInstance[]): Promise<void>;
  report(): readonly InstanceReport[];
  /** Ends every process and keeps all data, as when the node's pod ends. */
  stopAll(): Promise<void>;
}

const LIMITS: InstanceDeps["limits"] = { readyMs: 60_000, silentMs: 10_000, everyMs: 500, graceMs: 10_000 };
/** An instance that is removed has nothing to save. */
const REMOVAL_GRACE_MS = 2_000;

/** Begins without a process; engines that an earlier agent left running are ended by the first reconcile. */
export function superviseInstances(deps: SupervisorDeps): InstanceSupervisor {
  const instances = new Instances(deps);
  let queue: Promise<void> = Promise.resolve();
  return {
    // the caller of the pass before has seen its failure
    reconcileInstances: (wanted) => (queue = queue.catch(() => undefined).then(() => instances.reconcile(wanted))),
    report: () => instances.report(),
    stopAll: async () => {
      await queue.catch(() => undefined); // its own caller has seen the failure
      await instances.stopAll();
    },
  };
}

/** The instances of a node by database and id. */
class Instances {
  readonly #instances = new Map<string, Instance>();
  readonly #deps: SupervisorDeps & InstanceDeps;
  #leftoversEnded = false;

  constructor(deps: SupervisorDeps) {
    this.#deps = { ...deps, limits: { ...LIMITS, ...deps.limits } };
  }

  async reconcile(wanted: readonly WantedInstance[]): Promise<void> {
    if (!this.#leftoversEnded) await endLeftovers(this.#deps, this.#deps.limits.graceMs);
    this.#leftoversEnded = true;
    const unwanted = new Map((await this.#directories()).map((directory) => [keyOf(directory), directory]));
    for (const one of wanted) unwanted.delete(keyOf(one));
    // first: a new instance may need the port of one that is removed
    await Promise.all([...unwanted.values()].map((directory) => this.#remove(directory)));
    await Promise.all(wanted.map((one) => this.#reconcileOne(one)));
  }

  report(): readonly InstanceReport[] {
    return [...this.#instances.values()].map((instance) => instance.report());
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.stop()));
    this.#instances.clear();
  }

  /** Those on disk, and those of instances that have not written anything yet. */
  async #directories(): Promise<readonly InstanceDirectory[]> {
    const { data } = this.#deps;
    const own = this.report().map(({ bdb, instance }) => ({
      bdb,
      instance,
      files: instanceFiles(data, bdb, instance),
    }));
    return [...(await listInstanceDirectories(data)), ...own];
  }

  async #remove(directory: InstanceDirectory): Promise<void> {
    const { bdb, instance } = directory;
    await this.#instances.get(keyOf(directory))?.stop(REMOVAL_GRACE_MS);
    this.#instances.delete(keyOf(directory));
    await removeInstance(this.#deps.data, directory);
    this.#deps.log.info("instance removed with its data", { bdb, instance });
  }

  #reconcileOne(wanted: WantedInstance): Promise<void> {
    const files = instanceFiles(this.#deps.data, wanted.bdb, wanted.instance);
    const instance = this.#instances.get(keyOf(wanted)) ?? new Instance(wanted, files, this.#deps);
    this.#instances.set(keyOf(wanted), instance);
    return instance.reconcile(wanted);
  }
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
