import { asked, NO_ANSWER } from "../events.ts";
import { FAULTY, judgesRightly, type Row } from "../rows.ts";
import { FEEDING } from "./feeding.ts";

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

judgesRightly(FEEDING, feeding);
