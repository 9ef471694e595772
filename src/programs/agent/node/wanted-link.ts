import { engineLogins } from "../../../core/api/engine-login.ts";
import { PORTS } from "../../../core/api/names.ts";
import type { DatabaseRecord, ShardRecord } from "../../../core/api/records.ts";
import { siteKeptBytes } from "../../../core/api/settings/replication-buffers.ts";
import { shareOf, slotsOf } from "../../../core/slots/shard-slots.ts";
import { namedSlices } from "../../../core/slots/site-slices.ts";
import { otherSites } from "../../../core/planner/active-active/other-sites.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { presentMembers } from "../../../core/planner/database/in-sync.ts";
import { instanceFiles } from "../../../mechanisms/supervisor/instance-files.ts";
import type { LinkedDatabase } from "../../../ports/management/link-control.ts";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { nodeAddress, type AddressContext } from "../members/addresses.ts";
import type { Records } from "../records/records.ts";
import { clusterDnsName, type AgentConfig } from "../runtime/config.ts";
import type { MountedSecret } from "../runtime/mounted-secret.ts";
import type { LinkConfiguration } from "./link.ts";

/** What the link of a node follows from. */
export interface WantedLinkContext extends AddressContext {
  readonly config: Pick<AgentConfig, "node" | "address" | "cluster" | "namespace" | "dataDir">;
  readonly records: Pick<Records, "state" | "databases">;
  readonly passwords: Pick<DatabasePasswords, "of">;
  readonly tls: Pick<MountedSecret<"tls.crt" | "tls.key" | "ca.crt">, "current">;
  readonly engineTls: Pick<EngineTls, "certificate">;
}

/** What the link of this node serves by the records; undefined while the cluster takes part in no Active-Active database. */
export async function wantedLink(context: WantedLinkContext): Promise<LinkConfiguration | undefined> {
  const { config, records, tls, engineTls } = context;
  const live = records.databases().filter(({ status }) => status !== "delete-pending");
  const databases = (await Promise.all(live.map((record) => linkedSlices(context, record)))).flat();
  if (databases.length === 0) return undefined;
  const own = tls.current();
  const { certificate } = engineTls;
  return {
    listen: { host: config.address, port: PORTS.replication },
    certificate: {
      certificate: own["tls.crt"],
      key: own["tls.key"],
      authorities: own["ca.crt"],
      serverName: clusterDnsName(config),
    },
    ...(certificate === undefined ? {} : { engineCertificate: certificate }),
    databases,
  };
}

/** Each slice of a site; a site that has one is the only slice of it. */
async function linkedSlices(context: WantedLinkContext, record: DatabaseRecord): Promise<readonly LinkedDatabase[]> {
  const sites = otherSites(context.records.state() ?? {}, record);
  const { activeActive, shards, memoryBytes } = record;
  if (activeActive === undefined || sites === undefined || shards.length === 0) return [];
  const { access } = await context.passwords.of(record);
  const { guid, site, slices = 1 } = activeActive;
  return shards.flatMap((shard) =>
    namedSlices(guid, slotsOf(shard), slices).map((named) => ({
      ...named,
      bdb: record.uid,
      site,
      sites: sites.map(({ host, port, ...other }) => ({ ...other, address: { host, port } })),
      ...whereIs(context, record, shard),
      logins: engineLogins(access),
      confirmedBy: presentMembers(shard)?.length ?? 0,
      keptBytes: siteKeptBytes(
        named.slice === undefined ? memoryBytes : shareOf(memoryBytes, { slots: [named.slice.slots] }),
      ),
      awaitsSites: record.awaitsSites === true,
    })),
  );
}

/** The primary here, or the link beside it on its node; neither while the primary is cut off. */
function whereIs(
  context: WantedLinkContext,
  { uid }: DatabaseRecord,
  shard: ShardRecord,
): Pick<LinkedDatabase, "primary" | "appendOnlyFolder" | "relay"> {
  if (shard.switchover?.forced === true) return {};
  const { id, node, port, tls } = primaryOf(shard);
  const host = nodeAddress(context, node);
  if (host === undefined) return {};
  return node === context.config.node
    ? {
        primary: { host, port, ...(tls === undefined ? {} : { tls }) },
        appendOnlyFolder: instanceFiles(context.config.dataDir, uid, id).appendOnlyFolder,
      }
    : { relay: { host, port: PORTS.replication } };
}
