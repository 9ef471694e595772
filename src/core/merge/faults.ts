import type { FaultSpec } from "#kit/base/fault";

/** What can go wrong with what other sites send and with what was saved. */
export const faults = {
  malformed: {
    code: "MERGE_MALFORMED",
    retry: "never",
    remedy:
      "Upgrade all sites of the database to the same release; a site waits until it can read what the others send.",
  },
  clockAhead: {
    code: "MERGE_CLOCK_AHEAD",
    retry: "backoff",
    remedy:
      "Compare the clocks of the nodes of both sites (date -u), and correct the wrong one: operations are taken when their time is nearer. Take a site that has written far ahead out of the database, and put it in again (docs/active-active.md).",
  },
  tooOften: {
    code: "MERGE_BEGUN_TOO_OFTEN",
    retry: "backoff",
    remedy:
      "Take the site out of the database, delete its object there, and put it in again: it gets another number (docs/active-active.md).",
  },
  outnumbered: {
    code: "MERGE_OUTNUMBERED",
    retry: "backoff",
    remedy: "The link begins anew within seconds, and numbers what it writes above that.",
  },
} as const satisfies Record<string, FaultSpec>;
