import { clusterNames, OPERATOR_NAME } from "../../../src/core/api/names.ts";
import type { AuditEntry } from "#kubernetes";
import { PERMISSIONS } from "../../../src/core/releases/permissions/permissions.ts";
import type { Permission, Program } from "../../../src/core/releases/permissions/permission.ts";

/** What service accounts asked of an API server. */
export interface Audit {
  readonly record: (entry: AuditEntry) => void;
  /** Rows of the table for every Kubernetes with a verb that its program has not used yet, as "node delete configmaps". */
  unused(): readonly string[];
  /** What programs of the cluster were refused so far, as "node patch leases.coordination.k8s.io". */
  refused(): readonly string[];
}

/** Follows the programs of the cluster `rec` in `namespace`. */
export function startAudit(rec: string, namespace: string): Audit {
  const used = new Set<string>();
  const refused = new Set<string>();
  const programs = new Map<string, Program>([
    [`system:serviceaccount:${namespace}:${OPERATOR_NAME}`, "operator"],
    [`system:serviceaccount:${namespace}:${rec}`, "node"],
    [`system:serviceaccount:${namespace}:${clusterNames.rigger(rec)}`, "rigger"],
  ]);
  return {
    record: ({ user, action, allowed }) => {
      const who = programs.get(user);
      if (who === undefined || action.kind === "path") return;
      const { verb, group, plural, subresource } = action;
      const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
      (allowed ? used : refused).add(spelled(who, verb, { group, resource }));
    },
    unused: () =>
      PERMISSIONS.filter(({ rarely, on }) => rarely === undefined && on === undefined).flatMap((row) =>
        row.verbs.map((verb) => spelled(row.who, verb, row)).filter((text) => !used.has(text)),
      ),
    refused: () => [...refused],
  };
}

function spelled(who: Program, verb: string, { group, resource }: Pick<Permission, "group" | "resource">): string {
  return `${who} ${verb} ${resource}${group === "" ? "" : `.${group}`}`;
}
