import { randomBytes } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import { SECRETS_AHEAD } from "../../../core/api/secrets-ahead.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { EndpointCertificate } from "../../../core/api/endpoint-certificate.ts";
import type { EngineAccess } from "../../../core/api/engine-login.ts";
import { engineAccess } from "../../../core/planner/database/engine-access.ts";
import { withoutEnded, type PasswordSet } from "../../../core/planner/database/passwords.ts";
import { Secrets } from "#kit/kube/builtin";
import type { Kube, Ref, Stored } from "#kit/kube/kube";
import { faults } from "../faults.ts";
import type { OwnSecretsDeps } from "./granted.ts";
import { numberedSecrets, type FreeSecret, type NumberedSecrets } from "./numbered-secrets.ts";
import { secretData, storedIn } from "./stored-passwords.ts";
import type { StoredPasswords } from "./stored-passwords.ts";

/**
 * The passwords of databases; each set in a Secret of its own. Key `password` is the current one, empty when clients need
 * none; releases up to 0.1.0 know nothing else. Key `accepted` holds the others, and the revision; since 0.4.0, key
 * `engines` the password of the cluster at the engines, `engines-rotation` the next or the former one, and `tls.crt`, `tls.key`
 * and `clients.crt` the certificate of the endpoints.
 */
export interface DatabasePasswords {
  /** Read again when the record has changed. */
  of(record: PasswordsSource): Promise<HeldPasswords>;
  /** As the API server has them now. */
  read(uid: number): Promise<StoredPasswords>;
  /** The conflict of the Kubernetes API when another writer was first. */
  change(uid: number, next: (stored: StoredPasswords) => StoredPasswords): Promise<StoredPasswords>;
  /** Secrets for the next databases; the number of one is the uid. */
  readonly free: Pick<NumberedSecrets, "take" | "isReady">;
  /**
   * Writes the passwords of a database that is being made into the Secret that was taken for it; its engines get a password of their own. False
   * when the Secret is gone.
   */
  set(free: FreeSecret, password: string, certificate: EndpointCertificate | undefined): Promise<boolean>;
  remove(uid: number): Promise<void>;
  /** Forgets those of all other databases. */
  keepOnly(uids: ReadonlySet<number>): void;
}

/** The passwords that the endpoints of a database accept, and those that its engines accept. */
export interface HeldPasswords {
  readonly set: PasswordSet;
  /** Rises with each change of the set. */
  readonly revision: number;
  readonly access: EngineAccess;
  /** How often what engines let in besides has changed. */
  readonly step: number;
  /** What the endpoints show to clients that speak TLS; undefined while they have none. */
  readonly certificate: EndpointCertificate | undefined;
}

/** A password that only nodes know: 256 bits, so that it cannot be found from the hash that engines keep. */
export function internalPassword(): string {
  return randomBytes(32).toString("base64url");
}

type PasswordsSource = Pick<DatabaseRecord, "uid" | "lastChangedTime" | "passwords" | "certificate">;

/** The passwords of the databases of `cluster`; their overlaps end by `clock`. */
export function databasePasswords(deps: OwnSecretsDeps): DatabasePasswords {
  const { kube, cluster, namespace, clock } = deps;
  const nameOf = (uid: number): string => clusterNames.databaseSecret(cluster, uid);
  const free = numberedSecrets(deps, { nameOf, ahead: SECRETS_AHEAD.databases });
  const known = new Map<number, { readonly as: string; readonly stored: StoredPasswords }>();
  const refOf = (uid: number) => ({ name: nameOf(uid), namespace });
  const fetch = async (uid: number): Promise<Stored<Secret>> => {
    const secret = await kube.get(Secrets, refOf(uid));
    if (secret?.data?.password === undefined) throw missingPassword(refOf(uid).name);
    return secret;
  };
  return {
    async of(record) {
      const { passwords } = record;
      const found = known.get(record.uid);
      const { lastChangedTime, certificate } = record;
      const as = [lastChangedTime, passwords?.revision, passwords?.rotation?.step, certificate?.certificate].join(" ");
      if (found?.as === as) return heldBy(record, found.stored);
      const fresh = storedIn(await fetch(record.uid));
      const stored = { ...fresh, set: afterOlderLeader(fresh, found?.stored.set, clock) };
      known.set(record.uid, { as, stored });
      return heldBy(record, stored);
    },
    read: async (uid) => storedIn(await fetch(uid)),
    change: async (uid, next) => replacePasswords(kube, refOf(uid), await fetch(uid), next),
    free,
    set: (taken, password, certificate) =>
      free.fill(taken, {
        labels: { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.database]: String(taken.number) },
        data: secretData(firstStored(password, certificate)),
      }),
    async remove(uid) {
      known.delete(uid);
      await kube.delete(Secrets, refOf(uid));
    },
    keepOnly(uids) {
      for (const uid of known.keys()) if (!uids.has(uid)) known.delete(uid);
    },
  };
}

function firstStored(password: string, certificate: EndpointCertificate | undefined): StoredPasswords {
  const stored = { set: { password, others: [] }, revision: 0, internal: internalPassword() };
  return certificate === undefined ? stored : { ...stored, certificate };
}

function heldBy({ passwords }: PasswordsSource, stored: StoredPasswords): HeldPasswords {
  const { set, revision, rotation, certificate } = stored;
  const access = engineAccess(set, stored, passwords?.engines === "closed");
  return { set, revision, access, step: rotation?.step ?? 0, certificate };
}

/** What the Secret holds after `next`, unless another writer was first. */
async function replacePasswords(
  kube: Kube,
  ref: Ref,
  secret: Stored<Secret>,
  next: (stored: StoredPasswords) => StoredPasswords,
): Promise<StoredPasswords> {
  const before = storedIn(secret);
  const after = next(before);
  if (after === before) return before;
  const { resourceVersion } = secret.metadata;
  await kube.patch(Secrets, ref, { type: "merge", body: { metadata: { resourceVersion }, data: secretData(after) } });
  return after;
}

/** A leader of release 0.1.0 replaces the password and says nothing of the former one: each node of it accepts it so long. */
const OLDER_OVERLAP_MS = 60_000;

function afterOlderLeader(
  { set, revision }: StoredPasswords,
  before: PasswordSet | undefined,
  clock: Clock,
): PasswordSet {
  if (revision > 0 || before === undefined) return set;
  // the record changes more than once for one change: what is accepted stays so until it ends
  if (before.password === set.password) return withoutEnded(before, clock.now().toISOString());
  const until = new Date(clock.now().getTime() + OLDER_OVERLAP_MS).toISOString();
  return { ...set, others: [{ password: before.password, until }] };
}

function missingPassword(name: string): Fault {
  return new Fault(faults.noPassword, `secret ${name} has no key password`, { name });
}
