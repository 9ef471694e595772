import assert from "node:assert/strict";
import { test } from "node:test";
import { starterReport, starterRequest } from "./starter-messages.ts";

const START = { do: "start", id: 1, engine: "redis 8.0.2", bdb: 3, instance: 2 };

for (const [name, line, request] of [
  ["a start names an engine and an instance, and nothing else is taken from it", { ...START, args: ["-"] }, START],
  ["an engine is asked to end", { do: "signal", id: 1, signal: "SIGTERM" }, { do: "signal", id: 1, signal: "SIGTERM" }],
  ["no other signal is sent", { do: "signal", id: 1, signal: "SIGSTOP" }, undefined],
  ["an instance is a number, not a path", { ...START, instance: "../../x" }, undefined],
  ["nor is it a negative one", { ...START, bdb: -1 }, undefined],
  ["nothing else can be asked", { do: "exec", id: 1 }, undefined],
  ["a message is an object", "start", undefined],
] as const) {
  test(`a starter takes requests: ${name}`, () => {
    assert.deepEqual(starterRequest(JSON.stringify(line)), request);
  });
}

for (const [name, line, report] of [
  ["it is ready", { is: "ready", memory: 5 }, { is: "ready", memory: 5 }],
  ["an engine has ended by a code", { is: "exited", id: 1, code: 0 }, { is: "exited", id: 1, code: 0 }],
  ["or by a signal", { is: "exited", id: 1, signal: "SIGKILL" }, { is: "exited", id: 1, signal: "SIGKILL" }],
  ["a signal has the name of one", { is: "exited", id: 1, signal: "x".repeat(99) }, undefined],
  ["a process has a number", { is: "started", id: 1, pid: "1" }, undefined],
] as const) {
  test(`an agent takes reports: ${name}`, () => {
    assert.deepEqual(starterReport(JSON.stringify(line)), report);
  });
}

test("what is no JSON is no message", () => {
  assert.deepEqual([starterRequest("{"), starterReport("null")], [undefined, undefined]);
});
