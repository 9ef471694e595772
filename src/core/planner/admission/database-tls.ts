import { forbiddenValue, requiredValue, type Objection } from "./objection.ts";
import type { ReviewedDatabase } from "./reviewed-database.ts";
import { irrevocableHolder, isUsedByCluster } from "./secret-holder.ts";

/** Where clients present a certificate, the authority that signs it is named. */
export function clientsAreKnown({ at, spec }: ReviewedDatabase): readonly Objection[] {
  if (spec.tls !== "mutual" || (spec.clientAuthenticationCertificates ?? []).length > 0) return [];
  const why = "clients present a certificate, and no authority of theirs is named";
  const remedy = `name a Secret with the key ca.crt, or set ${at}.tls to enabled`;
  return [requiredValue(`${at}.clientAuthenticationCertificates`, why, remedy)];
}

/** What a cluster, a remote cluster or the webhook uses is no certificate of a database. */
export function certificateIsNoClusters({ at, spec, references }: ReviewedDatabase): readonly Objection[] {
  const named = [
    { field: "certificateSecretName", names: [spec.certificateSecretName ?? ""] },
    { field: "clientAuthenticationCertificates", names: spec.clientAuthenticationCertificates ?? [] },
  ];
  return named.flatMap(({ field, names }) =>
    names.flatMap((name) => {
      const cluster = references.clusters.find((one) => isUsedByCluster(one, name));
      const holder = irrevocableHolder(name, references) ?? (cluster && `StoreEnterpriseCluster ${cluster.name}`);
      if (holder === undefined) return [];
      const why = `the Secret "${name}" is used by ${holder}`;
      return [forbiddenValue(`${at}.${field}`, why, "name another Secret, or leave the field out")];
    }),
  );
}
