import type { Circumstances } from "../../stories/judge.ts";
import type { Asked, Tale } from "../tale.ts";
import { QUEUES, WAITS_MS, type Queue } from "./queues.ts";

/** What is wrong with a queue: each element is delivered once at most, in order, and none that was acknowledged is missing. */
export function judgeFeeding({ events }: Tale, { isCalm, timesHoldUntil }: Circumstances): string | undefined {
  const asked = events.filter((event) => event.kind === "asked");
  const queue = Object.values(QUEUES).find(({ feeding }) => asked.some(({ command: [name] }) => name === feeding));
  if (queue === undefined) return undefined;
  const played = playedAt(queue, asked);
  return (
    wrongFeed(played) ??
    wrongDelivery(played) ??
    outOfOrder(played) ??
    wrongPatience(played, timesHoldUntil) ??
    missing(played, isCalm)
  );
}

/** When a request was under way; without an end its outcome is not known. */
interface During {
  readonly begin: number;
  readonly end: number | undefined;
}

interface Fed extends During {
  readonly element: string;
}

interface Taken extends During {
  /** None when its time was over. */
  readonly elements: readonly string[];
}

interface Played {
  /** An element that was fed twice, as its first request had no outcome, has two. */
  readonly fed: readonly Fed[];
  readonly taken: readonly Taken[];
  /** Undefined when it was not read. */
  readonly rest: Taken | undefined;
  readonly answersToFeeds: readonly string[];
}

function playedAt(queue: Queue, asked: readonly Asked[]): Played {
  const of = (command: string): readonly Asked[] => asked.filter(({ command: [name] }) => name === command);
  const feeds = of(queue.feeding);
  // who reads the rest does not wait for more
  const takes = of(queue.taking).filter(({ command }) => queue.taking !== queue.resting || command.includes("BLOCK"));
  const resting = of(queue.resting).findLast((one) => !takes.includes(one));
  return {
    fed: feeds.map((one) => ({ element: one.command.at(-1) ?? "", ...during(one) })),
    taken: takes.map((one) => ({ elements: elementsIn(one, queue.takenBy), ...during(one) })),
    rest:
      resting?.answer.kind === "reply"
        ? { elements: elementsIn(resting, queue.restIn), ...during(resting) }
        : undefined,
    answersToFeeds: feeds.flatMap(({ answer }) => (answer.kind === "reply" ? [JSON.stringify(answer.reply)] : [])),
  };
}

function during({ begin, end, answer }: Asked): During {
  return { begin, end: answer.kind === "reply" ? end : undefined };
}

function elementsIn({ answer }: Asked, read: Queue["takenBy"]): readonly string[] {
  return answer.kind === "reply" ? read(answer.reply) : [];
}

function wrongFeed({ answersToFeeds }: Played): string | undefined {
  const wrong = answersToFeeds.find((answer) => !/^(?:[1-9]\d*|"\d+-1")$/.test(answer));
  return wrong === undefined ? undefined : `an element was acknowledged with ${wrong}`;
}

function wrongDelivery({ fed, taken, rest }: Played): string | undefined {
  const begun = new Map(fed.map(({ element, begin }) => [element, begin]));
  const seen = new Set<string>();
  for (const { elements, end = 0 } of [...taken, ...(rest === undefined ? [] : [rest])])
    for (const element of elements) {
      if ((begun.get(element) ?? Number.POSITIVE_INFINITY) > end) return `${element} was delivered, and was not fed`;
      if (seen.has(element)) return `${element} was delivered twice`;
      seen.add(element);
    }
  return undefined;
}

/** What was acknowledged before another was fed is delivered before it. */
function outOfOrder({ fed, taken }: Played): string | undefined {
  const deliveries = new Map(taken.flatMap((one) => one.elements.map((element) => [element, one] as const)));
  for (const first of fed)
    for (const next of fed) {
      if (first.end === undefined || first.end >= next.begin) continue;
      const [early, late] = [deliveries.get(first.element), deliveries.get(next.element)];
      if (early !== undefined && (late?.end ?? Number.POSITIVE_INFINITY) < early.begin)
        return `${next.element} was delivered before ${first.element}`;
    }
  return undefined;
}

/** Engines look at the clock ten times a second, and round. */
const EARLY_NS = 20e6;

/** A pop that got nothing has waited for all its time, while the date of its engine was not set, and nothing was there all the time. */
function wrongPatience({ fed, taken, rest }: Played, timesHoldUntil: number): string | undefined {
  const empty = taken.filter((one) => one.end !== undefined && one.elements.length === 0);
  const others = [...taken, ...(rest === undefined ? [] : [rest])];
  const takers = new Map(others.flatMap((one) => one.elements.map((element) => [element, one] as const)));
  for (const { begin, end = begin } of empty) {
    if (end - begin < WAITS_MS * 1e6 - EARLY_NS && end < timesHoldUntil)
      return `a pop got nothing after ${(end - begin) / 1e6} ms of ${WAITS_MS}`;
    const there = fed.find(
      (one) => one.end !== undefined && one.end < begin && (takers.get(one.element)?.begin ?? 0) > end,
    );
    if (there !== undefined) return `a pop got nothing from ${begin} to ${end}, while ${there.element} was there`;
  }
  return undefined;
}

/** A pop without an answer may have taken one element. */
function missing({ fed, taken, rest }: Played, isCalm: boolean): string | undefined {
  if (rest === undefined) return undefined;
  const there = new Set([...taken, rest].flatMap(({ elements }) => elements));
  const gone = [...new Set(fed.filter(({ end }) => end !== undefined).map(({ element }) => element))].filter(
    (element) => !there.has(element),
  );
  const unknown = isCalm ? 0 : taken.filter(({ end }) => end === undefined).length;
  return gone.length > unknown ? `${gone.join(", ")} is missing, and ${unknown} pops had no answer` : undefined;
}
