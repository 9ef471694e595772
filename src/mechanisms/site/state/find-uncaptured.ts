import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { comparedAt, type ComparedKey } from "../../../core/merge/state/compared-key.ts";
import type { Effect } from "../../../core/merge/operations/operation.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { eachKey, type KeyGiver } from "./give-keys.ts";
import type { Locks } from "../operations/locks.ts";
import type { OtherKeys } from "./other-keys.ts";
import type { SiteSlice } from "../saved/slice.ts";
import { scanKeys } from "./scan-keys.ts";

/** What it takes to find changes of clients that no stream shows any more. */
export interface Finder extends KeyGiver {
  readonly client: EngineClient;
  readonly slice: Pick<SiteSlice, "holds">;
  /** Called with what clients did. */
  readonly onEffects: (effects: readonly Effect[]) => void;
  /** While one is held, nothing is forgotten. */
  readonly comparing: Locks;
  readonly signal: AbortSignal;
}

/** Where another site is found to compare with. */
export interface Comparing {
  /** Connects to a site that has captured all that it holds; undefined when no other one has, so that this one counts as such. */
  readonly connect: () => Promise<OtherKeys | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Names that another site is asked for at once. */
const ASKED = 200;
const AGAIN_MS = 500;

/** Finds changes of elements of which more is known than what was agreed on. Nothing may come from other sites meanwhile. */
export async function findInKnown(finder: Finder): Promise<void> {
  await eachKey(finder, finder.site.keys.known, (key, effects) => takeUncaptured(finder, key, effects, undefined));
}

/** Finds changes of all other elements, by what another site holds: as often as it takes, until the signal. */
export async function findInAll(finder: Finder, { connect, clock, log }: Comparing): Promise<void> {
  for (let why = ""; !finder.signal.aborted;) {
    try {
      const other = await connect();
      if (other === undefined) return;
      log.info("what clients did before the stream began is looked for at another site");
      try {
        await compareAll(finder, other);
      } finally {
        other.close();
      }
      log.info("what clients did before the stream began is found");
      return;
    } catch (error) {
      if (finder.signal.aborted) return;
      if (!(error instanceof Fault)) throw error;
      if (why !== messageOf(error)) log.warn("what clients did before the stream began is not found yet", { error });
      why = messageOf(error);
    }
    await clock.sleep(AGAIN_MS, finder.signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

async function compareAll(finder: Finder, other: OtherKeys): Promise<void> {
  const compare = (keys: readonly string[]): Promise<void> => compareKeys(finder, other, keys);
  for await (const keys of inParts(scanKeys(finder.client, finder.slice))) await compare(keys);
  for await (const keys of other.names()) await compare(await missingKeys(finder.client, keys));
}

/** Nothing is forgotten between the two looks at a key: each site then knows what the other one lacks. */
async function compareKeys(finder: Finder, other: OtherKeys, keys: readonly string[]): Promise<void> {
  const { site } = finder;
  if (keys.length === 0) return;
  const there = new Map<string, ComparedKey>();
  site.forgetAgreed();
  using _comparing = finder.comparing.begin();
  for (const each of await other.look(keys)) there.set(each.key, each);
  await eachKey(finder, keys, (key, effects) => takeUncaptured(finder, key, effects, there.get(key)));
}

function takeUncaptured(
  finder: Finder,
  key: string,
  effects: readonly Effect[],
  other: ComparedKey | undefined,
): boolean {
  const { site, capture, onEffects } = finder;
  // it is captured as a whole anyway
  if (capture.isReadingAll(key)) return true;
  const there = other && comparedAt(other);
  if (other !== undefined && there === undefined) return true;
  const found = site.keys.uncaptured(key, effects, there);
  if (found === undefined) return false;
  if (found.length > 0) onEffects(found);
  return true;
}

async function* inParts(all: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  let part = new Set<string>();
  for await (const keys of all) {
    for (const key of keys) part.add(key);
    if (part.size < ASKED) continue;
    yield [...part];
    part = new Set();
  }
  yield [...part];
}

async function missingKeys(client: EngineClient, keys: readonly string[]): Promise<readonly string[]> {
  const replies = await Promise.all(keys.map((key) => client.call("EXISTS", Buffer.from(key, "latin1"))));
  return keys.filter((_, index) => replies[index] === 0);
}
