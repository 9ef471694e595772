import { randomBytes } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { APP_LABEL, LABELS } from "../../../core/api/names.ts";
import { Fault, isFault } from "#kit/base/fault";
import type { DatabaseView } from "../../../core/planner/database/plan.ts";
import { faults } from "#kit/kube/faults";
import type { Kube, Stored } from "#kit/kube/kube";
import { ownerReference } from "#kit/kube/ref";
import { isNewer } from "#kit/kube/resource-version";
import type { Informer } from "#kit/kube/informer";
import { faults as operatorFaults } from "../faults.ts";
import { readGiven, type GivenDeps } from "../secrets/given.ts";
import { secretText } from "../secrets/secret-text.ts";
import { createOwn, writeGiven } from "../secrets/write.ts";
import type { Redb } from "./cluster.ts";
import { secretRef, useOf, verdictOn } from "./secret-verdict.ts";

/** The Secret, and its version, from which the cluster was given the password. */
export type PasswordFrom = NonNullable<DatabaseStatus["passwordFrom"]>;

/** A password, and the version of the Secret that held it. */
export interface HeldPassword {
  readonly password: string;
  readonly from: PasswordFrom;
}

/**
 * Whether the cluster was given the password that the Secret of a database has now, as far as their versions tell. `lost`: it is not
 * there, and is one that the product makes.
 */
export function passwordState(secrets: Pick<Informer<object>, "get">, redb: Redb): DatabaseView["secret"] {
  const { metadata } = secrets.get(secretRef(redb)) ?? {};
  if (metadata === undefined) return redb.spec.databaseSecretName === undefined ? "lost" : "missing";
  const given = redb.status?.passwordFrom;
  return given?.secret === metadata.name && !isNewer(metadata.resourceVersion, given.resourceVersion)
    ? "given"
    : "changed";
}

/** The Secret as it is now; a fault with the reason when it may not be used, or may not be used any more. */
async function readSecret(deps: GivenDeps, redb: Redb): Promise<Stored<Secret> | undefined> {
  const given = await readGiven(deps, secretRef(redb), useOf(redb));
  const { failure } = verdictOn(given, redb);
  if (failure === undefined) return given.secret;
  const isAnothers = given.objection?.id === "SpecInvalid";
  const fault = isAnothers ? operatorFaults.secretOfAnother : operatorFaults.secretNotGiven;
  throw new Fault(fault, given.objection?.evidence ?? failure.evidence, { remedy: failure.remedy });
}

/** The password in the Secret of a database that exists; undefined when it is gone or has none: the database keeps its own then. */
export async function heldPassword(deps: GivenDeps, redb: Redb): Promise<HeldPassword | undefined> {
  const found = await readSecret(deps, redb);
  const password = secretText(found, "password");
  if (found === undefined || password === "") return undefined;
  return { password, from: passwordSource(found) };
}

/** The database's password; the secret is made, with a random one, when it is not there or has none. */
export async function keepPassword(deps: GivenDeps, redb: Redb): Promise<HeldPassword> {
  const fresh = randomBytes(24).toString("base64url");
  // most databases that nothing has been said of are new, and have no secret to look for
  const isNew = redb.status?.databaseSecretName === undefined;
  const made = isNew ? await makeUnlessThere(deps.kube, redb, fresh) : undefined;
  if (made !== undefined) return made;
  const found = await readSecret(deps, redb);
  const known = secretText(found, "password");
  if (found !== undefined && known !== "") return { password: known, from: passwordSource(found) };
  const stored =
    found === undefined
      ? await make(deps.kube, redb, fresh)
      : await writeGiven(deps.kube, found, { password: fresh }, redb.metadata.uid);
  return { password: fresh, from: passwordSource(stored) };
}

/** Undefined when it was there. */
async function makeUnlessThere(kube: Kube, redb: Redb, password: string): Promise<HeldPassword | undefined> {
  try {
    return { password, from: passwordSource(await make(kube, redb, password)) };
  } catch (error) {
    if (isFault(error, faults.alreadyExists)) return undefined;
    throw error;
  }
}

function make(kube: Kube, redb: Redb, password: string): Promise<Stored<Secret>> {
  const labels = { [LABELS.app]: APP_LABEL, [LABELS.database]: redb.metadata.name };
  const metadata = { ...secretRef(redb), labels, ownerReferences: [ownerReference(redb)] };
  return createOwn(kube, metadata, { password });
}

/** The version of the Secret that holds a password. */
export function passwordSource({ metadata }: Stored<Secret>): PasswordFrom {
  return { secret: metadata.name, resourceVersion: metadata.resourceVersion };
}
