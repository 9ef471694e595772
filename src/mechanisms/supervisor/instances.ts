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
   * Makes the node run exactly `wanted`, which must be the whole truth about this node: an instance that is not named is
   * stopped and its data removed. Resolves when everything was started or stopped; idempotent; never rejects because of
   * one engine, whose state says what became of it.
   */
  reconcileInstances(wanted: readonly WantedInstance[]): Promise<void>;
  report(): readonly InstanceReport[];
  /** Ends every process and keeps all data, as when the node's pod ends. */
  stopAll(): Promise<void>;
}

const LIMITS: InstanceDeps["limits"] = { readyMs: 60_000, silentMs: 10_000, everyMs: 500, graceMs: 10_000 };
/** An instance that goes for good has nothing to save. */
const REMOVAL_GRACE_MS = 2_000;

/** Begins with no process of its own; what an earlier agent left running is ended by the first reconcile. */
export function superviseInstances(deps: SupervisorDeps): InstanceSupervisor {
  const instances = new Map<string, Instance>();
  const instanceDeps = { ...deps, limits: { ...LIMITS, ...deps.limits } };
  let queue: Promise<void> = Promise.resolve();
  let leftoversEnded = false;

  const settle = async (wanted: readonly WantedInstance[]): Promise<void> => {
    if (!leftoversEnded) await endLeftovers(deps, instanceDeps.limits.graceMs);
    leftoversEnded = true;
    const present = [...(await listInstanceDirectories(deps.data)), ...[...instances.values()].map(placeOf)];
    const unwanted = new Map(present.map((place) => [keyOf(place), place]));
    for (const one of wanted) unwanted.delete(keyOf(one));
    await Promise.all([...unwanted.values()].map(retire)); // first: one that comes may take over the port of one that goes
    await Promise.all(wanted.map(bring));
  };

  const retire = async (directory: InstanceDirectory): Promise<void> => {
    await instances.get(keyOf(directory))?.stop(REMOVAL_GRACE_MS);
    instances.delete(keyOf(directory));
    await removeInstance(deps.data, directory);
    deps.log.info("instance removed with its data", { bdb: directory.bdb, instance: directory.instance });
  };

  const bring = (wanted: WantedInstance): Promise<void> => {
    const files = instanceFiles(deps.data, wanted.bdb, wanted.instance);
    const instance = instances.get(keyOf(wanted)) ?? new Instance(wanted, files, instanceDeps);
    instances.set(keyOf(wanted), instance);
    return instance.want(wanted);
  };

  const placeOf = (instance: Instance): InstanceDirectory => {
    const { bdb, instance: id } = instance.report();
    return { bdb, instance: id, files: instanceFiles(deps.data, bdb, id) };
  };

  return {
    // whoever asked for the pass before has seen its failure
    reconcileInstances: (wanted) => (queue = queue.catch(() => undefined).then(() => settle(wanted))),
    report: () => [...instances.values()].map((instance) => instance.report()),
    stopAll: async () => {
      await queue.catch(() => undefined); // its own caller has seen the failure
      await Promise.all([...instances.values()].map((instance) => instance.stop()));
      instances.clear();
    },
  };
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
