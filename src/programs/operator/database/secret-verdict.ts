import { databaseSecretOf, WRITTEN_ANNOTATION } from "../../../core/api/names.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { block, warn } from "../../../core/planner/findings/finding.ts";
import type { SecretUse } from "../../../core/planner/ownership/given-secret.ts";
import { isMarkedAs, lists } from "../../../core/planner/ownership/marks.ts";
import type { Informer } from "#kit/kube/informer";
import type { Ref } from "#kit/kube/kube";
import { readGiven, type GivenDeps, type GivenSecret } from "../secrets/given.ts";
import { secretText } from "../secrets/secret-text.ts";
import type { Redb } from "./cluster.ts";
import type { DatabaseFailure } from "./failure.ts";

/** Whether a database may use the Secret that it names. */
export interface SecretVerdict {
  /** Why it may not. */
  readonly failure?: DatabaseFailure;
  /** What users should know of one that it uses. */
  readonly warnings: readonly Finding[];
}

/** Name of the secret with which clients reach a database. */
export function secretNameOf({ metadata, spec }: Pick<Redb, "metadata" | "spec">): string {
  return spec.databaseSecretName ?? databaseSecretOf(metadata.name);
}

/** Where it is. */
export function secretRef(redb: Redb): Required<Ref> {
  return { name: secretNameOf(redb), namespace: redb.metadata.namespace ?? "default" };
}

/** For what a database asks for it. */
export function useOf({ metadata }: Redb): SecretUse {
  return { kind: "database", name: metadata.name, uid: metadata.uid };
}

/** Looks at the Secret of a database; asks nothing about one that the operator made for it, or that is to be made. */
export async function observeSecret(
  deps: GivenDeps,
  secrets: Pick<Informer<object>, "get">,
  redb: Redb,
): Promise<SecretVerdict> {
  const ref = secretRef(redb);
  const known = secrets.get(ref);
  const isOurs = known === undefined || isMarkedAs(known.metadata, redb.metadata.uid);
  if (isOurs && deps.holderOf(ref, useOf(redb)) === undefined) return { warnings: [] };
  return verdictOn(await readGiven(deps, ref, useOf(redb)), redb);
}

/** What a database took while an older release let it stays, except where it is given up in no case. */
export function verdictOn(given: GivenSecret, redb: Redb): SecretVerdict {
  const { objection, isIrrevocable } = given;
  if (objection === undefined) return { warnings: takenWarnings(given, redb) };
  const { id, remedy } = objection;
  const evidence = `spec.databaseSecretName: ${objection.evidence}`;
  if (hasHad(redb) && !isIrrevocable)
    return { warnings: [warn("SecretNotMarked", `${evidence}; the database uses it since an older release`, remedy)] };
  const edit = `${remedy}: ${editObject(`redb ${redb.metadata.name}`)}`;
  return { failure: block(id, evidence, id === "SpecInvalid" ? edit : remedy), warnings: [] };
}

/** The keys of the address that are in the Secret and that the operator has not written: they stay as they are. */
export function takenKeys({ secret }: Pick<GivenSecret, "secret">, { metadata }: Redb): readonly string[] {
  if (secret === undefined || isMarkedAs(secret.metadata, metadata.uid)) return [];
  // before 0.5.0 nothing else said what the operator had written
  const isNoted = secret.metadata.annotations?.[WRITTEN_ANNOTATION] !== undefined;
  const isAddressed = !isNoted && secretText(secret, "service_names") === metadata.name;
  return ADDRESS_KEYS.filter(
    (key) => secretText(secret, key) !== "" && !isAddressed && !lists(secret.metadata, WRITTEN_ANNOTATION, key),
  );
}

const ADDRESS_KEYS = ["port", "service_names", "ca.crt"];

function takenWarnings(given: GivenSecret, redb: Redb): readonly Finding[] {
  const keys = takenKeys(given, redb);
  if (keys.length === 0) return [];
  const evidence = `the Secret "${secretNameOf(redb)}" has keys that the operator did not write: ${keys.join(", ")}; they stay as they are`;
  const remedy = `name a Secret without these keys: ${editObject(`redb ${redb.metadata.name}`)}`;
  return [warn("SecretKeyTaken", evidence, remedy)];
}

/** The status names a Secret that was refused, too: only that of a password says that it was taken. Release 0.1.0 says none. */
function hasHad(redb: Redb): boolean {
  const { passwordFrom, databaseUID, databaseSecretName } = redb.status ?? {};
  if (passwordFrom !== undefined) return passwordFrom.secret === secretNameOf(redb);
  return databaseUID !== undefined && databaseSecretName === secretNameOf(redb);
}
