import type { InSyncSet } from "../../../src/core/api/records.ts";
import type { PrimarySample } from "../../../src/core/planner/database/in-sync.ts";
import { nextSyncSet } from "../../../src/core/planner/database/sync-set.ts";
import { requirementOf } from "../../../src/programs/proxy/upstream/requirement.ts";

/** What the safety of replies that wait rests on; a test takes away one at a time and sees the model find the fault. */
export interface SyncProtocol {
  /** A replica is a member only once every proxy has confirmed that it waits for it. */
  readonly confirms: boolean;
  /** And only once it has what the primary had written after that. */
  readonly catchesUp: boolean;
  /** A proxy ceases to wait for a member when the record has let it go, not when its link breaks. */
  readonly leavesInRecord: boolean;
  /** A failover is decided on the set that is stored when its intent is. */
  readonly checksSet: boolean;
  /** A round asks for the replica by its address. */
  readonly asksByAddress: boolean;
}

export const SYNC_PROTOCOL: SyncProtocol = {
  confirms: true,
  catchesUp: true,
  leavesInRecord: true,
  checksSet: true,
  asksByAddress: true,
};

/** A primary, one replica that may succeed it, a further one that may not, and two proxies. */
interface State {
  readonly written: number;
  /** How many writes the replica has, and whether its link is up. */
  readonly has: number;
  readonly linked: boolean;
  /** The most that was acknowledged to a client. */
  readonly acknowledged: number;
  readonly set: InSyncSet;
  /** What each proxy has read of the record, and the leader. */
  readonly known: readonly [InSyncSet, InSyncSet];
  readonly leader: InSyncSet;
  /** Versions that each proxy has confirmed. */
  readonly confirmed: readonly [number, number];
  /** What the primary said last, and first after the last proxy confirmed the version. */
  readonly said: readonly (readonly [at: number, offset: number, has: number, linked: boolean])[];
  /** Version that all have confirmed. */
  readonly agreed: number;
  readonly end: "" | "promoted" | "returned";
}

const WRITES = 1;
const LAST_VERSION = 3;
const EMPTY: InSyncSet = { epoch: 1, members: [], joining: [], version: 0 };
const BEGIN: State = {
  written: 0,
  has: 0,
  linked: true,
  acknowledged: 0,
  set: EMPTY,
  known: [EMPTY, EMPTY],
  leader: EMPTY,
  confirmed: [-1, -1],
  said: [],
  agreed: -1,
  end: "",
};

/** What the model has found. */
export interface Walk {
  readonly states: number;
  readonly promotions: number;
  /** Steps that lead to a promoted replica without an acknowledged write; undefined: there are none. */
  readonly loss: readonly string[] | undefined;
}

/** Walks over every state that any order of writes, rounds, looks, reads of the record, broken links and crashes can reach. */
export function walk(protocol: SyncProtocol): Walk {
  const from = new Map<string, readonly [before: string, step: string]>([[JSON.stringify(BEGIN), ["", ""]]]);
  const queue: State[] = [BEGIN];
  let promotions = 0;
  for (const state of queue) {
    const key = JSON.stringify(state);
    if (state.end === "promoted") promotions++;
    if (state.end === "promoted" && state.has < state.acknowledged)
      return { states: from.size, promotions, loss: pathTo(key, from) };
    for (const [name, step] of stepsOf(state, protocol)) {
      const next = withoutOld(step);
      const reached = JSON.stringify(next);
      if (from.has(reached)) continue;
      from.set(reached, [key, name]);
      queue.push(next);
    }
  }
  return { states: from.size, promotions, loss: undefined };
}

/** Confirmations of other versions make no difference any more, and after the end only what is held and was acknowledged does. */
function withoutOld(state: State): State {
  const { set, confirmed, agreed, end, has, acknowledged } = state;
  if (end !== "") return { ...BEGIN, end, has, acknowledged };
  const { version = 0 } = set;
  const kept = (one: number): number => (one === version ? one : -1);
  return { ...state, confirmed: [kept(confirmed[0]), kept(confirmed[1])], agreed: kept(agreed) };
}

function pathTo(key: string, from: ReadonlyMap<string, readonly [before: string, step: string]>): readonly string[] {
  const [before, step] = from.get(key) ?? ["", ""];
  return before === "" ? [] : [...pathTo(before, from), step];
}

function stepsOf(state: State, protocol: SyncProtocol): readonly (readonly [string, State])[] {
  if (state.end !== "") return [];
  const { written, has, linked, known, set, leader } = state;
  const steps: (readonly [string, State])[] = [];
  if (written < WRITES) steps.push(["write", { ...state, written: written + 1 }]);
  if (linked && has < written) steps.push(["replicate", { ...state, has: has + 1 }]);
  steps.push([linked ? "link breaks" : "link is back", { ...state, linked: !linked }]);
  for (const proxy of [0, 1] as const) {
    if (passes(state, proxy, protocol)) steps.push([`proxy ${proxy} passes`, { ...state, acknowledged: written }]);
    if (known[proxy] !== set) steps.push([`proxy ${proxy} reads`, { ...state, known: replace(known, proxy, set) }]);
    steps.push(...confirmation(state, proxy));
  }
  steps.push(["look", look(state, protocol)]);
  if (leader !== set) steps.push(["leader reads", { ...state, leader: set }]);
  const decided = protocol.checksSet ? JSON.stringify(leader) === JSON.stringify(set) : true;
  if (decided) steps.push(["crash", { ...state, end: leader.members.includes(2) ? "promoted" : "returned" }]);
  return steps;
}

/** What is written has been asked for in a round, and this proxy passes the replies on. */
function passes({ acknowledged, written, has, linked, known }: State, proxy: 0 | 1, protocol: SyncProtocol): boolean {
  if (acknowledged === written) return false;
  const { version = 0, members, joining = [] } = known[proxy];
  const place = (id: number) => ({ host: "replica", port: id });
  const set = { version, members: members.map(place), joining: joining.map(place) };
  const requirement = requirementOf({ withoutReplica: "degrade", epoch: 1, set }, 1);
  if (requirement === "none") return true;
  if (!protocol.leavesInRecord && !linked) return true;
  // the further replica has everything
  return !protocol.asksByAddress || has >= written;
}

function confirmation(state: State, proxy: 0 | 1): readonly (readonly [string, State])[] {
  const version = state.known[proxy].version ?? 0;
  if (state.confirmed[proxy] === version || version !== state.set.version) return [];
  const confirmed = replace(state.confirmed, proxy, version);
  const all = confirmed.every((one) => one === version);
  return [[`proxy ${proxy} confirms`, { ...state, confirmed, agreed: all ? version : state.agreed }]];
}

/** The agent looks at what its primary says, and writes the next set. */
function look(state: State, protocol: SyncProtocol): State {
  const { set, written, has, linked, agreed } = state;
  const version = set.version ?? 0;
  const isAgreed = !protocol.confirms || agreed === version;
  // the look before counts, and the first one after every proxy has confirmed
  const now = [version + (isAgreed ? 1 : 0), written, has, linked] as const;
  const earlier = state.said.find(([at]) => isAgreed && at > version) ?? state.said.at(-1);
  const said = [...(earlier === undefined ? [] : [earlier]), now];
  const samples = said.map(([at, offset, confirmed, isLinked]): PrimarySample => ({
    at,
    offset,
    replicas: new Map([[2, { linked: isLinked, offset: confirmed }]]),
  }));
  const confirmedAt = isAgreed && protocol.catchesUp ? version + 0.5 : undefined;
  const next = nextSyncSet({ written: set, samples, replicas: [{ id: 2 }], confirmedAt });
  const unproven = isAgreed && !protocol.catchesUp && linked ? (set.joining ?? []) : [];
  const members = [...new Set([...next.members, ...unproven])];
  const joining = next.joining.filter((id) => !members.includes(id));
  const isSame = JSON.stringify([members, joining]) === JSON.stringify([set.members, set.joining]);
  const isLast = version >= LAST_VERSION;
  return { ...state, said, set: isSame || isLast ? set : { epoch: 1, members, joining, version: version + 1 } };
}

function replace<T>([one, two]: readonly [T, T], at: 0 | 1, value: T): readonly [T, T] {
  return at === 0 ? [value, two] : [one, value];
}
