import type { DatabaseRecord } from "../../../core/api/records.ts";
import { fateOfData } from "../../../core/planner/database/kept-data.ts";
import { withEpochPast } from "../../../core/records/switchover-record.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import type { InstanceSupervisor } from "../../../mechanisms/supervisor/instances.ts";
import type { DatabasePasswords, HeldPasswords } from "../credentials/database-passwords.ts";
import { nodeAddress } from "../members/addresses.ts";
import type { AddressContext } from "../members/addresses.ts";
import { syncReplicas } from "../members/sync-replicas.ts";
import type { Members } from "../members/members.ts";
import type { LoadedModules } from "../modules/module-store.ts";
import { isDraining, maintenanceOf } from "../../../core/records/maintenance.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";
import { runPasses, type PassRunner } from "../runtime/pass-runner.ts";
import type { NodeLink } from "./link.ts";
import type { NodeMovers } from "./movers.ts";
import type { NodeProxy } from "./proxy.ts";
import type { VolumeGuard } from "./volume-guard.ts";
import { endRetention } from "./set-aside.ts";
import { wantedLink, type WantedLinkContext } from "./wanted-link.ts";
import { wantedMovers } from "./wanted-movers.ts";
import { wantedEndpoint, nodeInstances } from "./wanted.ts";

const RETENTION_CHECK_MS = 600_000;

/** What the node's engines and endpoints follow from. */
export interface NodeSyncContext extends AddressContext {
  readonly config: Pick<AgentConfig, "node" | "address" | "cluster" | "namespace" | "dataDir">;
  readonly records: Pick<Records, "state" | "databases" | "isReadable" | "changeDatabase">;
  readonly passwords: Pick<DatabasePasswords, "of">;
  readonly modulesOf: LoadedModules;
  readonly engineTls: Pick<EngineTls, "certificate">;
  readonly supervisor: Pick<InstanceSupervisor, "reconcileInstances" | "releaseSetAside" | "setAside">;
  readonly members: Pick<Members, "get" | "list">;
  readonly volume: Pick<VolumeGuard, "full">;
  readonly tls: WantedLinkContext["tls"];
  readonly link: Pick<NodeLink, "apply">;
  readonly movers: Pick<NodeMovers, "apply">;
  readonly proxy: Pick<NodeProxy, "apply" | "acceptsClients" | "highestEpoch">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface NodeSync {
  /** Requests a pass over the records. */
  request(): void;
  /** Resolves once the proxy has the endpoints that the records name now. */
  endpointsApplied(): Promise<void>;
  /** Calls back when the node begins or ceases to accept clients. */
  onAcceptingChange(listener: () => void): void;
  readonly stopped: Promise<void>;
}

/**
 * Keeps the engines, the endpoints, the link and the movers of this node as the records name them, until `signal` aborts. Endpoints do not wait
 * for engines: the proxy learns of a switchover at once, also while an engine takes its time to stop.
 */
export function syncNode(context: NodeSyncContext, signal: AbortSignal): NodeSync {
  const listeners: (() => void)[] = [];
  const options = { clock: context.clock, log: context.log, signal };
  const engines = runPasses("engines", () => applyInstances(context), options);
  void requestAgain(engines, context.clock, signal);
  let accepted = false;
  const endpoints = runPasses(
    "endpoints",
    async () => {
      await applyEndpoints(context);
      if (context.proxy.acceptsClients() === accepted) return;
      accepted = context.proxy.acceptsClients();
      for (const listener of listeners) listener();
    },
    options,
  );
  const link = runPasses("link", async () => context.link.apply(await wantedLink(context)), options);
  const movers = runPasses("movers", async () => context.movers.apply(await wantedMovers(context)), options);
  const all = [engines, endpoints, link, movers];
  return {
    request: () => {
      for (const passes of all) passes.request();
    },
    endpointsApplied: () => endpoints.completed(),
    onAcceptingChange: (listener) => {
      listeners.push(listener);
    },
    stopped: Promise.all(all.map(({ stopped }) => stopped)).then(() => undefined),
  };
}

/** Requests passes, because the time of data that is set aside ends without any change of a record. */
async function requestAgain({ request }: PassRunner, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(RETENTION_CHECK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    request();
  }
}

async function applyInstances(context: NodeSyncContext): Promise<void> {
  const { config, records, modulesOf, supervisor } = context;
  const addressOf = (node: number): string | undefined => nodeAddress(context, node);
  const { databases, isReadable } = records;
  const { certificate } = context.engineTls;
  const writtenDown = { databases: databases(), deleted: records.state()?.deleted ?? [], isReadable };
  const wanted = await forEach(context, (record, held) =>
    nodeInstances(record, config.node, held, {
      addressOf,
      modulesOf,
      certificate,
      fullNodes: fullNodes(context, record),
    }),
  );
  await supervisor.reconcileInstances(wanted.flat(), (kept) => fateOfData(kept, writtenDown));
  await endRetention(context);
}

/** Raises the epoch of a record that was restored from an older copy, so that proxies accept it. */
async function passServedEpochs({ records, proxy, log }: NodeSyncContext): Promise<void> {
  for (const { uid, shards } of records.databases()) {
    for (const { id, epoch, switchover } of shards) {
      const served = proxy.highestEpoch(uid, id);
      if (epoch >= served || switchover !== undefined) continue;
      await records.changeDatabase(uid, (stored) => withEpochPast(stored, id, served));
      log.warn("a record was older than what was served: its epoch is raised", { bdb: uid, shard: id, served });
    }
  }
}

/** Nodes that hold a copy of the database, or of a shard, and have no room for more of it. */
function fullNodes(
  { config, members, volume }: Pick<NodeSyncContext, "config" | "members" | "volume">,
  { uid: bdb }: DatabaseRecord,
): readonly number[] {
  const others = members
    .list()
    .filter(({ fresh }) => fresh)
    .map(({ uid, report }) => ({ node: uid, full: report.fullVolume }));
  return [{ node: config.node, full: volume.full() }, ...others]
    .filter(({ full }) => full?.databases.some((one) => one.bdb === bdb) === true)
    .map(({ node }) => node);
}

async function applyEndpoints(context: NodeSyncContext): Promise<void> {
  const { config, records, proxy } = context;
  const addressOf = (node: number): string | undefined => nodeAddress(context, node);
  // one that is silent is not gone: while the Kubernetes API is away, all are
  const openNodes = context.members
    .list()
    .filter(({ held, report }) => held && report.acceptsClients)
    .map(({ uid }) => uid);
  const wanted = await forEach(context, (record, held) =>
    wantedEndpoint(record, config, held, {
      addressOf,
      syncOf: ({ id }) => syncReplicas(context, record, id),
      openNodes,
      leftNodes: openNodes.filter((node) => isDraining(records.state(), node)),
    }),
  );
  const isEvacuated = maintenanceOf(records.state(), config.node)?.state === "on";
  await proxy.apply(
    wanted.filter((endpoint) => endpoint !== undefined),
    isEvacuated,
  );
  await passServedEpochs(context);
}

/** Databases that are being deleted need nothing more, and may have lost their password already. */
function forEach<T>(
  { records, passwords }: Pick<NodeSyncContext, "records" | "passwords">,
  make: (record: DatabaseRecord, passwords: HeldPasswords) => T,
): Promise<T[]> {
  const wanted = records.databases().filter(({ status }) => status !== "delete-pending");
  return Promise.all(wanted.map(async (record) => make(record, await passwords.of(record))));
}
