import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { siteOf } from "./origin.ts";

/**
 * Origins are never forgotten, and each message has what is known of all: a site that could begin anew for ever would end the links of all others.
 * Throws MERGE_BEGUN_TOO_OFTEN when what the site of `from` sends would bring further `origins` beyond those that are known, and they are too many.
 */
export function requireFew(origins: Iterable<number>, known: Iterable<number>, from: number): void {
  const all = new Set(known);
  const added = new Set([...origins].filter((origin) => !all.has(origin)));
  if (added.size === 0) return;
  const site = siteOf(from);
  const both = [...all, ...added];
  const ofSender = both.filter((origin) => siteOf(origin) === site).length;
  if (ofSender > MOST_OF_A_SITE && [...added].some((origin) => siteOf(origin) === site))
    throw new Fault(
      faults.tooOften,
      `Site ${site} has begun anew ${MOST_OF_A_SITE} times, and another site takes no more. Take it out of the database, delete its object there, and put it in again: it gets another number.`,
    );
  if (both.length > MOST_ORIGINS)
    throw new Fault(
      faults.tooOften,
      `All sites together have begun anew ${MOST_ORIGINS} times, and no more is taken. Make another Active-Active database, and copy the data.`,
    );
}

/** How often a site may begin anew before others refuse what it sends of itself; what they pass on of it may be more. */
export const MOST_OF_A_SITE = 256;
/** A greeting has room for more than these. */
export const MOST_ORIGINS = 2_000;
