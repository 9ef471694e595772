import { asked, ended, pushed } from "../events.ts";
import { judgesRightly, type Row } from "../rows.ts";
import { CACHING } from "./caching.ts";

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

judgesRightly(CACHING, caching);
