import { primaryOf } from "../../../core/planner/database/facts.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What the primaries of this node are found from. */
export interface LocalPrimariesContext {
  readonly config: Pick<AgentConfig, "node" | "address">;
  readonly records: Pick<Records, "databases">;
  readonly passwords: Pick<DatabasePasswords, "of">;
}

/** Addresses of the engines of this node that the records, as last seen, name as primary. */
export async function localPrimaries({
  config,
  records,
  passwords,
}: LocalPrimariesContext): Promise<readonly EngineAddress[]> {
  const found = await Promise.all(
    records.databases().map(async (record) => {
      const here = record.shards.map(primaryOf).filter(({ node }) => node === config.node);
      const password = here.length === 0 ? "" : await passwords.of(record);
      return here.map(({ port }) => ({ host: config.address, port, password }));
    }),
  );
  return found.flat();
}
