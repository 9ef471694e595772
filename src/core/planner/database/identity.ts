/** A database of the cluster, by what tells it apart. */
interface Listed {
  readonly uid: number;
  readonly name: string;
}

/** What says which database of its cluster an object stands for. */
export interface IdentityFacts {
  /** Of the object; a database is made with the same name. */
  readonly name: string;
  /** uid of the database that the object has had; undefined before it had one. */
  readonly known: number | undefined;
  /** The cluster was asked to make the database, and the outcome is not known. */
  readonly isCreating: boolean;
  /** uid that a user has written into the object: that database is to be its own. */
  readonly consented: string | undefined;
  /** Every database that the cluster lists. */
  readonly listed: readonly Listed[];
  /** Name of the object that a database was made for; undefined when nothing says so. */
  readonly madeFor: (uid: number) => string | undefined;
  /** There is a record of the database that the object has had, and the cluster does not list it. */
  readonly isRecorded: boolean;
}

/** Which database of its cluster an object stands for. */
export type Identity =
  | { readonly kind: "own"; readonly uid: number }
  /** None, and the cluster has none of that name either. */
  | { readonly kind: "none" }
  /** None: the one of that name was made by someone else. */
  | { readonly kind: "taken"; readonly uid: number }
  /** There is a record of it, and the cluster does not list it. */
  | { readonly kind: "unlisted"; readonly uid: number };

/**
 * Decides by uid, not by name: an object has the database that it had before. One that has none takes the database of its name only
 * when that was made for an object of this name, was just asked for, or is named by a user. A cluster that was made again gives the
 * same uids to other databases: one of that uid counts only under the name of the object, or with its mark.
 */
export function resolveIdentity(facts: IdentityFacts): Identity {
  const { name, known, listed, madeFor, isRecorded } = facts;
  const before = listed.find(({ uid }) => uid === known);
  if (before !== undefined && (before.name === name || madeFor(before.uid) === name))
    return { kind: "own", uid: before.uid };
  const same = listed.find((one) => one.name === name);
  if (same !== undefined) return { kind: isOwn(facts, same.uid) ? "own" : "taken", uid: same.uid };
  return known !== undefined && before === undefined && isRecorded
    ? { kind: "unlisted", uid: known }
    : { kind: "none" };
}

/** The database of that uid, which has the name of the object, is made for it, or a user agreed that it is. */
function isOwn({ name, isCreating, consented, madeFor }: IdentityFacts, uid: number): boolean {
  return isCreating || consented === String(uid) || madeFor(uid) === name;
}
