import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Requests that the API server has answered one user. */
export interface Requests {
  /** By verb, but for those below. */
  readonly byVerb: ReadonlyMap<string, number>;
  /** Of its Lease: how a leader says that it lives. */
  readonly leases: number;
  /** Questions about permissions, which are asked by `create` and store nothing. */
  readonly reviews: number;
}

const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata" }],
};

/** Flags with which an API server writes an audit log below `folder`, and the path of it. */
export function auditing(folder: string): { readonly args: readonly string[]; readonly path: string } {
  const policy = join(folder, "policy.json");
  writeFileSync(policy, JSON.stringify(POLICY));
  const path = join(folder, "audit.log");
  return { args: [`--audit-policy-file=${policy}`, `--audit-log-path=${path}`], path };
}

const WRITES = ["create", "update", "patch", "delete", "deletecollection"];

/** What the audit log has of `user` between two instants (milliseconds since 1970). */
export function requestsOf(auditLog: string, user: string, from: number, to: number): Requests {
  const byVerb = new Map<string, number>();
  let leases = 0;
  let reviews = 0;
  for (const line of readFileSync(auditLog, "utf8").split("\n")) {
    if (!line.includes(`"username":"${user}"`)) continue;
    const { verb, stage, requestReceivedTimestamp, objectRef }: AuditLine = JSON.parse(line);
    const at = Date.parse(requestReceivedTimestamp);
    // a watch is logged when it begins and again when it ends
    if (at < from || at >= to || (verb === "watch" && stage === "ResponseComplete")) continue;
    if (objectRef?.resource === "leases") leases += 1;
    else if (objectRef?.apiGroup === "authorization.k8s.io") reviews += 1;
    else byVerb.set(verb, (byVerb.get(verb) ?? 0) + 1);
  }
  return { byVerb, leases, reviews };
}

export function total({ byVerb }: Requests): number {
  return [...byVerb.values()].reduce((sum, count) => sum + count, 0);
}

export function writes({ byVerb }: Requests): number {
  return WRITES.reduce((sum, verb) => sum + (byVerb.get(verb) ?? 0), 0);
}

interface AuditLine {
  readonly verb: string;
  readonly stage: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: { readonly resource?: string; readonly apiGroup?: string };
}
