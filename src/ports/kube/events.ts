import { randomBytes } from "node:crypto";
import type { Clock } from "../../core/base/clock.ts";
import { isFault } from "../../core/base/fault.ts";
import type { Log } from "../../core/base/log.ts";
import { Events } from "./builtin.ts";
import { faults } from "./faults.ts";
import type { Kube, Ref } from "./kube.ts";
import { timestamp } from "./timestamp.ts";

/** The object that an event is about; any stored object will do. */
export interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

export type EventType = "Normal" | "Warning";

/** Shows users what happens, in `kubectl describe` and `kubectl get events`. */
export interface EventRecorder {
  /** Returns at once and never throws; the same sentence again only raises the count of the first event. */
  record(regarding: Regarding, type: EventType, reason: string, message: string): void;
  /** Resolves once everything recorded so far is written or given up. */
  flush(): Promise<void>;
}

/** A recorder whose events come from `component`. It remembers the last 500 events, and drops new ones beyond 200 unwritten. */
export function eventRecorder(
  kube: Kube,
  { component, clock, log }: { readonly component: string; readonly clock: Clock; readonly log: Log },
): EventRecorder {
  const write = eventWriter(kube, component);
  let waiting = 0;
  let tail: Promise<void> = Promise.resolve();
  return {
    record: (regarding, type, reason, message) => {
      if (waiting >= UNWRITTEN) {
        log.warn("too many events wait to be written, dropping one", { reason, message });
        return;
      }
      waiting += 1;
      const entry = entryOf(regarding, type, reason, message, clock.now());
      tail = tail
        .then(() => write(entry))
        .catch((error: unknown) => {
          log.warn("an event was not written", { reason, message, error });
        })
        .finally(() => {
          waiting -= 1;
        });
    },
    flush: () => tail,
  };
}

function eventWriter(kube: Kube, component: string): (entry: Entry) => Promise<void> {
  const known = new Map<string, Series>();
  return async (entry) => {
    const { regarding, ref, type, reason, message } = entry;
    const { uid, name } = regarding.metadata;
    const key = JSON.stringify([uid, ref.namespace, name, type, reason, message]);
    const series = known.get(key);
    const next = (series && (await raiseCount(kube, series, entry))) ?? (await createEvent(kube, entry, component));
    known.delete(key);
    known.set(key, next); // last in the map: the one that is forgotten last
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
  };
}

const REMEMBERED = 500;
const UNWRITTEN = 200;
/** The server refuses longer messages. */
const LONGEST_MESSAGE = 1024;

interface Entry {
  readonly regarding: Regarding;
  readonly ref: Ref & { readonly namespace: string };
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly at: string;
}

interface Series {
  readonly ref: Ref;
  readonly count: number;
}

function entryOf(regarding: Regarding, type: EventType, reason: string, message: string, now: Date): Entry {
  const { name, namespace = "default" } = regarding.metadata;
  const unique = `${now.getTime().toString(16)}${randomBytes(4).toString("hex")}`;
  const ref = { name: `${name.slice(0, 200)}.${unique}`, namespace };
  return { regarding, ref, type, reason, message: message.slice(0, LONGEST_MESSAGE), at: timestamp(now) };
}

/** Undefined when the first event is gone: servers keep events for an hour. */
async function raiseCount(kube: Kube, series: Series, entry: Entry): Promise<Series | undefined> {
  const count = series.count + 1;
  try {
    await kube.patch(Events, series.ref, { type: "merge", body: { count, lastTimestamp: entry.at } });
    return { ref: series.ref, count };
  } catch (error) {
    if (isFault(error, faults.notFound)) return undefined;
    throw error;
  }
}

async function createEvent(
  kube: Kube,
  { regarding, ref, type, reason, message, at }: Entry,
  component: string,
): Promise<Series> {
  const { apiVersion, kind, metadata } = regarding;
  const { name, namespace, uid } = metadata;
  await kube.create(Events, {
    metadata: ref,
    involvedObject: {
      apiVersion,
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
    },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component },
    reportingComponent: component,
    reportingInstance: "",
  });
  return { ref, count: 1 };
}
