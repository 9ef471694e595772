import { BACKUP_KEY_NAME } from "../../api/backup-keys.ts";
import { annotate } from "../../api/kubectl.ts";
import {
  CLUSTERS_ANNOTATION,
  DATABASES_ANNOTATION,
  MODULE_HOSTS_ANNOTATION,
  WRITTEN_ANNOTATION,
} from "../../api/names.ts";
import { assertNever } from "#kit/base/assert-never";
import { block, type FindingOf } from "../findings/finding.ts";
import { holderOf, isMarkedAs, listedToo, lists, splitNames, type Marks } from "./marks.ts";

/** A Secret that a spec names, as far as it says what it is for. */
export interface NamedSecret extends Marks {
  readonly name: string;
  readonly type: string | undefined;
  readonly keys: readonly string[];
}

/** For what a spec asks for a Secret. */
export type SecretUse =
  | { readonly kind: "database"; readonly name: string; readonly uid: string }
  | { readonly kind: "certificate"; readonly database: string }
  | { readonly kind: "client-authorities"; readonly database: string }
  | { readonly kind: "object-store"; readonly database: string }
  | { readonly kind: "backup-keys"; readonly database: string }
  | { readonly kind: "module"; readonly url: URL }
  | { readonly kind: "license"; readonly cluster: string }
  | { readonly kind: "credentials"; readonly cluster: string };

/** Why a Secret that a spec names may not be used: `SpecInvalid` where it belongs to something else, `SecretNotMarked` where its owner has not given it for this. */
export type SecretObjection = FindingOf<"SpecInvalid" | "SecretNotMarked">;

/**
 * The writer of a spec that names a Secret may not be allowed to read Secrets: a Secret is used only when the annotation of its owner gives it
 * for this use, or when it holds nothing but what this use needs. A Secret that belongs to something of the product is used for nothing else;
 * `holder` names the users of Secrets that are known by their names.
 */
export function secretObjection(
  secret: NamedSecret,
  use: SecretUse,
  holder: string | undefined,
): SecretObjection | undefined {
  const owner = holder ?? ownerBesides(secret, use);
  if (owner !== undefined) {
    const remedy = "name another Secret, or leave the field out";
    return block("SpecInvalid", `the Secret "${secret.name}" is used by ${owner}`, remedy);
  }
  const { annotation, members } = markFor(use);
  if (lists(secret, annotation, ...members) || isMadeFor(secret, use)) return undefined;
  const [member = ""] = members;
  const evidence = `its owner has not given the Secret "${secret.name}" for this: it has no annotation ${annotation} with ${member}`;
  const remedy = annotate("secret", secret.name, `${annotation}=${listedToo(secret, annotation, member)}`);
  return block("SecretNotMarked", evidence, remedy);
}

/** What the operator made for this database is its own. */
function ownerBesides(secret: NamedSecret, use: SecretUse): string | undefined {
  return use.kind === "database" && isMarkedAs(secret, use.uid) ? undefined : holderOf(secret);
}

function markFor(use: SecretUse): { readonly annotation: string; readonly members: readonly string[] } {
  switch (use.kind) {
    case "database":
      return { annotation: DATABASES_ANNOTATION, members: [use.name] };
    case "certificate":
    case "client-authorities":
    case "object-store":
    case "backup-keys":
      return { annotation: DATABASES_ANNOTATION, members: [use.database] };
    case "module":
      return { annotation: MODULE_HOSTS_ANNOTATION, members: [use.url.host, use.url.hostname] };
    case "license":
    case "credentials":
      return { annotation: CLUSTERS_ANNOTATION, members: [use.cluster] };
    default:
      return assertNever(use);
  }
}

const CERTIFICATE_KEYS = ["certificate", "cert", "tls.crt", "key", "tls.key", "ca.crt"];

/** The credentials of an object store, and the authorities of its certificate. */
const OBJECT_STORE_KEYS = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "ca.crt"];

/** Whether it holds what this use needs and nothing else, as what a user made for it does. Logins are never taken by their form. */
function isMadeFor({ type = "Opaque", keys, ...marks }: NamedSecret, use: SecretUse): boolean {
  const holds = (types: readonly string[], allowed: readonly string[]): boolean =>
    types.includes(type) && keys.every((key) => allowed.includes(key));
  switch (use.kind) {
    case "database":
      return isMarkedAs(marks, use.uid) || holds(["Opaque"], ["password", ...keysOfOperator({ keys, ...marks })]);
    case "certificate":
      return holds(["Opaque", "kubernetes.io/tls"], CERTIFICATE_KEYS);
    case "client-authorities":
      return true; // certificates alone are read, and those are no secret
    case "object-store":
      return holds(["Opaque"], OBJECT_STORE_KEYS);
    case "backup-keys":
      return holds(
        ["Opaque"],
        keys.filter((key) => BACKUP_KEY_NAME.test(key)),
      );
    case "license":
      return holds(["Opaque"], ["license"]);
    case "module":
      return holds(["Opaque"], ["ca.crt"]);
    case "credentials":
      return false;
    default:
      return assertNever(use);
  }
}

/** The address of a database, as the operator writes it into a Secret: `service_names` is a key of the product alone. */
const ADDRESS_KEYS = ["port", "service_names", "ca.crt"];

/** Operators of releases before 0.5.0 did not note what they had written. */
function keysOfOperator({ keys, annotations = {} }: Pick<NamedSecret, "keys" | "annotations">): readonly string[] {
  return [...splitNames(annotations[WRITTEN_ANNOTATION]), ...(keys.includes("service_names") ? ADDRESS_KEYS : [])];
}
