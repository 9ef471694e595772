import assert from "node:assert/strict";
import { test } from "node:test";
import { decideInstance } from "./instance-decision.ts";
import type { InstanceAct, InstanceView } from "./instance-decision.ts";
import { nextState } from "./instance-states.ts";
import type { InstanceEvent, InstanceState } from "./instance-states.ts";

const at = { host: "127.0.0.2", port: 20_001 };
type Wanted = InstanceView["wanted"];
const primary = (launch: number): Wanted => ({ role: "primary", launch, switching: false });
const replica: Wanted = { role: "replica", launch: 0, switching: false, primary: at };

interface Case {
  readonly name: string;
  readonly view: Partial<InstanceView>;
  readonly want: InstanceAct;
}

const cases: readonly Case[] = [
  {
    name: "a primary with an unused launch number starts as primary",
    view: { wanted: primary(1), usedLaunch: 0 },
    want: { kind: "start", as: "primary" },
  },
  {
    name: "a primary whose launch number is used is reported lost",
    view: { wanted: primary(1), usedLaunch: 1 },
    want: { kind: "report-lost" },
  },
  {
    name: "a primary that was never launched is not started",
    view: { wanted: primary(0), usedLaunch: 0 },
    want: { kind: "report-lost" },
  },
  { name: "a replica starts as replica", view: { wanted: replica }, want: { kind: "start", as: "replica" } },
  {
    name: "a replica whose primary has no address waits: it would be writable",
    view: { wanted: { role: "replica", launch: 0, switching: false } },
    want: { kind: "wait" },
  },
  {
    name: "a replica that crashed in a switchover stays down: it may be the one just promoted",
    view: { state: "crashed", wanted: { ...replica, switching: true } },
    want: { kind: "report-lost" },
  },
  {
    name: "so does one whose agent is new, as its node was lost with it",
    view: { state: "stopped", wanted: { ...replica, switching: true } },
    want: { kind: "report-lost" },
  },
  {
    name: "one of which nothing is to be decided runs on",
    view: { state: "serving", wanted: { ...replica, switching: true } },
    want: { kind: "keep" },
  },
  {
    name: "a crashed replica is started after its back-off",
    view: { state: "crashed", wanted: replica, now: 100, retryAt: 250 },
    want: { kind: "retry", afterMs: 150 },
  },
  {
    name: "a crashed primary that became a replica starts as replica",
    view: { state: "crashed", wanted: replica, usedLaunch: 1, now: 250, retryAt: 250 },
    want: { kind: "start", as: "replica" },
  },
  { name: "a serving instance is kept, whatever its role", view: { state: "serving" }, want: { kind: "keep" } },
  {
    name: "one that runs as a replica, and was promoted before its record says so, is kept: it has no new launch",
    view: { state: "serving", wanted: primary(1), usedLaunch: 1, runsAs: "replica" },
    want: { kind: "keep" },
  },
  {
    name: "one that runs as a replica and is given a launch starts anew as primary",
    view: { state: "serving", wanted: primary(2), usedLaunch: 1, runsAs: "replica" },
    want: { kind: "start-anew" },
  },
  {
    name: "a primary that is given a launch runs on",
    view: { state: "serving", wanted: primary(2), usedLaunch: 1, runsAs: "primary" },
    want: { kind: "keep" },
  },
  { name: "a draining instance is waited for", view: { state: "draining" }, want: { kind: "wait" } },
];

for (const { name, view, want } of cases)
  test(`decideInstance: ${name}`, () => {
    const quiet: InstanceView = { state: "stopped", wanted: primary(1), usedLaunch: 1, now: 0, retryAt: 0 };
    assert.deepEqual(decideInstance({ ...quiet, ...view }), want);
  });

const moves: readonly (readonly [InstanceState, InstanceEvent, InstanceState | undefined])[] = [
  ["stopped", "spawn", "starting"],
  ["starting", "pong", "serving"],
  ["starting", "exit", "crashed"],
  ["serving", "exit", "crashed"],
  ["serving", "stop", "draining"],
  ["draining", "exit", "stopped"],
  ["draining", "pong", undefined],
  ["crashed", "pong", undefined],
  ["crashed", "spawn", "starting"],
  ["stopped", "lost", "crashed"],
  ["serving", "lost", undefined],
];

for (const [from, event, to] of moves)
  test(`instance states: ${event} in ${from} ${to === undefined ? "cannot happen" : `leads to ${to}`}`, () => {
    assert.equal(nextState(from, event), to);
  });
