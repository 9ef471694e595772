import type { Clock } from "#kit/base/clock";
import { isFault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { isSame } from "#kit/kube/same";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import { knowsLinks, type SiteState } from "../../../mechanisms/observe/sites/sites.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import { localContextOf, type RemoteReadDeps, type Rerc } from "./participant.ts";
import { remoteSitesOf } from "./remote-sites.ts";

/** What the passes over remote clusters work on. */
export interface RemoteClusterDeps extends RemoteReadDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly findings: FindingLog;
  readonly release: Release;
  /** Asks for a pass over an Active-Active database, by `namespace/name`, that the remote cluster has a record of. */
  readonly enqueueActiveActive: (key: string) => void;
}

/** The other participants read from the local cluster which operator manages it (§9). */
export async function writeOperatorVersion(deps: RemoteClusterDeps, rerc: Rerc, { answer }: SiteState): Promise<void> {
  const { operator } = deps.release;
  if ("evidence" in answer || answer.cluster.operator_version === operator) return;
  await write(deps, rerc, "the operator version", async (client) => {
    await client.call("updateCluster", { body: { operator_version: operator } });
    deps.sites.wrote(client);
  });
}

/** Links know by it where the other participants are, and whom they trust. Nodes of releases before 0.4.0 never see it. */
export async function writeRemoteSites(deps: RemoteClusterDeps, rerc: Rerc, { answer }: SiteState): Promise<void> {
  if ("evidence" in answer || !knowsLinks(answer)) return;
  await write(deps, rerc, "the remote clusters", async (client) => {
    const before = await client.call("remoteSites");
    const body = remoteSitesOf(deps, rerc.metadata.namespace ?? "default", before);
    if (!isSame(before, body)) await client.call("putRemoteSites", { body });
  });
}

async function write(
  deps: RemoteClusterDeps,
  rerc: Rerc,
  what: string,
  call: (client: ManagementClient) => Promise<void>,
): Promise<void> {
  const client = localContextOf(deps, rerc)?.connection?.client;
  if (client === undefined) return;
  try {
    await call(client);
  } catch (error) {
    if (!Object.values(managementFaults).some((fault) => isFault(error, fault))) throw error;
    deps.log.warn(`${what} could not be written to the cluster, trying again`, {
      cluster: rerc.spec.recName,
      error: messageOf(error),
    });
  }
}
