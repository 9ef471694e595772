import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointFor, withShard } from "../../../../test/kit/engines/proxy.ts";
import type { ProxyCommand } from "../../../ports/management/proxy-control.ts";
import { CommandedShards } from "./commanded-shards.ts";

const FORMER = { host: "10.0.0.1", port: 20_001 };
const NEXT = { host: "10.0.0.2", port: 20_002 };
const RECORDED = endpointFor(FORMER);
const RELEASE: ProxyCommand = { op: "release", bdb: 1, epoch: 2, target: NEXT };
const FENCE: ProxyCommand = { op: "fence", bdb: 1, epoch: 2 };

const ROWS: readonly (readonly [string, readonly ProxyCommand[], Partial<(typeof RECORDED.shards)[0]>])[] = [
  ["without a command a worker goes by the record", [], { epoch: 1, primary: FORMER }],
  ["after a release it goes to its target, though the record is older", [RELEASE], { epoch: 2, primary: NEXT }],
  ["after a fence it waits for the record", [FENCE], { epoch: 2 }],
  ["after both it goes to the target of the release", [FENCE, RELEASE], { epoch: 2, primary: NEXT }],
  ["the command with the highest epoch counts", [{ ...RELEASE, epoch: 3 }, FENCE], { epoch: 3, primary: NEXT }],
  ["a command that names its shard is of that one alone", [{ ...RELEASE, shard: 7 }], { epoch: 1, primary: FORMER }],
  ["other commands change nothing", [{ op: "abort", bdb: 1, epoch: 2 }], { epoch: 1, primary: FORMER }],
  ["nor does one of another database", [{ ...RELEASE, bdb: 2 }], { epoch: 1, primary: FORMER }],
];

for (const [name, commands, want] of ROWS)
  test(`a worker that starts: ${name}`, () => {
    const commanded = new CommandedShards();
    commanded.over([RECORDED]);
    for (const command of commands) commanded.note(command);
    assert.deepEqual(commanded.over([RECORDED])[0]?.shards, [{ id: 1, ...want }]);
  });

test("what the record says by now counts, also when it says later that another shard is the first", () => {
  const commanded = new CommandedShards();
  commanded.over([RECORDED]);
  commanded.note({ ...RELEASE, epoch: 9 });
  const caughtUp = withShard(RECORDED, { epoch: 9, primary: FORMER });
  assert.deepEqual(commanded.over([caughtUp]), [caughtUp]);
  commanded.note({ ...RELEASE, epoch: 10 });
  const reshaped = withShard(RECORDED, { id: 2, epoch: 1, primary: FORMER });
  assert.deepEqual(commanded.over([reshaped]), [reshaped]);
  assert.deepEqual(commanded.over([RECORDED]), [RECORDED], "it is forgotten");
});
