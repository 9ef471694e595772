import { editObject } from "../../api/kubectl.ts";
import { clusterNames, databaseSecretOf } from "../../api/names.ts";
import { forbiddenValue, type Objection } from "./objection.ts";
import type { ReferencedCluster } from "./references.ts";
import type { ReviewedDatabase } from "./reviewed-database.ts";

/**
 * The Secret of a database is its own: the operator writes in it, and gives its password to clients. One that a cluster or another
 * database uses is none. A name that the database had before stays.
 */
export function secretIsItsOwn({ kind, name, at, spec, before, references }: ReviewedDatabase): readonly Objection[] {
  const asked = spec.databaseSecretName;
  if (kind === "reaadb" || asked === undefined || asked === before?.databaseSecretName) return [];
  const cluster = references.clusters.find((one) => isOfCluster(one, asked));
  const database = references.databases.find((one) => one.secret === asked && one.name !== name);
  const owner =
    cluster === undefined
      ? database && `StoreEnterpriseDatabase ${database.name}`
      : `StoreEnterpriseCluster ${cluster.name}`;
  if (owner === undefined) return [];
  const remedy = `name another Secret, or leave the field out for ${databaseSecretOf(name)}: ${editObject(`redb ${name}`)}`;
  return [forbiddenValue(`${at}.databaseSecretName`, `the Secret "${asked}" is used by ${owner}`, remedy)];
}

/** Also those that its nodes make for their databases and users. */
function isOfCluster({ name, secrets }: ReferencedCluster, asked: string): boolean {
  if (secrets.includes(asked)) return true;
  const made = [clusterNames.databaseSecret(name, 0).slice(0, -1), clusterNames.userSecret(name, "")];
  return made.some((start) => asked.startsWith(start));
}
