import type { DatabaseRecord } from "../../../core/api/records.ts";
import { sendToProxies, type ProxyOutcome } from "./proxies.ts";
import { TABLE_MS, type TablePorts } from "./table-ports.ts";

/** Lets the clients of every proxy go on at the shards that serve by this record. */
export function releaseTable(record: DatabaseRecord, ports: TablePorts): Promise<readonly ProxyOutcome[]> {
  const { uid: bdb, shards, tableEpoch = 0 } = record;
  return sendToProxies(ports.proxies, { op: "release-table", bdb, tableEpoch, shards: ports.shown(record, shards) });
}

/** The ISO instant until which primaries that stop serving now stay. */
export function retireUntil({ now }: Pick<TablePorts, "now">): string {
  return new Date(now().getTime() + TABLE_MS.retire).toISOString();
}
