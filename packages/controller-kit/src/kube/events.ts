import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { visibleLine } from "../base/visible.ts";
import {
  eventWriter,
  type EventChange,
  type EventEntry,
  type EventText,
  type EventType,
  type Regarding,
} from "./event-series.ts";
import type { Kube } from "./kube.ts";
import { timestamp } from "./timestamp.ts";

/** Shows users what happens, in `kubectl describe` and `kubectl get events`. */
export interface EventRecorder {
  /** Returns at once and never throws; the same sentence again only raises the count of the first event. */
  record(regarding: Regarding, type: EventType, reason: string, message: string): void;
  /**
   * Stores a change after the events that tell of it, so that no event is lost when the process ends in between: the next one finds
   * the change not stored, and does both again. Each is one event all the same. Events that cannot be written, or not soon, keep
   * nothing back.
   */
  recordAhead<T>(regarding: Regarding, events: readonly EventText[], store: () => Promise<T>): Promise<T>;
  /** Resolves once everything recorded so far is written or given up. */
  flush(): Promise<void>;
}

/** A recorder whose events come from `component`; it drops new events beyond 200 unwritten. */
export function eventRecorder(
  kube: Kube,
  { component, clock, log }: { readonly component: string; readonly clock: Clock; readonly log: Log },
): EventRecorder {
  const queue = eventQueue(eventWriter(kube, component), log);
  const add = (regarding: Regarding, { type, reason, message: text }: EventText, change: EventChange): void => {
    // a message may repeat what another program has said, and terminals get it as it is
    const message = visibleLine(text.slice(0, LONGEST_MESSAGE)).slice(0, LONGEST_MESSAGE);
    queue.add({ regarding, type, reason, message, change, at: timestamp(clock.now()) });
  };
  return {
    record: (regarding, type, reason, message) => {
      add(regarding, { type, reason, message }, { isStored: true });
    },
    async recordAhead(regarding, events, store) {
      if (events.length === 0) return store();
      const change = { isStored: false };
      for (const text of events) add(regarding, text, change);
      if (!(await within(clock, AHEAD_MS, queue.flush()))) {
        log.warn("events are written late: what they tell of is stored before", { events: events.length });
      }
      const stored = await store();
      change.isStored = true;
      return stored;
    },
    flush: queue.flush,
  };
}

interface EventQueue {
  readonly add: (entry: EventEntry) => void;
  /** Resolves once everything added so far is written or given up. */
  readonly flush: () => Promise<void>;
}

function eventQueue(write: (entry: EventEntry) => Promise<void>, log: Log): EventQueue {
  let waiting = 0;
  let tail: Promise<void> = Promise.resolve();
  return {
    add: (entry) => {
      const { reason, message } = entry;
      if (waiting >= UNWRITTEN) {
        log.warn("too many events wait to be written, dropping one", { reason, message });
        return;
      }
      waiting += 1;
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

const UNWRITTEN = 200;
/** The server refuses longer messages. */
const LONGEST_MESSAGE = 1024;
/** A change waits this long for its events, in milliseconds. */
const AHEAD_MS = 2_000;

/** Whether `work`, which never fails, is done in time. */
async function within(clock: Clock, ms: number, work: Promise<void>): Promise<boolean> {
  const done = new AbortController();
  const late = clock.sleep(ms, done.signal).then(
    () => false,
    () => true, // ended below
  );
  const isDone = await Promise.race([work.then(() => true), late]);
  done.abort();
  return isDone;
}
