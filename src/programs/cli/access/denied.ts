import { Fault } from "#kit/base/fault";
import type { Access } from "../../../core/releases/permissions/person-grants.ts";
import { reportingForbidden } from "#kit/kube/forbidden";
import type { Kube } from "#kit/kube/kube";
import { lackingRight } from "./rights.ts";

/** What one command was not allowed to read. */
export interface Denied {
  /** Each right that was missing so far. */
  readonly list: () => readonly Access[];
  /** The result of a reading; `absent` and a note when the caller may not read it. */
  readonly unless: <T, Absent>(reading: Promise<T>, absent: Absent) => Promise<T | Absent>;
  /** The way to the API that notes what the caller may not do, and says so in the same words for all of it. */
  readonly noting: (kube: Kube) => Kube;
}

/** Why something is not known to a caller who may not read it; the missing permissions are named once, beside it. */
export const MAY_NOT_READ = "you may not read it";

/** An empty note. */
export function noteDenied(): Denied {
  const list: Access[] = [];
  return {
    list: () => list,
    unless: async (reading, absent) => {
      try {
        return await reading;
      } catch (error) {
        const access = lackingRight(error);
        if (access === undefined) throw error;
        list.push(access);
        return absent;
      }
    },
    noting: (kube) =>
      reportingForbidden(kube, (refusal) => {
        const access = lackingRight(refusal);
        if (access === undefined) return;
        list.push(access);
        throw new Fault(refusal, MAY_NOT_READ, refusal.details, refusal);
      }),
  };
}
