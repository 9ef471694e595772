import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { InstanceSupervisor } from "../../../mechanisms/supervisor/instances.ts";
import { maintenanceOf } from "../records/maintenance.ts";
import type { Members } from "../records/members.ts";
import type { NodeProxy } from "./proxy.ts";
import type { Passwords } from "./passwords.ts";
import type { Records } from "../records/records.ts";
import { repeating } from "../repeating.ts";
import { wantedEndpoint, wantedInstances, type LoadedModules } from "./wanted.ts";

export interface NodeSyncOptions {
  readonly node: number;
  readonly address: string;
  readonly records: Records;
  readonly members: Members;
  readonly passwords: Passwords;
  readonly modulesOf: LoadedModules;
  readonly supervisor: InstanceSupervisor;
  readonly proxy: NodeProxy;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface NodeSync {
  /** Looks at the records again. */
  ask(): void;
  /** Resolves once the proxy has been told what the records say now. */
  endpointsDone(): Promise<void>;
  /** Calls back when the node begins or ceases to take clients. */
  onServing(listener: () => void): void;
  readonly stopped: Promise<void>;
}

/**
 * Keeps the engines and the endpoints of this node as the records say. Endpoints do not wait for engines: a switchover is
 * known to the proxy at once, also while an engine takes its time to stop.
 */
export function syncNode(options: NodeSyncOptions): NodeSync {
  const { records, members, node, address } = options;
  const addressOf = (uid: number): string | undefined => (uid === node ? address : members.get(uid)?.report.address);

  const listeners: (() => void)[] = [];
  let tookClients = false;

  const engines = repeating(
    "engines",
    async () => {
      // an instance that is not named loses its data: without every record there is no such list
      if (!records.complete()) return;
      const wanted = await forEach(options, (record, password) =>
        wantedInstances(record, node, password, { addressOf, modulesOf: options.modulesOf }),
      );
      await options.supervisor.reconcileInstances(wanted.flat());
    },
    options,
  );
  const endpoints = repeating(
    "endpoints",
    async () => {
      const wanted = await forEach(options, (record, password) => wantedEndpoint(record, address, password, addressOf));
      const isLeft = maintenanceOf(records.state(), node)?.state === "on";
      await options.proxy.want(
        wanted.filter((endpoint) => endpoint !== undefined),
        isLeft,
      );
      if (options.proxy.takesClients() === tookClients) return;
      tookClients = options.proxy.takesClients();
      for (const listener of listeners) listener();
    },
    options,
  );
  return {
    ask: () => {
      engines.ask();
      endpoints.ask();
    },
    endpointsDone: () => endpoints.done(),
    onServing: (listener) => {
      listeners.push(listener);
    },
    stopped: Promise.all([engines.stopped, endpoints.stopped]).then(() => undefined),
  };
}

/** Databases that are being deleted want nothing any more, and may have lost their password already. */
function forEach<T>(
  { records, passwords }: Pick<NodeSyncOptions, "records" | "passwords">,
  make: (record: DatabaseRecord, password: string) => T,
): Promise<T[]> {
  const wanted = records.databases().filter(({ status }) => status !== "delete-pending");
  return Promise.all(wanted.map(async (record) => make(record, await passwords.of(record))));
}
