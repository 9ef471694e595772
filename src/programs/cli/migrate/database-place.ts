import { Secrets } from "#kit/kube/builtin";
import { Fault } from "#kit/base/fault";
import { memoryBytes, MIN_DATABASE_BYTES } from "../../../core/api/settings/memory.ts";
import { faults } from "../../../core/migration/faults.ts";
import { namedShards } from "../../../core/slots/named-slots.ts";
import { destinationsOf, type Destinations } from "../../../core/slots/passage.ts";
import { slotsOf } from "../../../core/slots/shard-slots.ts";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { faults as cliFaults } from "../faults.ts";
import { textInSecret, tlsOf } from "./source-address.ts";

/** The database that is to be filled, as its object says. */
export interface DatabasePlace {
  readonly endpoint: EngineAddress;
  readonly slots: Destinations;
  readonly shards: number;
  readonly memory: number;
}

/** Where an endpoint is reached. */
export interface MigrationEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Where a database is, and its password; `at` is another address of its endpoint. MIGRATION_NOT_READY when it has none yet. */
export async function databasePlace(
  { kube, namespace }: Pick<NamespaceAccess, "kube" | "namespace">,
  name: string,
  at: MigrationEndpoint | undefined,
): Promise<DatabasePlace> {
  const found = await kube.get(Databases, { name, namespace });
  if (found === undefined)
    throw new Fault(cliFaults.noDatabase, `namespace ${namespace} has no StoreEnterpriseDatabase "${name}"`);
  const { internalEndpoints = [], databaseSecretName = "", status, shards = [], authorityDigest } = found.status ?? {};
  const [inside] = internalEndpoints;
  const table = namedShards(shards.map(({ slots }) => slots));
  if (inside === undefined || status !== "active" || "why" in table)
    throw new Fault(faults.notReady, `${name} is ${status ?? "not there yet"}.`);
  const secret = await kube.get(Secrets, { name: databaseSecretName, namespace });
  const all = [{ from: 0, to: LAST_SLOT }];
  return {
    endpoint: {
      ...(at ?? inside),
      password: textInSecret(secret, "password"),
      ...(authorityDigest === undefined ? {} : { tls: tlsOf(textInSecret(secret, "ca.crt") ?? "", inside.host) }),
    },
    slots: destinationsOf(all, table.map(slotsOf)),
    shards: table.length,
    memory: memoryBytes(found.spec.memorySize ?? "") ?? MIN_DATABASE_BYTES,
  };
}

const LAST_SLOT = 16_383;
