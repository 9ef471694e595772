import type { Finding } from "../../../core/api/parts.ts";
import { OPERATOR_CONFIG } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { ConfigMaps, Namespaces } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import type { Kube } from "#kit/kube/kube";
import { labelNotGranted, desiredWatch, type DesiredWatch } from "../../../core/planner/operator/watched-namespaces.ts";
import type { Need } from "../../../core/releases/permissions/roles.ts";
import { tryAskOwnAccess } from "../permissions/access-reviews.ts";

/** The namespaces that the operator manages; they come and go while it runs. */
export interface WatchedNamespaces {
  /** Its own first. */
  names(): readonly string[];
  /** What keeps the operator from reading them. */
  findings(): readonly Finding[];
  /** Calls back when names or findings may be others than before. */
  onChange(listener: () => void): void;
}

export interface WatchingOptions {
  /** Namespace of the operator. */
  readonly own: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Only its own. */
export function ownNamespaceOnly(own: string): WatchedNamespaces {
  return { names: () => [own], findings: () => [], onChange: () => undefined };
}

/** Follows the ConfigMap `operator-environment-config` of its own namespace, and the namespaces whose label that names. */
export function followWatchedNamespaces(kube: Kube, options: WatchingOptions): WatchedNamespaces {
  const { own } = options;
  const listeners: (() => void)[] = [];
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  let desired: DesiredWatch = { names: [], label: undefined, findings: [] };
  let labelled: Labelled | undefined;
  const config = startInformer(kube, ConfigMaps, {
    ...options,
    namespace: own,
    fieldSelector: `metadata.name=${OPERATOR_CONFIG}`,
  });
  config.onChange((_ref, current) => {
    desired = desiredWatch(current?.data ?? {}, own);
    if (labelled?.label !== desired.label) {
      labelled?.end();
      labelled = desired.label === undefined ? undefined : followLabel(kube, desired.label, options, tell);
    }
    tell();
  });
  return {
    names: () => [...new Set([own, ...desired.names, ...(labelled?.names() ?? [])])],
    findings: () => [...desired.findings, ...(labelled?.findings() ?? [])],
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

interface Labelled {
  readonly label: string;
  names(): readonly string[];
  findings(): readonly Finding[];
  end(): void;
}

/** Whether namespaces may be listed is asked this often until they may, in milliseconds. */
const ASK_MS = 2_000;

function followLabel(kube: Kube, label: string, options: WatchingOptions, tell: () => void): Labelled {
  const { clock, log, own } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  let names: readonly string[] = [];
  let isGranted: boolean | undefined;
  const begin = async (): Promise<void> => {
    while (!signal.aborted && isGranted !== true) {
      const answer = await tryAskOwnAccess(kube, "", LISTING, log);
      if (answer !== undefined && answer !== isGranted) {
        isGranted = answer;
        tell();
      }
      if (isGranted !== true) await clock.sleep(ASK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    }
    if (signal.aborted) return;
    const namespaces = startInformer(kube, Namespaces, { clock, log, signal, labelSelector: label });
    namespaces.onChange(() => {
      names = namespaces
        .list()
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.name);
      tell();
    });
  };
  void begin();
  return {
    label,
    names: () => names,
    findings: () => (isGranted === false ? [labelNotGranted(label, own)] : []),
    end: () => {
      over.abort(new Error("another label is asked for"));
    },
  };
}

/** Granted by deploy/watched-by-label.yaml, which is needed for labels alone. */
const LISTING: Need = {
  who: "operator",
  group: "",
  resource: "namespaces",
  verb: "list",
  why: "namespaces are found by their label",
  without: "only listed namespaces are managed",
};
