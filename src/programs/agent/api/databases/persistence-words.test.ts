import assert from "node:assert/strict";
import { test } from "node:test";
import { bodiesFor } from "../http/bodies.ts";

const words: readonly (readonly [said: object, kept: string | undefined])[] = [
  [{}, undefined],
  [{ data_persistence: "disabled" }, "disabled"],
  [{ data_persistence: "aofAlways" }, "aofAlways"],
  [{ data_persistence: "aof" }, "aofEverySecond"],
  [{ data_persistence: "aof", aof_policy: "appendfsync-every-sec" }, "aofEverySecond"],
  [{ data_persistence: "aof", aof_policy: "appendfsync-always" }, "aofAlways"],
  [{ data_persistence: "snapshot" }, "snapshotEvery12Hour"],
  [{ data_persistence: "snapshot", snapshot_policy: [{ secs: 3600, writes: 1 }] }, "snapshotEvery1Hour"],
  [{ data_persistence: "snapshot", snapshot_policy: [{ secs: 21600 }] }, "snapshotEvery6Hour"],
];

for (const [said, kept] of words) {
  test(`a body with ${JSON.stringify(said)} keeps data as ${kept ?? "before"}`, () => {
    const body = bodiesFor(["8.2"]).parse("updateBdb", said);
    assert.deepEqual(body, kept === undefined ? {} : { data_persistence: kept });
  });
}

const refused: readonly (readonly [said: object, says: RegExp])[] = [
  [{ aof_policy: "appendfsync-always" }, /aof_policy: belongs to data_persistence "aof"/],
  [{ data_persistence: "disabled", snapshot_policy: [{ secs: 3600 }] }, /snapshot_policy: belongs to .*"snapshot"/],
  [{ data_persistence: "snapshot", snapshot_policy: [{ secs: 60 }] }, /must be 3600, 21600 or 43200/],
  [{ data_persistence: "often" }, /data_persistence: .*aofEverySecond.*"snapshot"/],
];

for (const [said, says] of refused) {
  test(`a body with ${JSON.stringify(said)} is refused`, () => {
    assert.throws(() => bodiesFor(["8.2"]).parse("updateBdb", said), says);
  });
}
