import type { DatabaseRecord } from "../api/records.ts";

/** The ports at which the endpoints of a database accept clients, or may again. */
export function endpointPortsOf({
  port,
  clusterPort,
}: Pick<DatabaseRecord, "port" | "clusterPort">): readonly number[] {
  return clusterPort === undefined ? [port] : [port, clusterPort];
}
