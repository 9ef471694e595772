import { OPERATOR_CONFIG } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { EventRecorder } from "../../../ports/kube/events.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import type { WatchedNamespaces } from "../../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { watchStatement } from "../../../core/planner/operator/watched-namespaces.ts";
import { whileGranted } from "./while-permitted.ts";

export interface FurtherDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  /** Namespace of the operator; what is wrong elsewhere is told there, in events of its ConfigMap. */
  readonly own: string;
  readonly watched: WatchedNamespaces;
  /** Looks after a namespace until the signal aborts; `onFinding` is told what the operator lacks there. */
  readonly manage: (namespace: string, onFinding: OnFinding, signal: AbortSignal) => Promise<void>;
}

export type OnFinding = (finding: Finding | undefined) => void;

export interface FurtherNamespaces {
  /** Undefined when no further namespace is asked for. */
  statement(): Statement | undefined;
  /** Resolves after the signal has aborted and every namespace is left. */
  readonly stopped: Promise<void>;
}

interface ManagedNamespace {
  readonly over: AbortController;
  readonly ended: Promise<void>;
}

/** Looks after every watched namespace but its own, each by itself: what is wrong in one holds up no other. */
export function manageFurtherNamespaces(deps: FurtherDeps, signal: AbortSignal): FurtherNamespaces {
  const { watched, own, log } = deps;
  const managed = new Map<string, ManagedNamespace>();
  const leaving = new Set<Promise<void>>();
  const findings = new Map<string, Finding>();
  const said = new Map<string, string>();
  const tell = speaker(deps, said);
  const begin = (namespace: string): ManagedNamespace => {
    const over = new AbortController();
    const mine = AbortSignal.any([signal, over.signal]);
    const onFinding: OnFinding = (finding) => {
      if (finding === undefined) findings.delete(namespace);
      else findings.set(namespace, finding);
      tell(namespace, finding);
    };
    log.info("looking after a further namespace", { namespace });
    const work = (until: AbortSignal): Promise<void> =>
      unlessFailed(deps.manage(namespace, onFinding, until), namespace, log);
    return { over, ended: whileGranted({ ...deps, namespace, signal: mine, onFinding }, work) };
  };
  const follow = (): void => {
    if (signal.aborted) return;
    const wanted = watched.names().filter((name) => name !== own);
    for (const [namespace, { over, ended }] of managed) {
      if (wanted.includes(namespace)) continue;
      log.info("no longer looking after a namespace: what is there stays as it is", { namespace });
      over.abort(new Error("the namespace is no longer watched"));
      managed.delete(namespace);
      findings.delete(namespace);
      said.delete(namespace);
      const left = ended.finally(() => leaving.delete(left));
      leaving.add(left);
    }
    for (const namespace of wanted) if (!managed.has(namespace)) managed.set(namespace, begin(namespace));
    for (const finding of watched.findings()) tell(finding.evidence, finding);
  };
  watched.onChange(follow);
  follow();
  return {
    statement: () => watchStatement([...managed.keys()], [...watched.findings(), ...findings.values()]),
    stopped: ended(signal).then(async () => {
      await Promise.all([...[...managed.values()].map((one) => one.ended), ...leaving]);
    }),
  };
}

/** Says each thing once, in the log and to those who look at the ConfigMap. */
function speaker({ events, own, log }: FurtherDeps, said: Map<string, string>) {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: OPERATOR_CONFIG, namespace: own } };
  return (about: string, finding: Finding | undefined): void => {
    const text = finding === undefined ? "" : sentenceOf(finding);
    if (said.get(about) === text) return;
    said.set(about, text);
    if (finding === undefined) {
      events.record(config, "Normal", "NamespaceWatched", `namespace ${about} is looked after`);
    } else {
      log.error("a namespace cannot be looked after", { ...finding });
      events.record(config, "Warning", finding.id, text);
    }
  };
}

async function unlessFailed(work: Promise<void>, namespace: string, log: Log): Promise<void> {
  try {
    await work;
  } catch (error) {
    // the other namespaces go on, and this one is taken up again
    log.error("looking after a namespace has failed", { namespace, reason: messageOf(error) });
  }
}

function ended(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
