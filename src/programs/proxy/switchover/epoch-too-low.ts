import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";

/** What is said to a command whose epoch is lower than the one that is known. */
export function epochTooLow(
  what: string,
  facts: { readonly bdb: number; readonly shard?: number; readonly known: number; readonly given: number },
): Fault {
  return new Fault(faults.epochTooLow, `${what} at epoch ${facts.known}; epoch ${facts.given} comes too late.`, facts);
}
