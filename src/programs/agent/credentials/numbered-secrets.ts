import type { Secret } from "kubernetes-types/core/v1.js";
import { LABELS } from "../../../core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { Secrets } from "#kit/kube/builtin";
import { faults } from "#kit/kube/faults";
import type { Stored } from "#kit/kube/kube";
import { untilGranted, type OwnSecretsDeps } from "./granted.ts";
import { unfilledSecrets } from "./unfilled-secrets.ts";
import { oneAtATime } from "#kit/base/in-turn";

/**
 * The Secrets of one kind, each with a number that none had before. The operator makes them ahead, empty, and a node fills one that it
 * has taken. Where the Role still lets nodes make Secrets, because nodes of older releases are members, one that is not there is made.
 */
export interface NumberedSecrets {
  /** The lowest number whose Secret is there; it is this caller's alone. Undefined, and nothing has changed, while none is there. */
  take(counter: Counter): Promise<FreeSecret | undefined>;
  /** Whether `take` would find one now. */
  isReady(counter: Counter): Promise<boolean>;
  /** Puts the contents into the Secret; false when it is not there any more, or another writer has filled it. */
  fill(free: FreeSecret, contents: SecretContents): Promise<boolean>;
}

/** How the record of the cluster counts the Secrets of one kind. */
export interface Counter {
  /** The lowest number that none had, as far as is known. */
  next(): number;
  /** Marks this number and those below it as used, by compare-and-swap. False when the number was used already. */
  use(number: number): Promise<boolean>;
}

/** A Secret that was taken, and not filled yet. */
export interface FreeSecret {
  readonly number: number;
  readonly name: string;
  /** Undefined when it is to be made. */
  readonly prepared: Stored<Secret> | undefined;
}

/** What a Secret gets. */
export interface SecretContents {
  readonly labels: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
}

/** What the names of the Secrets are made from, and behind how many that are not there the next one is looked for. */
interface Numbering {
  readonly nameOf: (number: number) => string;
  readonly ahead: number;
}

const FILL_ATTEMPTS = 5;
/** How long the answer counts that no Secret was there, in milliseconds. */
const COUNTS_MS = 150;

/** The Secrets with these names. */
export function numberedSecrets(deps: OwnSecretsDeps, numbering: Numbering): NumberedSecrets {
  const { clock } = deps;
  let lackedAt = -Infinity;
  const removeUnfilled = unfilledSecrets(deps, numbering.ahead);
  // two at once would look for the same one, and one of them would look again
  const inTurn = oneAtATime();
  const noted = (free: FreeSecret | undefined): FreeSecret | undefined => {
    if (free === undefined) lackedAt = clock.uptimeMs();
    return free;
  };
  return {
    take: (counter) => {
      const askedAt = clock.uptimeMs();
      return inTurn(async () => {
        // one look is the answer for all that asked before it ended: the looks of many in turn would outlast the patience of each
        if (lackedAt > askedAt) return undefined;
        await removeUnfilled(counter.next(), numbering.nameOf);
        return noted(await takeFree(deps, numbering, counter));
      });
    },
    isReady: (counter) =>
      inTurn(async () => {
        // of many that wait, one looks
        if (clock.uptimeMs() - lackedAt < COUNTS_MS) return false;
        return noted(await look(deps, numbering, counter)) !== undefined;
      }),
    fill: (free, contents) =>
      free.prepared === undefined ? make(deps, free, contents) : fill(deps, free.prepared, contents),
  };
}

async function takeFree(deps: OwnSecretsDeps, numbering: Numbering, counter: Counter): Promise<FreeSecret | undefined> {
  for (;;) {
    const free = await look(deps, numbering, counter);
    // before it is filled: of two leaders, one gets the number
    if (free === undefined || (await counter.use(free.number))) return free;
  }
}

/** Numbers whose Secrets are filled were used, also where an older copy of the record does not know it: the counter moves past them. */
async function look(
  deps: OwnSecretsDeps,
  { nameOf, ahead }: Numbering,
  counter: Counter,
): Promise<FreeSecret | undefined> {
  const first = counter.next();
  let [used, mayMake] = [first - 1, true];
  for (let number = first; number < first + ahead; number += 1) {
    const name = nameOf(number);
    const found = await readOwnSecret(deps, name);
    if (found === "filled" && used === number - 1) used = number;
    if (found === "filled") continue;
    if (found !== undefined) return { number, name, prepared: found };
    const answer: Making = mayMake ? await askToMake(deps, name) : "forbidden";
    if (answer === "free") return { number, name, prepared: undefined };
    if (answer === "forbidden") mayMake = false;
  }
  // the operator goes by what the counter says
  await counter.use(used);
  return undefined;
}

/** The Secret, if it is the cluster's own; undefined also when it is another's, and when the Role does not name it, or not yet. */
async function readOwnSecret(
  { kube, cluster, namespace }: OwnSecretsDeps,
  name: string,
): Promise<Stored<Secret> | "filled" | undefined> {
  try {
    const secret = await kube.get(Secrets, { name, namespace });
    if (secret?.metadata.labels?.[LABELS.cluster] !== cluster) return undefined;
    return Object.keys(secret.data ?? {}).length > 0 ? "filled" : secret;
  } catch (error) {
    if (!isFault(error, faults.forbidden)) throw error;
    return undefined;
  }
}

type Making = "free" | "taken" | "forbidden";

async function askToMake({ kube, namespace }: OwnSecretsDeps, name: string): Promise<Making> {
  try {
    await kube.create(Secrets, { metadata: { name, namespace }, type: "Opaque" }, { dryRun: true });
    return "free";
  } catch (error) {
    if (isFault(error, faults.alreadyExists)) return "taken";
    if (isFault(error, faults.forbidden)) return "forbidden";
    throw error;
  }
}

async function make(deps: OwnSecretsDeps, { name }: FreeSecret, { labels, data }: SecretContents): Promise<boolean> {
  const { kube, namespace } = deps;
  try {
    await kube.create(Secrets, { metadata: { name, namespace, labels: { ...labels } }, type: "Opaque", data });
    await untilGranted(deps, { name, namespace });
    return true;
  } catch (error) {
    if (isFault(error, faults.forbidden)) return false; // the right went meanwhile
    if (!isFault(error, faults.alreadyExists)) throw error;
    const found = await readOwnSecret(deps, name); // the operator was first
    return found !== undefined && found !== "filled" && fill(deps, found, { labels, data });
  }
}

/** Fills a Secret, which then no longer goes away with the object of the cluster, but with its database or user. */
async function fill(
  deps: OwnSecretsDeps,
  prepared: Stored<Secret>,
  { labels, data }: SecretContents,
): Promise<boolean> {
  const { kube, namespace } = deps;
  const { name } = prepared.metadata;
  let current: Stored<Secret> | "filled" | undefined = prepared;
  for (let attempt = 1; current !== undefined && current !== "filled"; attempt += 1) {
    const { resourceVersion } = current.metadata;
    const body = { metadata: { resourceVersion, labels, ownerReferences: null }, data };
    try {
      await kube.patch(Secrets, { name, namespace }, { type: "merge", body });
      return true;
    } catch (error) {
      if (isFault(error, faults.notFound)) return false;
      if (!isFault(error, faults.conflict) || attempt >= FILL_ATTEMPTS) throw error;
    }
    current = await readOwnSecret(deps, name);
  }
  return false;
}
