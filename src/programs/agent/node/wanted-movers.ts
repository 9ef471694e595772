import { engineLogins } from "../../../core/api/engine-login.ts";
import type { DatabaseRecord, ReshapeIntent } from "../../../core/api/records.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { replacedShards } from "../../../core/planner/database/replaced-shards.ts";
import { needsCertificate } from "../../../core/planner/database/upstream.ts";
import { slotsOf } from "../../../core/slots/shard-slots.ts";
import type { MoverSource, MoverTarget } from "../../../ports/management/mover-control.ts";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { nodeAddress, type AddressContext } from "../members/addresses.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";
import type { WantedMover } from "./movers.ts";

/** What the movers of a node follow from. */
export interface WantedMoversContext extends AddressContext {
  readonly config: Pick<AgentConfig, "node" | "address">;
  readonly records: Pick<Records, "databases">;
  readonly passwords: Pick<DatabasePasswords, "of">;
  readonly engineTls: Pick<EngineTls, "certificate">;
}

/** The movers that this node runs by the records. One begins while the record says that shards are copied, and never later. */
export async function wantedMovers(context: WantedMoversContext): Promise<readonly WantedMover[]> {
  const { config, records } = context;
  const wanted = records.databases().map(async (record): Promise<readonly WantedMover[]> => {
    const { uid: bdb, reshape, status } = record;
    if (reshape === undefined || reshape.mover.node !== config.node) return [];
    if (reshape.phase === "retire" || status === "delete-pending") return [];
    return [{ bdb, attempt: reshape.attempt, begin: await beginOf(context, record, reshape) }];
  });
  return (await Promise.all(wanted)).flat();
}

async function beginOf(
  context: WantedMoversContext,
  record: DatabaseRecord,
  reshape: ReshapeIntent,
): Promise<WantedMover["begin"]> {
  if (reshape.phase !== "copy") return "no more";
  const { certificate } = context.engineTls;
  const shows = needsCertificate(record);
  const sources = sourcesOf(context, record);
  if (sources === undefined || (shows && certificate === undefined)) return "later";
  const { access } = await context.passwords.of(record);
  return {
    op: "begin",
    bdb: record.uid,
    sources,
    targets: targetsOf(context, reshape),
    logins: engineLogins(access),
    ...(shows && certificate !== undefined ? { engineCertificate: certificate } : {}),
  };
}

/** The shards that are replaced; undefined while the address of a primary is not known. */
function sourcesOf(context: AddressContext, record: DatabaseRecord): readonly MoverSource[] | undefined {
  const shards = replacedShards(record);
  const sources = shards.flatMap((shard): readonly MoverSource[] => {
    const { node, port, tls } = primaryOf(shard);
    const host = nodeAddress(context, node);
    const primary = host === undefined ? undefined : { host, port, ...(tls === undefined ? {} : { tls }) };
    return primary === undefined ? [] : [{ id: shard.id, primary, slots: slotsOf(shard) }];
  });
  return sources.length === shards.length ? sources : undefined;
}

function targetsOf({ config }: WantedMoversContext, { shards, mover }: ReshapeIntent): readonly MoverTarget[] {
  return shards.flatMap((shard, at): readonly MoverTarget[] => {
    const port = mover.ports[at];
    return port === undefined ? [] : [{ id: shard.id, listen: { host: config.address, port }, slots: slotsOf(shard) }];
  });
}
