// A reporter of node's test runner. It writes each event at once, as a line of JSON: a file that is killed has said how far it was.
import { writeSync } from "node:fs";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import type { End, Line, Outcome } from "./events.ts";
import { processorSeconds } from "./processor-time.ts";

/** The stream of the process that the runner reads. */
const EVENTS = 3;

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    const line = lineOf(event);
    if (line !== undefined) write(line);
  }
  yield "";
}

process.on("exit", () => {
  write({ kind: "used", seconds: processorSeconds() });
});

function write(line: Line): void {
  writeSync(EVENTS, `${JSON.stringify(line)}\n`);
}

function lineOf(event: TestEvent): Line | undefined {
  switch (event.type) {
    case "test:dequeue":
      return { kind: "begin", id: event.data.testId, parent: event.data.parentId ?? 0, name: event.data.name };
    case "test:complete":
      return endOf(event.data);
    case "test:diagnostic":
      return { kind: "note", text: event.data.message };
    case "test:summary":
      return { kind: "summary" };
    default:
      return undefined;
  }
}

type Completed = Extract<TestEvent, { type: "test:complete" }>["data"];

function endOf({ testId, parentId, name, file = "", line = 0, column = 0, skip, todo, details }: Completed): End {
  const failure = details.passed ? undefined : details.error;
  return {
    kind: "end",
    id: testId,
    parent: parentId ?? 0,
    name,
    place: `${file}:${line}:${column}`,
    isSuite: details.type === "suite",
    ms: details.duration_ms,
    outcome: outcomeOf(failure, skip, todo),
    reason: typeof skip === "string" ? skip : "",
    error: failure === undefined ? "" : textOf(failure),
  };
}

function outcomeOf(failure: Error | undefined, skip: unknown, todo: unknown): Outcome {
  if (skip !== undefined && skip !== false) return "skipped";
  if (todo !== undefined && todo !== false) return "todo";
  if (failure === undefined) return "passed";
  return typeOf(failure) === "cancelledByParent" || typeOf(failure) === "testTimeoutFailure" ? "cancelled" : "failed";
}

function textOf(failure: Error): string {
  return typeOf(failure) === "subtestsFailed" ? "" : inspect(failure.cause ?? failure, { breakLength: Infinity });
}

/** The runner's own word for what went wrong, for instance "testCodeFailure". */
function typeOf(failure: Error): unknown {
  return "failureType" in failure ? failure.failureType : undefined;
}
