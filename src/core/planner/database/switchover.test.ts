import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEngine } from "../../releases/engines/engines.ts";
import type { EngineIdentity } from "../../releases/engines/engines.ts";
import { evaluateIntent } from "./switchover-intent.ts";
import type { FormerFacts, IntentFacts, RoleFacts } from "./switchover-intent.ts";
import { switchoverGates } from "./switchover.ts";
import type { EngineView } from "./switchover.ts";
import { lossSentence } from "./loss.ts";

const OLD = { host: "10.0.0.1", port: 20_001 };
const NEW = { host: "10.0.0.2", port: 20_002 };
const feeds = { ...NEW, state: "online", lagSeconds: 0 };

const primary = (over: Partial<EngineView> = {}): EngineView => ({
  ...OLD,
  engine: engine("redis 7.0.15"),
  role: "primary",
  offset: 1_000_000,
  replicas: [feeds],
  maxMemory: 100,
  countedMemory: 50,
  backlogMemory: 0,
  evicts: false,
  clock: { aheadMs: 0, uncertainMs: 1 },
  modules: [],
  ...over,
});
const target = (over: Partial<EngineView> = {}): EngineView => ({
  ...primary(),
  ...NEW,
  engine: engine("valkey 8.0.1"),
  role: "replica",
  replicas: [],
  link: { ...OLD, status: "up", receivedBytes: 14 },
  ...over,
});

interface GateCase {
  readonly name: string;
  readonly primary?: EngineView;
  readonly target?: EngineView;
  readonly rollback?: boolean;
  readonly want: RegExp | undefined;
}

const gates: readonly GateCase[] = [
  { name: "a replica in sync of an engine that may follow takes over", want: undefined },
  {
    name: "an instance that is no primary hands nothing over",
    primary: primary({ role: "replica" }),
    want: /10\.0\.0\.1:20001 is not a primary but a replica/,
  },
  {
    name: "a primary does not take over",
    target: { ...primary(), ...NEW },
    want: /is not a replica but a primary/,
  },
  {
    name: "a replica of another primary does not take over",
    target: target({ link: { host: "10.0.0.9", port: 1, status: "up", receivedBytes: 14 } }),
    want: /follows 10\.0\.0\.9:1, not 10\.0\.0\.1:20001/,
  },
  {
    name: "a replica without link waits",
    target: target({ link: { ...OLD, status: "down", receivedBytes: 14 } }),
    want: /is down/,
  },
  {
    name: "a replica that has its data and nothing since waits: the stream may not have begun",
    target: target({ link: { ...OLD, status: "up", receivedBytes: 0 } }),
    want: /has received nothing from 10\.0\.0\.1:20001 since it has its data/,
  },
  {
    name: "the replica's own word is not enough: the primary must list it",
    primary: primary({ replicas: [] }),
    want: /does not list 10\.0\.0\.2:20002/,
  },
  {
    name: "the primary must stream to it",
    primary: primary({ replicas: [{ ...feeds, state: "wait_bgsave" }] }),
    want: /in state wait_bgsave, not online/,
  },
  {
    name: "a second without acknowledgement is allowed",
    primary: primary({ replicas: [{ ...feeds, lagSeconds: 1 }] }),
    want: undefined,
  },
  {
    name: "two seconds are not",
    primary: primary({ replicas: [{ ...feeds, lagSeconds: 2 }] }),
    want: /acknowledged 2 s ago, allowed is 1 s/,
  },
  { name: "just less than 64 KiB behind is in sync", target: target({ offset: 1_000_000 - 65_535 }), want: undefined },
  {
    name: "64 KiB behind is not",
    target: target({ offset: 1_000_000 - 65_536 }),
    want: /65536 bytes behind .* allowed is less than 65536/,
  },
  { name: "a target that was read later may be ahead", target: target({ offset: 1_000_100 }), want: undefined },
  {
    name: "an engine that cannot load the data does not take over",
    primary: primary({ engine: engine("redis 8.0.2") }),
    want: /valkey 8\.0\.1 may not take over from redis 8\.0\.2: .*RDB 12/,
  },
  {
    name: "an engine that cannot load the data: its version is named, and not its link, which comes and goes",
    primary: primary({ engine: engine("redis 8.0.2"), replicas: [] }),
    target: target({ link: { ...OLD, status: "down", receivedBytes: 0 } }),
    want: /valkey 8\.0\.1 may not take over from redis 8\.0\.2/,
  },
  {
    name: "a return to the older engine, while it is attached, is no matter of age",
    primary: primary({ engine: engine("valkey 8.1.1") }),
    target: target({ engine: engine("redis 7.0.15") }),
    rollback: true,
    want: undefined,
  },
  {
    name: "a module that the target lacks",
    primary: primary({ modules: ["search", "json"] }),
    target: target({ modules: ["json"] }),
    want: /lacks the modules search/,
  },
  { name: "another memory limit", target: target({ maxMemory: 50 }), want: /maxmemory is 50 .* and 100/ },
];

for (const { name, want, rollback = false, ...engines } of gates)
  test(`switchoverGates: ${name}`, () => {
    const objection = switchoverGates({
      primary: engines.primary ?? primary(),
      target: engines.target ?? target(),
      rollback,
    });
    if (want === undefined) assert.equal(objection, undefined);
    else assert.match(objection ?? "no objection", want);
  });

const STREAM = { history: "a", promotedAt: -1 };
const replica = (isFollower = true): FormerFacts => ({ ...STREAM, role: "replica", offset: 500, isFollower });
const promoted = (offset: number, promotedAt = 500): RoleFacts => ({
  role: "primary",
  offset,
  promotedAt,
  history: "b",
});
const serving = (offset = 500): FormerFacts => ({ ...STREAM, role: "primary", offset, isFollower: false });
/** Its process has ended since it followed the old primary. */
const anew = { ...replica(), history: "c", offset: 1 };

const intents: readonly (readonly [name: string, facts: Partial<IntentFacts>, want: string, loss?: RegExp])[] = [
  ["a target that is still a replica is taken back", { target: replica(), old: serving() }, "take-back"],
  [
    "a target that is a replica is taken back also when the old primary is gone",
    { target: replica(), old: undefined },
    "take-back",
  ],
  ["a promoted target is finished", { target: promoted(500), old: replica() }, "finish"],
  [
    "a promoted target is finished also when the old primary is gone",
    { target: promoted(500), old: undefined },
    "finish",
  ],
  [
    "a target that was promoted because the old primary was cut off is finished, and what that may cost is said",
    { target: promoted(500), old: undefined, forced: true },
    "finish",
    /cut off/,
  ],
  ["both primary, nothing written on the old one: finish", { target: promoted(900), old: serving(528) }, "finish"],
  [
    "both primary, only the old one took writes after its fence ran out: take back",
    { target: promoted(510), old: serving(9000) },
    "take-back",
  ],
  [
    "both primary and both took writes: finish, and say what is lost",
    { target: promoted(9000), old: serving(700) },
    "finish",
    /200 bytes/,
  ],
  ["a silent target is waited for", { target: undefined, old: serving() }, "wait"],
  [
    "a dead target is taken back, though it may have been promoted",
    { target: undefined, targetDead: true, old: serving() },
    "take-back",
    /if any/,
  ],
  [
    "a dead target after the demotion was promoted for sure",
    { target: undefined, targetDead: true, old: replica() },
    "take-back",
    /right after .* are lost/,
  ],
  [
    "a dead target after the fence alone may have been promoted",
    { target: undefined, targetDead: true, old: replica(false) },
    "take-back",
    /if any/,
  ],
  [
    "a target that is still a replica is taken back behind the fence",
    { target: replica(), old: replica(false) },
    "take-back",
  ],
  [
    "a target that has begun anew behind the fence may have been promoted before",
    { target: anew, old: replica(false) },
    "take-back",
    /if any/,
  ],
  [
    "a target that has begun anew after the demotion was promoted for sure",
    { target: anew, old: replica() },
    "take-back",
    /right after .* are lost/,
  ],
  ["a target that has begun anew before the fence was never promoted", { target: anew, old: serving() }, "take-back"],
];

for (const [name, facts, want, loss] of intents)
  test(`judgeIntent: ${name}`, () => {
    const verdict = evaluateIntent({ target: undefined, old: undefined, targetDead: false, forced: false, ...facts });
    assert.equal(verdict.kind, want);
    const said = verdict.kind === "wait" ? undefined : verdict.loss;
    if (loss === undefined) assert.equal(said, undefined);
    else assert.match(said ?? "", loss);
  });

const succession = {
  shard: '"db"',
  at: "T",
  oldNode: 1,
  newNode: 2,
  seenAgoMs: 80,
  heirOffset: 400,
  dataIsGone: false,
};

for (const [name, lastSeenOffset, want] of [
  ["an offset that was not read", undefined, /how many is not known/],
  [
    "a successor behind the last known offset",
    1000,
    /at least 600 bytes of acknowledged writes are lost .*80 ms before/,
  ],
  ["a successor at the last known offset", 400, /has all that the old primary was seen to have written.*may be lost/],
] as const)
  test(`lossSentence: ${name}`, () => {
    assert.match(lossSentence({ ...succession, lastSeenOffset }), want);
  });

function engine(text: string): EngineIdentity {
  const parsed = parseEngine(text);
  assert.ok(parsed !== undefined);
  return parsed;
}
