import { primaryOf } from "../../../core/planner/database/facts.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { ClusterView } from "../records/cluster-view.ts";

/** Addresses of the engines of this node that the records, as seen last, call primary. */
export async function localPrimaries({ config, records, passwords }: ClusterView): Promise<readonly EngineAddress[]> {
  const found = await Promise.all(
    records.databases().map(async (record) => {
      const here = record.shards.map(primaryOf).filter(({ node }) => node === config.node);
      const password = here.length === 0 ? "" : await passwords.of(record);
      return here.map(({ port }) => ({ host: config.address, port, password }));
    }),
  );
  return found.flat();
}
