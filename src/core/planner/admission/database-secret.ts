import { editObject } from "../../api/kubectl.ts";
import { databaseSecretOf } from "../../api/names.ts";
import { forbiddenValue, type Objection } from "./objection.ts";
import type { ReviewedDatabase } from "./reviewed-database.ts";
import { irrevocableHolder, isUsedByCluster } from "./secret-holder.ts";

/**
 * The Secret of a database is its own: the operator writes in it, and gives its password to clients. A Secret that a cluster, another database,
 * a remote cluster or the webhook uses is refused. A name that the database had before stays, also at rest, because an older release may have
 * let it in.
 */
export function secretIsItsOwn({
  kind,
  name,
  at,
  spec,
  before,
  existing,
  references,
}: ReviewedDatabase): readonly Objection[] {
  const asked = spec.databaseSecretName;
  const isAtRest = before === undefined && existing !== undefined;
  if (kind === "reaadb" || asked === undefined || isAtRest || asked === before?.databaseSecretName) return [];
  const cluster = references.clusters.find((one) => isUsedByCluster(one, asked));
  const database = references.databases.find((one) => one.secret === asked && one.name !== name);
  const owner =
    irrevocableHolder(asked, references) ??
    (cluster && `StoreEnterpriseCluster ${cluster.name}`) ??
    (database && `StoreEnterpriseDatabase ${database.name}`);
  if (owner === undefined) return [];
  const remedy = `name another Secret, or leave the field out for ${databaseSecretOf(name)}: ${editObject(`redb ${name}`)}`;
  return [forbiddenValue(`${at}.databaseSecretName`, `the Secret "${asked}" is used by ${owner}`, remedy)];
}
