import { asked, NO_ANSWER } from "../events.ts";
import { FAULTY, judgesRightly, type Row } from "../rows.ts";
import { COUNTING } from "./counting.ts";

/** One increment of a member that reads at a moment, and is answered ten milliseconds later. */
const increment = (member: string, from: string | null, at: number, exec: Parameters<typeof asked>[2] = ["OK"]) => [
  asked(member, "WATCH k", "OK", [at, at + 1]),
  asked(member, "GET k", from, [at + 2, at + 3]),
  asked(member, "MULTI", "OK", [at + 4, at + 5]),
  asked(member, `SET k ${Number(from) + 1}`, "QUEUED", [at + 6, at + 7]),
  asked(member, "EXEC", exec, [at + 8, at + 10]),
];

const counting: readonly Row[] = [
  ["increments one after the other add up", [...increment("a", null, 0), ...increment("b", "1", 20)]],
  ["of two that compete one is refused", [...increment("a", null, 0), ...increment("b", null, 1, null)]],
  ["two that compete are both acknowledged", [...increment("a", null, 0), ...increment("b", null, 1)], /it is 1/],
  [
    "an increment is lost",
    [...increment("a", null, 0), asked("b", "GET k", null, [20, 21])],
    /k is 0, .* where 1 to 1 is right/,
  ],
  [
    "an increment comes twice",
    [...increment("a", null, 0), asked("b", "GET k", "2", [20, 21])],
    /k is 2, .* where 1 to 1 is right/,
  ],
  [
    "a transaction that was refused is executed",
    [...increment("a", null, 0, null), asked("b", "GET k", "1", [20, 21])],
    /where 0 to 0 is right/,
  ],
  [
    "a transaction that was discarded is executed",
    [...increment("a", null, 0).slice(0, -1), asked("a", "DISCARD", "OK", [8, 9]), asked("b", "GET k", "1", [20, 21])],
    /where 0 to 0 is right/,
  ],
  ["EXEC is answered with something else", increment("a", null, 0, [1]), /EXEC was answered \[1\]/],
  [
    "what had no answer was not executed where nothing fails",
    [...increment("a", null, 0, NO_ANSWER), asked("b", "GET k", "1", [20, 21])],
    /where 0 to 0 is right/,
  ],
  [
    "what had no answer may have been executed where something fails",
    [...increment("a", null, 0, NO_ANSWER), asked("b", "GET k", "1", [20, 21])],
    undefined,
    FAULTY,
  ],
  [
    "what had no answer may not have been executed where something fails",
    [...increment("a", null, 0, NO_ANSWER), asked("b", "GET k", null, [20, 21])],
    undefined,
    FAULTY,
  ],
  [
    "a refusal where nothing fails",
    [asked("a", "WATCH k", { kind: "error", text: "LOADING" }, [0, 1])],
    /nothing explains it/,
  ],
  [
    "a refusal where something fails",
    [asked("a", "GET k", { kind: "error", text: "LOADING x" }, [0, 1])],
    undefined,
    FAULTY,
  ],
  [
    "an error about a value where something fails",
    [asked("a", "GET k", { kind: "error", text: "WRONGTYPE x" }, [0, 1])],
    /nothing explains it/,
    FAULTY,
  ],
  [
    "an increment is gone behind a change that may lose something",
    [...increment("a", null, 0), asked("b", "GET k", null, [20, 21])],
    undefined,
    { ...FAULTY, losesNothing: false, changes: [{ from: 15e6, to: 16e6 }] },
  ],
];

judgesRightly(COUNTING, counting);
