import { applyFile, editObject } from "../../api/kubectl.ts";
import { OPERATOR_CONFIG, OPERATOR_NAME, WATCHED_LABEL, WATCHED_NAMESPACES } from "../../api/names.ts";
import { dnsLabel, type Finding } from "../../api/parts.ts";
import { grantCommand } from "../../releases/permissions/restore.ts";
import { sentenceOf } from "../findings/finding.ts";
import { block } from "../findings/finding.ts";
import type { Statement } from "../findings/statement.ts";

/** Which namespaces the ConfigMap of the operator asks for beside its own. */
export interface DesiredWatch {
  readonly names: readonly string[];
  /** Every namespace that carries this label is asked for too. */
  readonly label: string | undefined;
  /** What cannot be read. */
  readonly findings: readonly Finding[];
}

/** One operator manages so many namespaces at most. */
const MOST = 100;
const LABEL = /^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Reads the ConfigMap; what is no name is reported and left out, so that the others are managed. */
export function desiredWatch(data: Readonly<Record<string, string>>, own: string): DesiredWatch {
  const listed = (data[WATCHED_NAMESPACES] ?? "").split(",").map((name) => name.trim());
  const names = [...new Set(listed)].filter((name) => name !== "" && name !== own);
  const wrong = names.filter((name) => !dnsLabel.safeParse(name).success);
  const right = names.filter((name) => !wrong.includes(name));
  const label = (data[WATCHED_LABEL] ?? "").trim();
  const isLabel = LABEL.test(label);
  const findings = [
    ...wrong.map((name) => objection(WATCHED_NAMESPACES, `"${name}" is no name of a namespace`, own)),
    ...(right.length > MOST
      ? [
          objection(
            WATCHED_NAMESPACES,
            `${right.length} namespaces are listed, of which the first ${MOST} are managed`,
            own,
          ),
        ]
      : []),
    ...(label === "" || isLabel ? [] : [objection(WATCHED_LABEL, `"${label}" is no name of a label`, own)]),
  ];
  return { names: right.slice(0, MOST), label: isLabel ? label : undefined, findings };
}

function objection(key: string, evidence: string, own: string): Finding {
  return block(
    "WatchedNamespacesWrong",
    `ConfigMap ${OPERATOR_CONFIG}, ${key}: ${evidence}`,
    editObject(`configmap ${OPERATOR_CONFIG} -n ${own}`),
  );
}

/** The operator may not manage a namespace: it was not given its Role there, or the namespace is not there. */
export function namespaceNotGranted(watched: string, own: string): Finding {
  return block(
    "NamespaceNotGranted",
    `the operator may not manage namespace ${watched}: its Role or RoleBinding ${OPERATOR_NAME} is not there, or the namespace is not`,
    grantCommand(watched, own),
  );
}

/** Namespaces cannot be found by their label. */
export function labelNotGranted(label: string, own: string): Finding {
  return block(
    "NamespacesNotListed",
    `${WATCHED_LABEL} is "${label}", and the operator may not list namespaces`,
    `sed 's/OPERATOR_NAMESPACE/${own}/' deploy/watched-by-label.yaml | ${applyFile("-")}`,
  );
}

/** What the status of clusters says of further namespaces; undefined when none is asked for. */
export function watchStatement(watched: readonly string[], findings: readonly Finding[]): Statement | undefined {
  const type = WATCH_CONDITION;
  const [first] = findings;
  if (first !== undefined) {
    return { type, status: "False", reason: first.id, message: findings.map(sentenceOf).join("; ") };
  }
  if (watched.length === 0) return undefined;
  const message = `the operator manages ${watched.join(", ")} too`;
  return { type, status: "True", reason: "AllWatched", message };
}

/** Type of the condition that tells of further namespaces. */
export const WATCH_CONDITION = "NamespacesWatched";
