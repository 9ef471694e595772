import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Login } from "../../../../core/api/cluster-access.ts";
import type { ManagementRole } from "../../../../core/api/management-roles.ts";
import type { ClusterUser } from "../../../../core/api/records.ts";
import { fairQueue } from "../../credentials/fair-queue.ts";
import { matchesHash } from "../../credentials/password-hash.ts";
import type { UserMark } from "../users/acting-user.ts";
import { refusals, refuse } from "./refusals.ts";

/** The cluster itself and its administrator, or a user. */
export interface Caller {
  readonly name: string;
  readonly role: ManagementRole;
  /** True for the credentials in the cluster's Secret, which its nodes use. */
  readonly isCluster: boolean;
  /** The user; absent for the cluster itself. */
  readonly user?: UserMark;
  /** uid of the node that passes on what this caller asked it; absent when the caller asks this node. */
  readonly forwardedBy?: string;
}

export interface AuthenticatorDeps {
  /** The logins of the cluster itself, read at each request, so that a change counts at once. */
  readonly logins: () => readonly Login[];
  /** Read at each request, so that a removed user is refused at once. */
  readonly users: () => readonly ClusterUser[];
  readonly hashIn: (secret: string) => Promise<string | undefined>;
}

/** Finds the owner of a header with Basic credentials that was sent from an address. */
export type Authenticate = (header: string | undefined, address: string) => Promise<Caller | undefined>;

/** How many passwords may wait to be checked, one after the other, so that guesses can neither fill the node nor keep others out. */
const WAITING = { ofSubject: 15, subjects: 64, owners: 64 };
/** Pairs that have been right and need no second hash. */
const MOST_REMEMBERED = 1_000;

/**
 * Finds the caller of a header with Basic credentials; undefined when the credentials are unknown. Takes the same time however much of them is
 * right. AGENT_TOO_MANY_LOGINS while too many log in for the first time as the same user from the same address: a client that guesses there, for
 * others or for names that no user has, keeps a user out no more than that.
 */
export function authenticator(deps: AuthenticatorDeps): Authenticate {
  const secret = randomBytes(32);
  const withFinished = new Set<string>();
  const checks = fairQueue(WAITING);

  /** Names that no user has are one subject. */
  const isRight = async (
    address: string,
    user: ClusterUser | undefined,
    password: string,
    hash: string | undefined,
  ): Promise<boolean> => {
    const check = checks.add(address, user?.email ?? "", () => matchesHash(password, hash));
    if (check === undefined)
      throw refuse(refusals.tooManyLogins, `too many passwords are waiting to be checked, of ${address} or of others`);
    return check;
  };

  return async (header, address) => {
    const given = credentialsIn(header);
    const same = deps.logins().filter(({ username, password }) => isSame(given, `${username}:${password}`));
    for (const { username } of same) return { name: username, role: "admin", isCluster: true };
    const users = deps.users();
    if (users.length === 0) return undefined;
    const colon = given.indexOf(":");
    const user = users.find(({ email }) => email === given.slice(0, Math.max(colon, 0)));
    const mark = createHmac("sha256", secret)
      .update(`${user?.secret ?? ""} ${given}`)
      .digest("base64");
    if (!(user !== undefined && withFinished.has(mark))) {
      const hash = user && (await deps.hashIn(user.secret));
      if (!(await isRight(address, user, given.slice(colon + 1), hash)) || user === undefined) return undefined;
      if (withFinished.size >= MOST_REMEMBERED) withFinished.clear();
      withFinished.add(mark);
    }
    return callerOfUser(user);
  };
}

/** A user as a caller. */
export function callerOfUser({ email, role, uid, secret }: ClusterUser): Caller {
  return { name: email, role, isCluster: false, user: { uid, secret } };
}

/**
 * The name that a header with Basic credentials gives, whether there is such a user or not; at most 64 characters. Empty without a colon:
 * what stands there alone may be a password.
 */
export function nameIn(header: string | undefined): string {
  const given = credentialsIn(header);
  return given.slice(0, Math.max(0, given.indexOf(":"))).slice(0, 64);
}

function credentialsIn(header: string | undefined): string {
  const token = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header ?? "")?.[1] ?? "";
  return Buffer.from(token, "base64").toString("utf8");
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
