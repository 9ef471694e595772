import { OPERATOR_CONFIG } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { waitForAbort } from "#kit/base/wait-for-abort";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import type { WatchedNamespaces } from "../../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { watchStatement } from "../../../core/planner/operator/watched-namespaces.ts";
import { whilePermitted } from "./while-permitted.ts";

export interface FurtherDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  /** Namespace of the operator; findings are reported there, in events of its ConfigMap. */
  readonly own: string;
  readonly watched: WatchedNamespaces;
  /** Manages a namespace until the signal aborts; calls `onFinding` when the operator lacks permissions there. */
  readonly manage: (namespace: string, onFinding: OnFinding, signal: AbortSignal) => Promise<void>;
}

export type OnFinding = (finding: Finding | undefined) => void;

export interface FurtherNamespaces {
  /** Undefined when no further namespace is watched. */
  statement(): Statement | undefined;
  /** Resolves after the signal has aborted and the work in every namespace has ended. */
  readonly stopped: Promise<void>;
}

interface ManagedNamespace {
  readonly over: AbortController;
  readonly ended: Promise<void>;
}

/** Manages every watched namespace but the operator's own, each independently of the others. */
export function manageFurtherNamespaces(deps: FurtherDeps, signal: AbortSignal): FurtherNamespaces {
  const { watched, own, log } = deps;
  const managed = new Map<string, ManagedNamespace>();
  const ending = new Set<Promise<void>>();
  const findings = startFindings(deps);
  const end = (namespace: string, { over, ended }: ManagedNamespace): void => {
    log.info("a namespace is no longer managed: its objects stay as they are", { namespace });
    over.abort(new Error("the namespace is no longer watched"));
    managed.delete(namespace);
    findings.forget(namespace);
    const tracked = ended.finally(() => ending.delete(tracked));
    ending.add(tracked);
  };
  const follow = (): void => {
    if (signal.aborted) return;
    const wanted = watched.names().filter((name) => name !== own);
    for (const [namespace, one] of managed) if (!wanted.includes(namespace)) end(namespace, one);
    for (const namespace of wanted) {
      if (!managed.has(namespace)) managed.set(namespace, begin(deps, namespace, findings, signal));
    }
    for (const finding of watched.findings()) findings.report(finding.evidence, finding);
  };
  watched.onChange(follow);
  follow();
  return {
    statement: () => watchStatement([...managed.keys()], [...watched.findings(), ...findings.all()]),
    stopped: waitForAbort(signal).then(async () => {
      await Promise.all([...[...managed.values()].map(({ ended }) => ended), ...ending]);
    }),
  };
}

function begin(deps: FurtherDeps, namespace: string, findings: Findings, signal: AbortSignal): ManagedNamespace {
  const { log } = deps;
  const over = new AbortController();
  const onFinding: OnFinding = (finding) => {
    findings.set(namespace, finding);
  };
  log.info("managing a further namespace", { namespace });
  const work = async (until: AbortSignal): Promise<void> => {
    try {
      await deps.manage(namespace, onFinding, until);
    } catch (error) {
      // the other namespaces go on, and this one is tried again
      log.error("managing a namespace has failed", { namespace, reason: messageOf(error) });
    }
  };
  const options = { ...deps, namespace, signal: AbortSignal.any([signal, over.signal]), onFinding };
  return { over, ended: whilePermitted(options, work) };
}

interface Findings {
  /** The finding of a namespace, which is reported; undefined when there is none any more. */
  set(namespace: string, finding: Finding | undefined): void;
  /** Writes log and event when `finding` differs from the last report about `subject`. */
  report(subject: string, finding: Finding | undefined): void;
  forget(namespace: string): void;
  all(): Iterable<Finding>;
}

function startFindings({ events, own, log }: FurtherDeps): Findings {
  const current = new Map<string, Finding>();
  const reported = new Map<string, string>();
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: OPERATOR_CONFIG, namespace: own } };
  const report = (subject: string, finding: Finding | undefined): void => {
    const text = finding === undefined ? "" : sentenceOf(finding);
    if (reported.get(subject) === text) return;
    reported.set(subject, text);
    if (finding === undefined) {
      events.record(config, "Normal", "NamespaceWatched", `namespace ${subject} is managed`);
    } else {
      log.error("a namespace cannot be managed", { ...finding });
      events.record(config, "Warning", finding.id, text);
    }
  };
  return {
    set: (namespace, finding) => {
      if (finding === undefined) current.delete(namespace);
      else current.set(namespace, finding);
      report(namespace, finding);
    },
    report,
    forget: (namespace) => {
      current.delete(namespace);
      reported.delete(namespace);
    },
    all: () => current.values(),
  };
}
