import type { DatabaseRecord } from "../../../core/api/records.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { connectEngine, type EngineAddress } from "../../../ports/resp/engine-client.ts";
import { Fault } from "#kit/base/fault";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { engineAddress, type EngineAddressContext } from "../members/addresses.ts";

/** What drawing keys takes. */
export type DrawnKeysContext = EngineAddressContext & { readonly passwords: Pick<DatabasePasswords, "of"> };

/** Keys of all shards together. */
const DRAWN = 200;
const ANSWER_MS = 500;

/** The slots of some keys of a database, drawn by chance, by their names; of shards whose primary does not answer none. */
export async function drawKeys(
  context: DrawnKeysContext,
  record: DatabaseRecord,
): Promise<ReadonlyMap<string, number>> {
  const { access } = await context.passwords.of(record);
  const addresses = record.shards.map((shard) => engineAddress(context, primaryOf(shard), access));
  const each = Math.ceil(DRAWN / addresses.length);
  const drawn = await Promise.all(addresses.map((address) => drawFrom(address, each)));
  return new Map(drawn.flat());
}

async function drawFrom(
  address: EngineAddress | undefined,
  count: number,
): Promise<readonly (readonly [name: string, slot: number])[]> {
  if (address === undefined) return [];
  try {
    const client = await connectEngine({ ...address, timeoutMs: ANSWER_MS, bulk: "bytes" });
    const drawn: (readonly [string, number])[] = [];
    try {
      for (let at = 0; at < count; at += 1) {
        const name = await client.call("RANDOMKEY");
        if (!(name instanceof Uint8Array)) break;
        const bytes = Buffer.from(name);
        drawn.push([bytes.toString("latin1"), slotOf(bytes)]);
      }
    } finally {
      client.close();
    }
    return drawn;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [];
  }
}
