import { primaryOf } from "../../../core/planner/database/facts.ts";
import { engineLogins } from "../../../core/api/engine-login.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What the primaries of this node are found from. */
export interface LocalPrimariesContext {
  readonly config: Pick<AgentConfig, "node" | "address">;
  readonly records: Pick<Records, "databases">;
  readonly passwords: Pick<DatabasePasswords, "of">;
  readonly engineTls: EngineTls;
}

/** Addresses of the engines of this node that the records, as last seen, name as primary. */
export async function localPrimaries({
  config,
  records,
  passwords,
  engineTls,
}: LocalPrimariesContext): Promise<readonly EngineAddress[]> {
  const found = await Promise.all(
    records.databases().map(async (record) => {
      const here = record.shards.map(primaryOf).filter(({ node }) => node === config.node);
      if (here.length === 0) return [];
      const logins = engineLogins((await passwords.of(record)).access);
      return here.map(({ port, tls }) => ({ host: config.address, port, tls: tls && engineTls, logins }));
    }),
  );
  return found.flat();
}
