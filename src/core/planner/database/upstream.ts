import { everyShard } from "../../api/every-shard.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../api/records.ts";
import { primaryOf, wantsTls } from "./facts.ts";

/** Where an instance finds what it follows: the engine of its primary, or a mover. */
export interface UpstreamPlace {
  readonly node: number;
  readonly port: number;
  readonly tls?: true;
}

/**
 * What an instance follows by its record; undefined: it is a primary. A shard that is to be follows the mover until clients may be held. From then on, and
 * in a shard that served before, an engine that ends is not started again: what it had shown would be gone.
 */
export function upstreamOf(
  record: DatabaseRecord,
  shard: ShardRecord,
  { id }: InstanceRecord,
): UpstreamPlace | undefined {
  if (id !== shard.primary) return primaryOf(shard);
  const { reshape } = record;
  const place = reshape?.shards.findIndex((one) => one.id === shard.id) ?? -1;
  const port = reshape?.mover.ports[place];
  if (reshape === undefined || port === undefined || reshape.phase !== "copy") return undefined;
  return { node: reshape.mover.node, port, ...(needsCertificate(record) ? { tls: true } : {}) };
}

/** While a database moves to TLS or from it, engines without it replicate from those with it. Where engines have a certificate, a mover shows one too. */
export function needsCertificate(record: DatabaseRecord): boolean {
  return wantsTls(record) || everyShard(record).some(({ instances }) => instances.some(({ tls }) => tls === true));
}
