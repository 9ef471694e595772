import {
  GRANT_MS,
  LONG_AGO,
  NODE_LEASE_MS,
  evaluateGrant,
  mayAcknowledge,
  mayConsent,
  mayPromise,
} from "../../../src/core/planner/node/grant.ts";
import { deniesMajority } from "../../../src/core/planner/node/quorum.ts";
import { isPromised } from "../../../src/programs/agent/members/voter-sets.ts";

/** Length of a step of time, in milliseconds: it divides both lengths, so that the model is as sharp as its clock. */
const TICK_MS = 2_000;
/** Ages are counted up to this: older makes no difference. */
const OLD = NODE_LEASE_MS / TICK_MS;
const GRANT = GRANT_MS / TICK_MS;

/** The node whose primary may be taken over, and the two that vote about it. */
const PRIMARY = 1;
const VOTERS = [2, 3] as const;
type Voter = (typeof VOTERS)[number];

/** The voters that the primary's node may choose; a list of them is kept as bits of their places here. */
const CHOICES: readonly (readonly number[])[] = [
  [1, 2, 3],
  [1, 2],
];

/** What the safety of the protocol rests on; a test takes away one at a time and sees the model find the fault. */
export interface Protocol {
  /** The leader asks the voters before it promotes. */
  readonly asksConsent: boolean;
  /** Voters keep what they said apart: none promises after it consented, or consents after it promised. */
  readonly keepsPledges: boolean;
  /** A process that has just started says nothing for the length of a lease. */
  readonly waitsAfterStart: boolean;
  /** The primary's node counts the voters of renewals with an unknown outcome too. */
  readonly countsUnknownVoters: boolean;
  /** A grant that ran out is given again only after the records were read, or by voters that consented to nothing meanwhile. */
  readonly catchesUp: boolean;
  /** Such voters alone count for it, not all that promise. */
  readonly looksForConsents: boolean;
  /** They prove nothing after another renewal: a leader may have asked the voters of the one before. */
  readonly endsProofByRenewal: boolean;
}

export const PROTOCOL: Protocol = {
  asksConsent: true,
  keepsPledges: true,
  waitsAfterStart: true,
  countsUnknownVoters: true,
  catchesUp: true,
  looksForConsents: true,
  endsProofByRenewal: true,
};

/**
 * Ages and lengths in ticks, flags 0 or 1, so that a state is a row of small numbers. A round of promises, and a renewal with its
 * answer, take no time here: both count from their beginning, so that one that takes long allows less.
 */
interface State {
  /** The record: 0 untouched, 1 with the intent to take over, 2 with the new primary. */
  readonly record: 0 | 1 | 2;
  /** For how long the proxy of the primary's node may go on, and whether its agent knows. */
  readonly grant: number;
  readonly known: 0 | 1;
  readonly renewed: number;
  readonly vouched: number;
  /** Since a round of voters that have consented to nothing since the last grant, and whether each of them has not. */
  readonly unbroken: number;
  readonly same2: 0 | 1;
  readonly same3: 0 | 1;
  /** The primary's node has read the intent: it has left its primary. */
  readonly hasLeft: 0 | 1;
  /** It has renewed, and reads the record next. */
  readonly catching: 0 | 1;
  /** Voters of the stored lease as place in CHOICES, and all those that count at the primary's node, as bits. */
  readonly leaseVoters: number;
  readonly countedVoters: number;
  readonly promised2: number;
  readonly promised3: number;
  readonly consented2: number;
  readonly consented3: number;
  /** Since when the leader sees the lease as it is, and whether it was renewed since. */
  readonly seen: number;
  readonly changed: 0 | 1;
  /** A take-over: its age or -1, who consented as bits, and the voters of the lease as it was read, or -1. */
  readonly takeOver: number;
  readonly consents: number;
  readonly read: number;
}

const START: State = {
  record: 0,
  grant: GRANT,
  known: 1,
  renewed: 0,
  vouched: GRANT,
  hasLeft: 0,
  catching: 0,
  unbroken: GRANT,
  same2: 1,
  same3: 1,
  leaseVoters: 0,
  countedVoters: 1,
  promised2: OLD,
  promised3: OLD,
  consented2: OLD,
  consented3: OLD,
  seen: 0,
  changed: 0,
  takeOver: -1,
  consents: 0,
  read: -1,
};

type Step = (state: State, protocol: Protocol) => State | undefined;

const bit = (at: number): number => 1 << at;
const place = (uid: Voter): number => bit(VOTERS.indexOf(uid));
const older = (age: number, old = OLD): number => Math.min(old, age + 1);
const IDLE = { takeOver: -1, consents: 0, read: -1 } as const;

const STEPS: Readonly<Record<string, Step>> = {
  "time passes": (state) => ({
    ...state,
    grant: Math.max(0, state.grant - 1),
    seen: older(state.seen),
    renewed: older(state.renewed, GRANT),
    vouched: older(state.vouched, GRANT),
    unbroken: older(state.unbroken, GRANT),
    promised2: older(state.promised2),
    promised3: older(state.promised3),
    consented2: older(state.consented2),
    consented3: older(state.consented3),
    takeOver: state.takeOver < 0 ? -1 : older(state.takeOver, GRANT),
  }),
  ...eachChoice("a renewal is stored and confirmed", (voters) => (state, protocol) => ({
    ...state,
    ...renewed(state, protocol),
    leaseVoters: voters,
    countedVoters: bit(voters),
  })),
  ...eachChoice("a renewal is stored, and its answer is lost", (voters) => (state, protocol) => ({
    ...state,
    changed: 1,
    leaseVoters: voters,
    countedVoters: withUnknown(state, voters, protocol),
  })),
  ...eachRound((promising) => (state, protocol) => vouch(state, promising, protocol)),
  ...eachVoter("consents", consent),
  ...eachVoter("starts again", (uid) => (state, { waitsAfterStart }) => {
    // it does not know what it said: it waits as if it had said both a moment ago
    const said = waitsAfterStart ? 0 : OLD;
    return { ...state, [`promised${uid}`]: said, [`consented${uid}`]: said, [`same${uid}`]: 0 };
  }),
  "another node leads, or the leader sees the lease": (state) => ({ ...state, seen: 0, changed: 0, ...IDLE }),
  "the agent of the primary's node looks at its grant": look,
  "the agent of the primary's node starts again": (state) => ({
    ...state,
    known: 0,
    renewed: GRANT,
    vouched: GRANT,
    unbroken: GRANT,
    same2: 0,
    same3: 0,
    catching: 0,
  }),
  "the primary's node reads the record": (state) => {
    if (state.catching === 0) return undefined;
    const left = GRANT - state.renewed;
    if (state.record !== 0) return { ...state, catching: 0, hasLeft: 1, grant: 0, known: 0 };
    // by promises it may have got a longer one meanwhile
    const grant = Math.max(left, state.known === 1 ? state.grant : 0);
    return { ...state, catching: 0, hasLeft: 0, ...(grant > 0 ? { grant, known: 1 } : {}) };
  },
  "the leader writes its intent": (state) => {
    const { seen, takeOver, record } = state;
    const standing = { gaveUp: false, silentForMs: seen * TICK_MS, promisedForMs: Number.POSITIVE_INFINITY };
    if (takeOver >= 0 || record === 2 || mayAcknowledge(standing)) return undefined;
    return { ...state, record: 1, takeOver: 0, consents: 0, read: -1 };
  },
  "the leader reads the lease": (state) => {
    if (state.takeOver < 0 || state.read >= 0) return undefined;
    return state.changed === 1 ? { ...state, ...IDLE } : { ...state, read: state.leaseVoters };
  },
  "the leader gives up": (state) => (state.takeOver < 0 ? undefined : { ...state, ...IDLE }),
  "an intent without a take-over is withdrawn": (state) =>
    state.record === 1 && state.takeOver < 0 ? { ...state, record: 0 } : undefined,
  "the leader promotes a replica": (state, protocol) => {
    const { takeOver, read } = state;
    if (takeOver < 0 || read < 0 || takeOver >= GRANT || !isConsented(state, protocol)) return undefined;
    return { ...state, ...IDLE, record: 2 };
  },
};

/** A renewal that is confirmed while a grant is held keeps the tags, as a look at the grant does. */
function renewed(state: State, { endsProofByRenewal }: Protocol): Partial<State> {
  const isHeld = state.known === 1 && state.grant > 0;
  const noProof = { unbroken: GRANT, same2: 0, same3: 0 } as const;
  return { renewed: 0, changed: 1, ...(isHeld ? kept(state) : endsProofByRenewal ? noProof : {}) };
}

function kept({ vouched }: State): Partial<State> {
  return { unbroken: vouched, same2: 1, same3: 1 };
}

function withUnknown({ countedVoters }: State, voters: number, { countsUnknownVoters }: Protocol): number {
  return countsUnknownVoters ? countedVoters | bit(voters) : countedVoters;
}

function isConsented(state: State, { asksConsent }: Protocol): boolean {
  const consented = VOTERS.filter((uid) => (state.consents & place(uid)) !== 0);
  return !asksConsent || deniesMajority(CHOICES[state.read] ?? [], PRIMARY, consented);
}

function pledges(state: State, uid: Voter) {
  const [promised, consented] = uid === 2 ? [state.promised2, state.consented2] : [state.promised3, state.consented3];
  return { promisedForMs: promised * TICK_MS, consentedForMs: consented * TICK_MS, runningForMs: NODE_LEASE_MS };
}

/** A round in which these voters are reached; with a majority it counts as a renewal. */
function vouch(state: State, reached: readonly Voter[], protocol: Protocol): State | undefined {
  const promised = reached.filter((uid) => !protocol.keepsPledges || mayPromise(pledges(state, uid)));
  if (promised.length === 0) return undefined;
  const sets = CHOICES.filter((_, at) => (state.countedVoters & bit(at)) !== 0);
  const said = { ...state, ...Object.fromEntries(promised.map((uid) => [`promised${uid}`, 0])) };
  if (!isPromised(sets, PRIMARY, VOTERS, promised)) return said;
  const same = promised.filter((uid) => !protocol.looksForConsents || (uid === 2 ? state.same2 : state.same3) === 1);
  return { ...said, vouched: 0, ...(isPromised(sets, PRIMARY, VOTERS, same) ? { unbroken: 0 } : {}) };
}

function consent(uid: Voter): Step {
  return (state, { keepsPledges }) => {
    const isAsked = state.takeOver >= 0 && state.read < 0 && (state.consents & place(uid)) === 0;
    if (!isAsked) return undefined;
    if (keepsPledges && !mayConsent(pledges(state, uid))) return undefined;
    return { ...state, [`consented${uid}`]: 0, [`same${uid}`]: 0, consents: state.consents | place(uid) };
  };
}

function look(state: State, protocol: Protocol): State | undefined {
  const known = state.known === 1 ? state.grant * TICK_MS : LONG_AGO;
  const term = evaluateGrant({
    now: 0,
    renewedAt: -state.renewed * TICK_MS,
    vouchedAt: -state.vouched * TICK_MS,
    unbrokenAt: -state.unbroken * TICK_MS,
    grantedUntil: protocol.catchesUp ? known : Number.POSITIVE_INFINITY,
  });
  switch (term.kind) {
    case "granted":
      return { ...state, ...kept(state), grant: term.until / TICK_MS, known: 1 };
    case "catch-up":
      if (state.catching !== 0) return undefined;
      // the renewal that it sends first is stored and confirmed
      return { ...state, ...renewed(state, protocol), catching: 1, countedVoters: bit(state.leaseVoters) };
    case "cut-off":
      return undefined;
  }
}

function eachVoter(what: string, step: (uid: Voter) => Step): Readonly<Record<string, Step>> {
  return Object.fromEntries(VOTERS.map((uid) => [`node ${uid} ${what}`, step(uid)]));
}

function eachChoice(what: string, step: (voters: number) => Step): Readonly<Record<string, Step>> {
  return Object.fromEntries(CHOICES.map((voters, at) => [`${what} with voters ${voters.join(", ")}`, step(at)]));
}

function eachRound(step: (reached: readonly Voter[]) => Step): Readonly<Record<string, Step>> {
  const rounds: readonly (readonly Voter[])[] = [[2], [3], [2, 3]];
  return Object.fromEntries(rounds.map((reached) => [`a round reaches ${reached.join(" and ")}`, step(reached)]));
}

/** The proxy of the old primary passes on replies while another engine is the primary. */
function isSplit({ record, grant, hasLeft }: State): boolean {
  return record === 2 && grant > 0 && hasLeft === 0;
}

export interface Exploration {
  readonly states: number;
  /** States in which the primary was taken over: without any the model would prove nothing. */
  readonly takeOvers: number;
  /** The steps that lead to two primaries, as few as there can be; undefined when none do. */
  readonly split: readonly string[] | undefined;
}

interface Arrival {
  readonly before: number;
  readonly step: string;
}

/** Walks over every state that three nodes can reach by any order of steps, messages lost or late, and restarts. */
export function exploreTakeOver(protocol: Protocol): Exploration {
  const steps = Object.entries(STEPS);
  const arrivals = new Map<number, Arrival>([[keyOf(START), { before: -1, step: "start" }]]);
  let takeOvers = 0;
  for (let frontier: State[] = [START]; frontier.length > 0;) {
    const next: State[] = [];
    for (const state of frontier)
      for (const [step, apply] of steps) {
        const after = apply(state, protocol);
        const key = after === undefined ? -1 : keyOf(after);
        if (after === undefined || arrivals.has(key)) continue;
        arrivals.set(key, { before: keyOf(state), step });
        if (after.record === 2) takeOvers += 1;
        if (isSplit(after)) return { states: arrivals.size, takeOvers, split: pathTo(key, arrivals) };
        next.push(after);
      }
    frontier = next;
  }
  return { states: arrivals.size, takeOvers, split: undefined };
}

/** Each number of a state is from -1 to 3. */
function keyOf(state: State): number {
  let key = 0;
  for (const value of Object.values(state)) key = key * 5 + Number(value) + 1;
  return key;
}

function pathTo(key: number, arrivals: ReadonlyMap<number, Arrival>): readonly string[] {
  const steps: string[] = [];
  for (let at = arrivals.get(key); at !== undefined && at.before >= 0; at = arrivals.get(at.before))
    steps.unshift(at.step);
  return steps;
}
