import assert from "node:assert/strict";
import { test } from "node:test";
import type { Circumstances } from "../../stories/judge.ts";
import type { Company } from "../company.ts";
import { asked, ended, NO_ANSWER, pushed } from "../events.ts";
import { judgeTale } from "../judge.ts";
import { CACHING } from "./caching.ts";
import { COUNTING } from "./counting.ts";
import { FEEDING } from "./feeding.ts";
import { LISTENING } from "./listening.ts";
import type { Happening } from "../tale.ts";

const CALM: Circumstances = {
  changes: [],
  isCalm: true,
  losesNothing: true,
  timesHoldUntil: Number.POSITIVE_INFINITY,
};
const FAULTY: Circumstances = { ...CALM, isCalm: false };

/** What happened; `wrong` says what the judge finds, and nothing where it finds nothing. */
type Row = readonly [rule: string, events: readonly Happening[], wrong?: RegExp | undefined, around?: Circumstances];

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

const pop = (taker: string, element: string | null, during: readonly [number, number]) =>
  asked(taker, "BLPOP q 0.3", element === null ? null : ["q", element], during);
const push = (element: string, during: readonly [number, number]) => asked("f", `RPUSH q ${element}`, 1, during);
const rest = (...elements: readonly string[]) => asked("f", "LRANGE q 0 -1", elements, [900, 901]);
const read = (taker: string, element: string, during: readonly [number, number]) =>
  asked(taker, "XREADGROUP GROUP takers t COUNT 1 BLOCK 300 STREAMS q >", ["q", [[`${element}-1`, []]]], during);
const add = (element: string, during: readonly [number, number]) =>
  asked("f", `XADD q ${element}-1 element ${element}`, `${element}-1`, during);
const restOfGroup = (reply: Parameters<typeof asked>[2]) =>
  asked("f", "XREADGROUP GROUP takers rest STREAMS q >", reply, [900, 901]);

const feeding: readonly Row[] = [
  ["each is delivered once", [pop("a", "1", [0, 12]), push("1", [10, 11]), push("2", [20, 21]), rest("2")]],
  [
    "one is delivered twice",
    [push("1", [0, 1]), pop("a", "1", [2, 3]), pop("b", "1", [4, 5])],
    /1 was delivered twice/,
  ],
  ["one is delivered, and is still there", [push("1", [0, 1]), pop("a", "1", [2, 3]), rest("1")], /delivered twice/],
  ["one is delivered that was not fed", [push("1", [0, 1]), pop("a", "2", [2, 3])], /2 was delivered, and was not fed/],
  ["one is delivered before it was fed", [pop("a", "1", [2, 3]), push("1", [4, 5])], /was not fed/],
  [
    "one that was acknowledged is missing",
    [push("1", [0, 1]), push("2", [2, 3]), rest("2")],
    /1 is missing, and 0 pops/,
  ],
  [
    "a pop without an answer has taken one where something fails",
    [push("1", [0, 1]), pop("a", null, [2, 3]), rest()].with(1, asked("a", "BLPOP q 0.3", NO_ANSWER, [2, 3])),
    undefined,
    FAULTY,
  ],
  [
    "a pop without an answer has taken none where nothing fails",
    [push("1", [0, 1]), asked("a", "BLPOP q 0.3", NO_ANSWER, [2, 3]), rest()],
    /1 is missing/,
  ],
  [
    "a later one is delivered first",
    [push("1", [0, 1]), push("2", [2, 3]), pop("a", "2", [4, 5]), pop("b", "1", [6, 7])],
    /2 was delivered before 1/,
  ],
  [
    "two are delivered at the same time",
    [push("1", [0, 1]), push("2", [2, 3]), pop("a", "2", [4, 7]), pop("b", "1", [5, 6])],
  ],
  ["a pop waits for all its time", [push("1", [500, 501]), pop("a", null, [0, 301]), rest("1")]],
  ["a pop gives up early", [push("1", [500, 501]), pop("a", null, [0, 200]), rest("1")], /nothing after 200 ms of 300/],
  [
    "a pop gives up early as the date of its engine was set",
    [push("1", [500, 501]), pop("a", null, [0, 200]), rest("1")],
    undefined,
    { ...FAULTY, timesHoldUntil: 100e6 },
  ],
  ["a pop passes by what is there", [push("1", [0, 1]), pop("a", null, [2, 310]), rest("1")], /while 1 was there/],
  ["a feed is answered with nonsense", [asked("f", "RPUSH q 1", "OK", [0, 1])], /acknowledged with "OK"/],
  [
    "entries go to a group once",
    [add("1", [0, 1]), read("a", "1", [2, 3]), add("2", [4, 5]), restOfGroup(["q", [["2-1", []]]])],
  ],
  ["an entry goes to two of a group", [add("1", [0, 1]), read("a", "1", [2, 3]), read("b", "1", [4, 5])], /twice/],
  [
    "an entry is missing",
    [add("1", [0, 1]), add("2", [2, 3]), read("a", "2", [4, 5]), restOfGroup(null)],
    /1 is missing/,
  ],
  [
    "the least of a sorted set is missing",
    [asked("f", "ZADD q 1 1", 1, [0, 1]), asked("f", "ZRANGE q 0 -1", [], [5, 6])],
    /1 is missing/,
  ],
];

const subscribe = (atMs: number, connection = 1) =>
  asked("s", "SUBSCRIBE c", ["subscribe", "c", 1], [atMs, atMs + 1], connection);
const publish = (text: string, during: readonly [number, number]) => asked("p", `PUBLISH c ${text}`, 1, during);
const message = (text: string, atMs: number, connection = 1) => pushed("s", ["message", "c", text], atMs, connection);

const listening: readonly Row[] = [
  [
    "messages come in order",
    [subscribe(0), publish("p-1", [2, 3]), message("p-1", 4), publish("p-2", [5, 6]), message("p-2", 6)],
  ],
  ["one comes twice", [subscribe(0), publish("p-1", [2, 3]), message("p-1", 4), message("p-1", 5)], /p-1 came twice/],
  ["one comes that was not published", [subscribe(0), message("p-1", 4)], /p-1 came, and was not published/],
  [
    "one comes that was published in another way",
    [subscribe(0), asked("p", "SPUBLISH c p-1", 1, [2, 3]), message("p-1", 4)],
    /was not published/,
  ],
  ["one comes without a subscription", [publish("p-1", [2, 3]), message("p-1", 4)], /without a subscription/],
  [
    "one comes behind the end of a subscription",
    [
      subscribe(0),
      asked("s", "UNSUBSCRIBE c", ["unsubscribe", "c", 0], [1, 2]),
      publish("p-1", [3, 4]),
      message("p-1", 5),
    ],
    /without a subscription/,
  ],
  [
    "one comes on a new connection that subscribes to nothing",
    [subscribe(0), ended("s", 2), publish("p-1", [3, 4]), message("p-1", 5, 2)],
    /without a subscription/,
  ],
  [
    "two of a publisher change places",
    [subscribe(0), publish("p-1", [2, 9]), publish("p-2", [3, 9]), message("p-2", 4), message("p-1", 5)],
    /p-1 came after a later one/,
  ],
  [
    "one is missing behind the change of a primary",
    [subscribe(0), publish("p-1", [2, 3]), publish("p-2", [4, 5]), message("p-2", 6)],
    /p-1 was acknowledged before p-2 was published, and did not come/,
  ],
  [
    "one of another publisher is missing",
    [subscribe(0), asked("q", "PUBLISH c q-1", 1, [2, 3]), publish("p-1", [4, 5]), message("p-1", 6)],
    /q-1 was acknowledged/,
  ],
  [
    "one that was published before the subscription does not come",
    [publish("p-1", [0, 1]), subscribe(2), publish("p-2", [4, 5]), message("p-2", 6)],
  ],
  [
    "one that was published while there was no connection does not come",
    [
      subscribe(0),
      ended("s", 2),
      publish("p-1", [3, 4]),
      subscribe(5, 2),
      publish("p-2", [7, 8]),
      message("p-2", 9, 2),
    ],
  ],
  [
    "a subscription is confirmed for another channel",
    [asked("s", "SUBSCRIBE c", ["subscribe", "d", 1], [0, 1])],
    /was confirmed with/,
  ],
];

const tracks = asked("c", "CLIENT TRACKING ON", "OK", [0, 1]);
const get = (value: string | null, during: readonly [number, number]) => asked("c", "GET k", value, during);
const set = (value: string, during: readonly [number, number]) => asked("w", `SET k ${value}`, "OK", during);
const invalidate = (keys: readonly string[] | null, atMs: number) => pushed("c", ["invalidate", keys], atMs);
const other = asked("c", "GET other", null, [10, 11]);

const caching: readonly Row[] = [
  [
    "a value is dropped before it is stale",
    [tracks, set("1", [1, 2]), get("1", [3, 4]), set("2", [5, 6]), invalidate(["k"], 7), other],
  ],
  ["all are dropped", [tracks, set("1", [1, 2]), get("1", [3, 4]), set("2", [5, 6]), invalidate(null, 7), other]],
  ["the connection ends", [tracks, set("1", [1, 2]), get("1", [3, 4]), set("2", [5, 6]), ended("c", 7), tracks, other]],
  [
    "a stale value is kept",
    [tracks, set("1", [1, 2]), get("1", [3, 4]), set("2", [5, 6]), other],
    /k = "1" is still kept/,
  ],
  ["that a key has no value is kept", [tracks, get(null, [3, 4]), set("2", [5, 6]), other], /k = null is still kept/],
  [
    "another key is dropped",
    [tracks, set("1", [1, 2]), get("1", [3, 4]), set("2", [5, 6]), invalidate(["other"], 7), other],
    /still kept/,
  ],
  [
    "the message comes before the value that it is about",
    [tracks, set("1", [1, 2]), set("2", [4, 6]), invalidate(["k"], 5), get("1", [3, 7]), other],
    /k = "1" is still kept/,
  ],
  [
    "a write that is not acknowledged may come later",
    [tracks, set("1", [1, 2]), get("1", [3, 4]), set("2", [5, 20]), other],
  ],
  ["an old value is read", [tracks, set("1", [1, 2]), set("2", [3, 4]), get("1", [5, 6])], /was overwritten before/],
  ["a value that was not written is read", [tracks, get("9", [5, 6])], /which was not written/],
];

const TABLE: readonly (readonly [Company, readonly Row[]])[] = [
  [COUNTING, counting],
  [FEEDING, feeding],
  [LISTENING, listening],
  [CACHING, caching],
];

for (const [company, rows] of TABLE)
  for (const [rule, events, wrong, around = CALM] of rows)
    test(`${company.name}: ${rule}`, () => {
      const found = judgeTale(company, { name: "tale", events }, around).wrong;
      if (wrong === undefined) assert.equal(found, undefined);
      else assert.match(found ?? "", wrong);
    });

test("what was answered counts", () => {
  const events = [subscribe(0), publish("p-1", [2, 3]), message("p-1", 4), asked("s", "PING", NO_ANSWER, [5, 6])];
  assert.equal(judgeTale(LISTENING, { name: "tale", events }, FAULTY).answers, 3);
});
