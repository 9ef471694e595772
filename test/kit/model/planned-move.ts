import {
  evaluateIntent,
  type FormerFacts,
  type RoleFacts,
} from "../../../src/core/planner/database/switchover-intent.ts";

/** What it rests on that no client reads what is old by then; a test takes away one at a time and sees the model find the fault. */
export interface MoveProtocol {
  /** The old primary refuses reads and writes before the next one is promoted. */
  readonly fences: boolean;
  /** The connections of endpoints to it are closed before it follows the next one. */
  readonly closes: boolean;
  /** An endpoint uses no connection that was made to a replica. */
  readonly asksRole: boolean;
}

export const MOVE_PROTOCOL: MoveProtocol = { fences: true, closes: true, asksRole: true };

type Place = "old" | "next";

/** One proxy: where it sends its clients, whether it holds them, and to which engine it has a connection. */
interface Proxy {
  readonly at: Place;
  readonly isHeld: boolean;
  readonly connection: Place | undefined;
}

/** Two engines, two proxies, and a leader that may die at any moment and has a successor. */
interface State {
  readonly old: "primary" | "fenced" | "replica";
  readonly next: "replica" | "primary";
  /** Writes at the old primary are paused. */
  readonly isPaused: boolean;
  /** The last write was acknowledged by the next primary, and whether the old one has it by now. */
  readonly written: "never" | "at-next" | "at-both";
  readonly proxies: readonly [Proxy, Proxy];
  /** What the leader does next, in the order of the product; `over`: the record says who serves. */
  readonly step: (typeof STEPS)[number];
  /** How often proxies may still restart, holds may end and leaders die. */
  readonly mishaps: number;
  readonly verdict: "" | "stale";
}

const STEPS = [
  "hold-1",
  "hold-2",
  "pause",
  "fence",
  "promote",
  "release-1",
  "release-2",
  "close",
  "attach",
  "commit",
  "over",
] as const;
const FRESH: Proxy = { at: "old", isHeld: false, connection: undefined };
const BEGIN: State = {
  old: "primary",
  next: "replica",
  isPaused: false,
  written: "never",
  proxies: [FRESH, FRESH],
  step: "hold-1",
  mishaps: 3,
  verdict: "",
};

type Step = readonly [name: string, state: State];

/** Visits every state that any order of steps, restarts and losses can reach; the steps to a stale read, if there is one. */
export function exploreMove(protocol: MoveProtocol): {
  readonly states: number;
  readonly moves: number;
  readonly stale: readonly string[] | undefined;
} {
  const reached = new Map([[JSON.stringify(BEGIN), { state: BEGIN, name: "", from: "" }]]);
  let moves = 0;
  for (const [key, { state }] of reached)
    for (const [name, to] of stepsFrom(state, protocol)) {
      const next = JSON.stringify(to);
      if (reached.has(next)) continue;
      reached.set(next, { state: to, name, from: key });
      if (to.verdict === "stale") return { states: reached.size, moves, stale: pathTo(reached, next) };
      if (to.step === "over" && to.next === "primary") moves += 1;
    }
  return { states: reached.size, moves, stale: undefined };
}

function pathTo(
  reached: ReadonlyMap<string, { readonly name: string; readonly from: string }>,
  last: string,
): readonly string[] {
  const names: string[] = [];
  for (let at = reached.get(last); at !== undefined && at.from !== ""; at = reached.get(at.from))
    names.unshift(at.name);
  return names;
}

function stepsFrom(state: State, protocol: MoveProtocol): readonly Step[] {
  return [...leads(state, protocol), ...[0, 1].flatMap((at) => proxySteps(state, at, protocol)), ...replicates(state)];
}

function leads(state: State, protocol: MoveProtocol): readonly Step[] {
  if (state.step === "over") return [];
  const named = `the leader: ${state.step}`;
  const forward: Step = [named, { ...act(state, protocol), step: after(state.step) }];
  // a release that is lost is one that comes later, by the record
  const lost: readonly Step[] = state.step.startsWith("release")
    ? [[`${named}, which is lost`, { ...state, step: after(state.step) }]]
    : [];
  return [forward, ...lost, ...mishap(state, "a successor finds the intent", (left) => resolve(left))];
}

function after(step: State["step"]): State["step"] {
  return STEPS[STEPS.indexOf(step) + 1] ?? "over";
}

function act(state: State, { fences, closes }: MoveProtocol): State {
  switch (state.step) {
    case "hold-1":
      return withProxy(state, 0, { isHeld: true });
    case "hold-2":
      return withProxy(state, 1, { isHeld: true });
    case "pause":
      return { ...state, isPaused: true };
    case "fence":
      return fences ? { ...state, old: "fenced" } : state;
    case "promote":
      return { ...state, next: "primary" };
    case "release-1":
      return released(state, 0, "next");
    case "release-2":
      return released(state, 1, "next");
    case "close":
      return closes ? { ...state, proxies: [closed(state.proxies[0]), closed(state.proxies[1])] } : state;
    case "attach":
      return { ...state, old: "replica" };
    case "commit":
    case "over":
      return state;
  }
}

/** By the function that decides in the product: goes on with a target that was promoted, and otherwise takes the move back. */
function resolve(state: State): State {
  const target: RoleFacts = {
    role: state.next,
    offset: 500,
    promotedAt: state.next === "primary" ? 500 : -1,
    history: "",
  };
  const isFollower = state.old === "replica";
  const old: FormerFacts = {
    role: state.old === "primary" ? "primary" : "replica",
    offset: 500,
    promotedAt: -1,
    history: "",
    isFollower,
  };
  const verdict = evaluateIntent({ target, old, targetDead: false, forced: false });
  if (verdict.kind === "finish") return { ...state, isPaused: true, step: "release-1" };
  const back = { ...state, old: "primary", isPaused: false, step: "over" } as const;
  return released(released(back, 0, "old"), 1, "old");
}

function released(state: State, at: number, place: Place): State {
  const proxy = state.proxies[at] ?? FRESH;
  const connection = proxy.connection === place ? place : undefined;
  return withProxy(state, at, { at: place, isHeld: false, connection });
}

function closed(proxy: Proxy): Proxy {
  return proxy.connection === "old" ? { ...proxy, connection: undefined } : proxy;
}

/** What one proxy and its clients do, and what happens to it. */
function proxySteps(state: State, at: number, { asksRole }: MoveProtocol): readonly Step[] {
  const proxy = state.proxies[at] ?? FRESH;
  const named = `proxy ${at + 1}`;
  const engine = proxy.at === "old" ? state.old : state.next;
  const steps: Step[] = [];
  if (proxy.connection !== proxy.at && (engine === "primary" || !asksRole))
    steps.push([`${named} connects to the ${proxy.at} one`, withProxy(state, at, { connection: proxy.at })]);
  if (!proxy.isHeld && proxy.connection === proxy.at) steps.push(...clientSteps(state, proxy, named));
  if (state.step === "over" && state.next === "primary" && proxy.at === "old")
    steps.push([`${named} learns of the record`, released(state, at, "next")]);
  // its agent may still have the record of before, whatever was written since
  steps.push(...mishap(state, `${named} starts again`, (left) => withProxy(left, at, FRESH)));
  if (proxy.isHeld)
    steps.push(...mishap(state, `the hold of ${named} ends`, (left) => withProxy(left, at, { isHeld: false })));
  return steps;
}

function clientSteps(state: State, proxy: Proxy, named: string): readonly Step[] {
  if (proxy.at === "next")
    return state.next === "primary" ? [[`${named}: a write at the next one`, { ...state, written: "at-next" }]] : [];
  const answers = state.old !== "fenced";
  const isStale = state.written === "at-next";
  return answers && isStale ? [[`${named}: a read at the old one`, { ...state, verdict: "stale" }]] : [];
}

function replicates(state: State): readonly Step[] {
  return state.old === "replica" && state.written === "at-next"
    ? [["the old one gets the write", { ...state, written: "at-both" }]]
    : [];
}

function mishap(state: State, name: string, what: (left: State) => State): readonly Step[] {
  return state.mishaps === 0 ? [] : [[name, what({ ...state, mishaps: state.mishaps - 1 })]];
}

function withProxy(state: State, at: number, change: Partial<Proxy>): State {
  const [one, other] = state.proxies;
  return { ...state, proxies: at === 0 ? [{ ...one, ...change }, other] : [one, { ...other, ...change }] };
}
