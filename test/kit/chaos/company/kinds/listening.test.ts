import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, ended, NO_ANSWER, pushed } from "../events.ts";
import { judgeTale } from "../judge.ts";
import { FAULTY, judgesRightly, type Row } from "../rows.ts";
import { LISTENING } from "./listening.ts";

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
    "one that got no answer comes behind what its publisher published elsewhere",
    [
      subscribe(0),
      asked("p", "PUBLISH c p-1", NO_ANSWER, [2, 3]),
      publish("p-2", [4, 5]),
      message("p-2", 5),
      message("p-1", 6),
      publish("p-3", [7, 8]),
      message("p-3", 8),
    ],
    undefined,
    FAULTY,
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

judgesRightly(LISTENING, listening);

test("what was answered counts", () => {
  const events = [subscribe(0), publish("p-1", [2, 3]), message("p-1", 4), asked("s", "PING", NO_ANSWER, [5, 6])];
  assert.equal(judgeTale(LISTENING, { name: "tale", events }, FAULTY).answers, 3);
});
