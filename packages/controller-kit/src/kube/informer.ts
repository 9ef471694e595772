import { backoffMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, isFault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { faults } from "./faults.ts";
import type { Kube, ListOptions, Ref, ResourceType, Stored } from "./kube.ts";
import { keyOf, refOf } from "./ref.ts";
import { isNewer } from "./resource-version.ts";

/** Called after the cache has changed; `current` is undefined when the object is gone, `previous` when it is new. */
export type ChangeHandler<T> = (ref: Ref, current: Stored<T> | undefined, previous: Stored<T> | undefined) => void;

/**
 * A copy of the objects of one type that follows the server and never goes back to an older state of one, unless the storage of
 * the server was itself set back; nothing in it may be changed in place. `managedFields` are left out: they are as large as the rest.
 */
export interface Informer<T> {
  /** Resolves after the first list; rejects when the signal aborts before. */
  readonly synced: Promise<void>;
  get(ref: Ref): Stored<T> | undefined;
  list(): Stored<T>[];
  /** Calls `handler` for every object that is known already, and from then on for every change. */
  onChange(handler: ChangeHandler<T>): void;
  /** Takes the answer to an own write, so that what follows need not wait for the watch to bring it. */
  learn(object: Stored<T>): void;
}

export interface InformerOptions extends ListOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Lists, then watches; goes on with back-off after any failure, and ends only with the signal. A watch that broke is taken up
 * where it broke; the list is asked for again when the server has forgotten that moment, or refuses to begin there.
 */
export function startInformer<T>(kube: Kube, type: ResourceType<T>, options: InformerOptions): Informer<T> {
  const cache = new Cache<T>(options.log.with({ informer: type.plural }));
  const synced = Promise.withResolvers<void>();
  synced.promise.catch(() => undefined); // a caller that awaits it gets the error; awaiting it is optional
  void follow(kube, type, options, cache, synced.resolve).finally(() => {
    synced.reject(options.signal.reason);
  });
  return {
    synced: synced.promise,
    get: (ref) => cache.objects.get(keyOf(ref)),
    list: () => [...cache.objects.values()],
    onChange: (handler) => {
      cache.subscribe(handler);
    },
    learn: (object) => {
      cache.put(object);
    },
  };
}

/** A watch that lives this long shows that the server is well again. */
const HEALTHY_MS = 5_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const LONGEST_ASKED_MS = 30_000;
/** So many refusals in a row are no passing trouble: a storage that was set back has not reached the moment yet. */
const FRUITLESS_WATCHES = 3;

async function follow<T>(
  kube: Kube,
  type: ResourceType<T>,
  options: InformerOptions,
  cache: Cache<T>,
  onSynced: () => void,
): Promise<void> {
  const { clock, signal } = options;
  const start = new WatchStart();
  let failures = 0;
  while (!signal.aborted) {
    const began = clock.uptimeMs();
    let asked = 0;
    try {
      if (start.version === undefined) {
        const list = await kube.list(type, scopeOf(options));
        cache.replace(list.items, start.isPast(list.resourceVersion));
        start.advance(list.resourceVersion);
        onSynced();
      }
      await applyEvents(kube, type, options, cache, start);
    } catch (error) {
      if (signal.aborted) return;
      start.fail(error);
      asked = retryAfterOf(error);
      report(cache.log, error);
    }
    failures = clock.uptimeMs() - began >= HEALTHY_MS ? 0 : failures + 1;
    if (failures > 0 || asked > 0) await pause(Math.max(0, failures - 1), asked, clock, signal);
  }
}

/** Where the next watch begins. */
class WatchStart {
  #version: string | undefined;
  /** The newest version that the server has ever shown. */
  #seen: string | undefined;
  #fruitless = 0;

  /** Undefined while a list has to come first. */
  get version(): string | undefined {
    return this.#version;
  }

  advance(to: string): void {
    this.#seen = this.#version = to;
    this.#fruitless = 0;
  }

  /** The next watch takes up where this one broke, unless the server has forgotten that moment or refuses to begin there. */
  fail(error: unknown): void {
    if (isAnswer(error)) this.#fruitless += 1;
    if (!isFault(error, faults.unavailable) || this.#fruitless >= FRUITLESS_WATCHES) this.#version = undefined;
  }

  /** Whether the server shows an older version than it did: its storage was set back. */
  isPast(version: string): boolean {
    return this.#seen !== undefined && isNewer(this.#seen, version);
  }
}

/** Runs one watch to its end. */
async function applyEvents<T>(
  kube: Kube,
  type: ResourceType<T>,
  options: InformerOptions,
  cache: Cache<T>,
  start: WatchStart,
): Promise<void> {
  const { signal } = options;
  for await (const event of kube.watch(type, { ...scopeOf(options), resourceVersion: start.version ?? "", signal })) {
    if (event.type === "BOOKMARK") {
      if (event.resourceVersion !== "") start.advance(event.resourceVersion);
      continue;
    }
    if (event.type === "DELETED") cache.remove(event.object);
    else cache.put(event.object);
    start.advance(event.object.metadata.resourceVersion);
  }
}

/** Whether the server said so itself: one that cannot be reached has refused nothing. */
function isAnswer(error: unknown): boolean {
  return error instanceof Fault && error.details["status"] !== undefined;
}

function report(log: Log, error: unknown): void {
  if (isFault(error, faults.gone)) log.debug("watch is too old, listing again");
  else log.warn("cannot follow the API server, trying again", { error });
}

/** How long the server wants to be left alone; a server that asks for more than half a minute is asked sooner. */
function retryAfterOf(error: unknown): number {
  const asked = error instanceof Fault ? error.details["retryAfterMs"] : undefined;
  return typeof asked === "number" ? Math.min(asked, LONGEST_ASKED_MS) : 0;
}

/** Waits `asked` at least, and with jitter, so that many informers do not come back in the same instant. */
async function pause(attempt: number, asked: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const grown = backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
  const ms = Math.max(asked * (1 + Math.random() / 5), grown);
  await clock.sleep(ms, signal).catch(() => undefined); // aborted: the loop looks at the signal
}

function scopeOf({ namespace, labelSelector, fieldSelector }: ListOptions): ListOptions {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

class Cache<T> {
  readonly objects = new Map<string, Stored<T>>();
  readonly log: Log;
  readonly #handlers: ChangeHandler<T>[] = [];

  constructor(log: Log) {
    this.log = log;
  }

  subscribe(handler: ChangeHandler<T>): void {
    this.#handlers.push(handler);
    for (const object of [...this.objects.values()]) this.#tell([handler], object, undefined);
  }

  /** `wasSetBack`: the storage was restored, so that its objects count now although they are older. */
  replace(items: readonly Stored<T>[], wasSetBack: boolean): void {
    const listed = new Set(items.map((item) => keyOf(refOf(item))));
    for (const [key, object] of [...this.objects]) if (!listed.has(key)) this.remove(object);
    for (const item of items) this.put(item, wasSetBack);
  }

  put(given: Stored<T>, wasSetBack = false): void {
    const key = keyOf(refOf(given));
    const previous = this.objects.get(key);
    if (previous !== undefined && isOutdated(given, previous) && !(wasSetBack && isOther(given, previous))) return;
    const { managedFields: _dropped, ...metadata } = given.metadata;
    const object = { ...given, metadata };
    this.objects.set(key, object);
    this.#tell(this.#handlers, object, previous);
  }

  remove(object: Stored<T>): void {
    const key = keyOf(refOf(object));
    const previous = this.objects.get(key);
    if (!this.objects.delete(key) || previous === undefined) return;
    // the last state comes with the event, and may be newer than what was known
    this.#tell(this.#handlers, undefined, newer(object, previous));
  }

  #tell(handlers: readonly ChangeHandler<T>[], current: Stored<T> | undefined, previous: Stored<T> | undefined): void {
    const subject = current ?? previous;
    if (subject === undefined) return;
    for (const handler of handlers) {
      try {
        handler(refOf(subject), current, previous);
      } catch (error) {
        this.log.error("a handler of changes failed", { ref: refOf(subject), error });
      }
    }
  }
}

function isOutdated<T>(given: Stored<T>, known: Stored<T>): boolean {
  const [version, knownVersion] = [given.metadata.resourceVersion, known.metadata.resourceVersion];
  return version === knownVersion || (given.metadata.uid === known.metadata.uid && !isNewer(version, knownVersion));
}

function isOther<T>(one: Stored<T>, other: Stored<T>): boolean {
  return one.metadata.resourceVersion !== other.metadata.resourceVersion;
}

function newer<T>(event: Stored<T>, known: Stored<T>): Stored<T> {
  return event.metadata.uid === known.metadata.uid ? event : known;
}
