import type { SessionParts } from "../client/session-parts.ts";
import { randomUUID } from "node:crypto";
import { messageOf } from "#kit/base/fault";
import {
  askingSites,
  SITE_WAIT_MS,
  SiteAnswers,
  sitesAnswered,
  type SiteWait,
} from "../../../mechanisms/site/site-wait.ts";
import { engineCodeOf, errorReplyOf } from "../../../ports/resp/engine-client.ts";
import { listOf, textOf, type Reply } from "../../../ports/resp/reply.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { errorReply, integerReply, replies } from "../protocol/replies.ts";
import type { EndpointPlace } from "./session-endpoint.ts";
import type { Moving } from "./moving.ts";
import { askAll, type AskedEndpoint, type AskedRoute } from "./ask-primary.ts";
import type { Routes } from "../upstream/only-route.ts";

/** What WAITSITES needs of the session that sends it. */
export interface WaitingSession {
  readonly endpoint: Omit<AskedEndpoint, "routes"> & {
    readonly isSite: boolean;
    readonly place: Pick<EndpointPlace, "slices">;
    readonly routes: Routes<AskedRoute & Pick<PrimaryView, "held">>;
  };
  readonly moving: Pick<Moving, "isWithdrawn">;
  readonly life: Pick<SessionParts["life"], "ended" | "inputEnded" | "finish">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
  readonly work: SessionParts["work"];
}

/** The link that was asked may have ended, or be at another engine now: it is asked again after this time, in milliseconds. */
const ASK_AGAIN_MS = SITE_WAIT_MS / 2;
/** A link that serves has answered within this time, in milliseconds. */
const ANSWER_MS = 1_000;
/** How long an answer is waited for before the next look: longer and longer. */
const LOOKS_MS = { least: 5, most: 50 };

/** WAITSITES: replies with the number of other sites that have all earlier writes, once as many as asked for have them, or after the timeout. */
export function waitForSites(session: WaitingSession, request: Buffer): boolean {
  if (session.work.hasPending) return false;
  if (!session.endpoint.isSite) return session.turns.answer(NO_SITES);
  const asked = askedFor(requestArguments(request).slice(1));
  if (Buffer.isBuffer(asked)) return session.turns.answer(asked);
  session.turns.waitFor(
    pollSites(session, asked).then(
      (reply) => void (reply && session.turns.answer(reply)),
      (error: unknown) =>
        void session.turns.answer(
          errorReply(errorReplyOf(error) ?? `ERR store: the sites are not known: ${messageOf(error)}`),
        ),
    ),
  );
  return true;
}

const NO_SITES = errorReply("ERR store: WAITSITES is for Active-Active databases: this one has no other sites");

interface Asked {
  readonly sites: number;
  /** Infinity: for as long as it takes. */
  readonly timeoutMs: number;
}

/** An error reply when it is wrong. */
function askedFor(args: readonly Buffer[]): Asked | Buffer {
  if (args.length !== 2) return errorReply("ERR wrong number of arguments for 'waitsites' command");
  const [sites, timeout] = args.map(String);
  if (![sites, timeout].every((text) => /^-?\d{1,15}$/.test(text ?? ""))) return replies.noInteger;
  if (Number(timeout) < 0) return errorReply("ERR timeout is negative");
  return { sites: Number(sites), timeoutMs: Number(timeout) === 0 ? Infinity : Number(timeout) };
}

/** Undefined: the client gets no reply. */
async function pollSites(session: WaitingSession, { sites, timeoutMs }: Asked): Promise<Buffer | undefined> {
  const { endpoint } = session;
  const { clock } = endpoint;
  const asking = { wait: { id: randomUUID(), sites }, answers: new SiteAnswers() };
  const began = clock.uptimeMs();
  const deadline = began + timeoutMs;
  let [have, pauseMs, askedAt] = [0, LOOKS_MS.least, -Infinity];
  while (!session.life.ended && !session.moving.isWithdrawn) {
    const now = clock.uptimeMs();
    // an engine that is paused for a change of primary would keep all behind the question waiting
    const held = endpoint.routes.some((route) => route.held);
    const isDue = !held && now - askedAt >= ASK_AGAIN_MS;
    if (isDue) [askedAt, pauseMs] = [now, LOOKS_MS.least];
    const answered = held ? null : await askSites(endpoint, asking, isDue);
    if (Buffer.isBuffer(answered)) return answered;
    have = answered ?? have;
    if (now >= deadline || isEnough(answered, sites)) return integerReply(have);
    if (hasLeft(session, answered, now - began)) {
      session.life.finish();
      return undefined;
    }
    await clock.sleep(Math.min(pauseMs, deadline - now));
    pauseMs = Math.min(LOOKS_MS.most, pauseMs * 2);
  }
  return undefined;
}

interface Asking {
  readonly wait: SiteWait;
  readonly answers: SiteAnswers;
}

/** How many other sites have it, after the question to the links where it is due: null while one has not answered, and the reply to the client where a primary cannot be asked. */
async function askSites(
  endpoint: WaitingSession["endpoint"],
  { wait, answers }: Asking,
  isDue: boolean,
): Promise<number | null | Buffer> {
  const asked = isDue ? await ask(endpoint, () => askingSites(wait)) : null;
  if (Buffer.isBuffer(asked)) return asked;
  const slicesAt = (shard: number): readonly string[] => endpoint.place.slices[shard] ?? [];
  const read = await ask(endpoint, (shard) => sitesAnswered(wait, slicesAt(shard)));
  if (read === null || Buffer.isBuffer(read)) return read;
  const answered = read.flatMap((each) => listOf(each)).map((one) => (one === null ? null : textOf(one)));
  return answers.count(endpoint.place.slices.flat(), answered);
}

/** Null is no answer yet. */
function isEnough(answered: number | null, sites: number): boolean {
  return answered !== null && answered >= sites;
}

/** The client sends nothing more, and its wait has begun: it ends without a reply, as WAIT at an engine. */
function hasLeft({ life }: WaitingSession, answered: number | null, waitedMs: number): boolean {
  return life.inputEnded && (answered !== null || waitedMs >= ANSWER_MS);
}

/** The replies of all primaries; null when an engine is a primary no more, or not yet: the next one is asked. */
async function ask(
  endpoint: AskedEndpoint,
  commandOf: (shard: number) => ReturnType<typeof askingSites>,
): Promise<readonly Reply[] | null | Buffer> {
  try {
    const asked = await askAll(endpoint, commandOf);
    return "refusal" in asked ? asked.refusal : asked.replies;
  } catch (error) {
    if (PASSING.has(engineCodeOf(error) ?? "")) return null;
    throw error;
  }
}

const PASSING: ReadonlySet<string> = new Set(["READONLY", "LOADING", "MASTERDOWN", "BUSY"]);
