import { createHash } from "node:crypto";
import { isFault } from "../base/fault.ts";
import { Events } from "./builtin.ts";
import { faults } from "./faults.ts";
import type { Kube, Ref } from "./kube.ts";
import { keyOf } from "./ref.ts";

/** The object that an event is about; any stored object will do. */
export interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

export type EventType = "Normal" | "Warning";

/** What an event says. */
export interface EventText {
  readonly type: EventType;
  /** Stable, CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** What an event is about: until it is stored, the same sentence again is about the same change. */
export interface EventChange {
  isStored: boolean;
}

/** An event that is to be written. */
export interface EventEntry extends EventText {
  readonly regarding: Regarding;
  readonly at: string;
  readonly change: EventChange;
}

/** How an event gets to the API: as a new object, or counted or only dated anew in the one with the same sentence. */
export type EventWrite = "create" | "count" | "date";

/** Why the API did not take an event. */
type EventAnswer = "exists" | "gone";

/**
 * How to write an event: `known` is what this process knows of one with the same sentence. The name of an event is that of its
 * sentence. One that is there already, or whose change is not stored, may be of a process that ended, or of an attempt that failed,
 * before it had stored that very change: it is dated anew, and not counted.
 */
export function nextEventWrite(
  known: { readonly change: Readonly<EventChange> } | undefined,
  answer?: EventAnswer,
): EventWrite {
  if (answer === "gone") return "create";
  if (answer === "exists") return "date";
  if (known === undefined) return "create";
  return known.change.isStored ? "count" : "date";
}

interface Series {
  readonly ref: Ref;
  readonly count: number;
  readonly change: EventChange;
}

/** Writes each event of a component; it remembers the last 500 sentences. */
export function eventWriter(kube: Kube, component: string): (entry: EventEntry) => Promise<void> {
  const known = new Map<string, Series>();
  return async (entry) => {
    const ref = refOfEvent(entry, component);
    const key = keyOf(ref);
    const count = await write(kube, entry, { ref, component, series: known.get(key) });
    known.delete(key);
    known.set(key, { ref, count, change: entry.change }); // last in the map: the one that is forgotten last
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
  };
}

const REMEMBERED = 500;
/** An event that is there, and whose time is over when it is to be dated, is made again. */
const ATTEMPTS = 3;

interface Place {
  readonly ref: EventRef;
  readonly component: string;
  readonly series: Series | undefined;
}

type EventRef = Required<Ref>;

/** The answer is how often it has happened then. */
async function write(kube: Kube, entry: EventEntry, { ref, component, series }: Place): Promise<number> {
  let answer: EventAnswer | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const how = nextEventWrite(series, answer);
    try {
      if (how === "create") return await create(kube, entry, ref, component);
      return await renew(kube, entry, ref, how === "count" && series !== undefined ? { count: series.count + 1 } : {});
    } catch (error) {
      answer = answerIn(error);
      if (answer === undefined || attempt >= ATTEMPTS) throw error;
    }
  }
}

function answerIn(error: unknown): EventAnswer | undefined {
  if (isFault(error, faults.alreadyExists)) return "exists";
  return isFault(error, faults.notFound) ? "gone" : undefined;
}

async function renew(kube: Kube, { at }: EventEntry, ref: Ref, counted: { readonly count?: number }): Promise<number> {
  const { count = 1 } = await kube.patch(Events, ref, { type: "merge", body: { ...counted, lastTimestamp: at } });
  return count;
}

async function create(
  kube: Kube,
  { regarding, type, reason, message, at }: EventEntry,
  ref: EventRef,
  component: string,
): Promise<number> {
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
  return 1;
}

function refOfEvent({ regarding, type, reason, message }: EventEntry, component: string): EventRef {
  const { kind, metadata } = regarding;
  const { name, namespace = "default", uid = "" } = metadata;
  const sentence = JSON.stringify([component, kind, uid, name, type, reason, message]);
  const digest = createHash("sha256").update(sentence).digest("hex").slice(0, 20);
  return { name: `${name.slice(0, 200)}.${digest}`, namespace };
}
