import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { freeClusterPort, freeEndpointPort } from "../../../../core/planner/database/placement.ts";
import { endpointPortsOf } from "../../../../core/records/endpoint-ports.ts";
import type { Records } from "../../records/records.ts";
import { refusals, refuse } from "../http/refusals.ts";

interface PortContext {
  readonly records: Pick<Records, "databases">;
}

/** The port asked for, or the lowest free one; a refusal when it is taken. */
export function endpointPort({ records }: PortContext, asked: number | undefined): number {
  const databases = records.databases();
  const owner = asked === undefined ? undefined : databases.find((record) => endpointPortsOf(record).includes(asked));
  if (owner !== undefined) {
    const use = owner.port === asked ? "" : ", where libraries in cluster mode connect";
    throw refuse(refusals.portUnavailable, `port ${asked} belongs to database ${owner.uid} ("${owner.name}")${use}`);
  }
  return asked ?? requireFound(freeEndpointPort(databases.flatMap(endpointPortsOf)));
}

/** The database with a port for clients of a cluster where it shows one to them, that which it has had before if there is one; a refusal when all are taken. */
export function withClusterPort<Asked extends Pick<DatabaseRecord, "port" | "clusterPort" | "ossCluster">>(
  { records }: PortContext,
  asked: Asked,
): Asked {
  if (!asked.ossCluster || asked.clusterPort !== undefined) return asked;
  const taken = [asked, ...records.databases()].flatMap(endpointPortsOf);
  return { ...asked, clusterPort: requireFound(freeClusterPort(taken)) };
}

function requireFound(port: number | undefined): number {
  if (port === undefined) throw refuse(refusals.portUnavailable, "every endpoint port is taken");
  return port;
}
