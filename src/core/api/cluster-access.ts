import { z } from "zod";
import { parseJson } from "#kit/base/json";

const login = z.object({ username: z.string().min(1), password: z.string().min(1) });

/** A name and its password. */
export type Login = Readonly<z.infer<typeof login>>;

const schema = z.object({
  /** Grows with each change, so that a node can say which one it has read. */
  revision: z.int().positive(),
  /** What operator, rigger and nodes say to the management API. */
  current: login,
  /** Since when another one is the current one than at first, as a timestamp: engines get other passwords then, too. */
  since: z.iso.datetime().optional(),
  /** Accepted besides; it becomes the current one once every node accepts it. `secret`: a user wrote it into the Secret. */
  next: login.extend({ by: z.enum(["operator", "secret"]) }).optional(),
  /** Accepted besides, until the overlap is over; since when each is not the current one, as timestamps. */
  former: z.array(login.extend({ since: z.iso.datetime() })).default([]),
  /** The last request for another password that was granted. */
  answered: z.string().optional(),
});

/** The logins of the cluster to its management API, also while its password changes: kept in the Secret that all nodes have mounted. */
export type ClusterAccess = z.infer<typeof schema>;

/** Undefined for the empty text that an operator of a release before 0.4.0 left there. */
export function parseClusterAccess(text: string): ClusterAccess | undefined {
  // what is not JSON a user wrote, and the operator replaces it
  return schema.safeParse(parseJson(text)).data;
}

/** Every login that counts. */
export function acceptedLogins({ current, next, former }: ClusterAccess): readonly Login[] {
  return [current, ...(next === undefined ? [] : [next]), ...former];
}

/** Whether two are the same name with the same password. */
export function isSameLogin(one: Login, other: Login): boolean {
  return one.username === other.username && one.password === other.password;
}
