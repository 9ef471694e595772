import type { Answered } from "../../stories/story.ts";

/** A kind of queue: how it is used, and which elements an answer has. Elements are numbers from 1 on, which rise. */
export interface Queue {
  begin(key: string): readonly (readonly string[])[];
  feed(key: string, element: string): readonly string[];
  take(key: string, taker: string): readonly string[];
  /** All that was not taken. */
  rest(key: string): readonly string[];
  /** The name of the command that takes; its answer is null when the time is over. */
  readonly taking: string;
  readonly feeding: string;
  readonly resting: string;
  takenBy(reply: Answered): readonly string[];
  restIn(reply: Answered): readonly string[];
}

/** So long a pop waits. */
export const WAITS_MS = 300;
const GROUP = "takers";

const LIST: Queue = {
  begin: () => [],
  feed: (key, element) => ["RPUSH", key, element],
  take: (key) => ["BLPOP", key, String(WAITS_MS / 1_000)],
  rest: (key) => ["LRANGE", key, "0", "-1"],
  feeding: "RPUSH",
  taking: "BLPOP",
  resting: "LRANGE",
  takenBy: (reply) => listed(reply).slice(1, 2).map(String),
  restIn: (reply) => listed(reply).map(String),
};

const SORTED: Queue = {
  begin: () => [],
  feed: (key, element) => ["ZADD", key, element, element],
  take: (key) => ["BZPOPMIN", key, String(WAITS_MS / 1_000)],
  rest: (key) => ["ZRANGE", key, "0", "-1"],
  feeding: "ZADD",
  taking: "BZPOPMIN",
  resting: "ZRANGE",
  takenBy: (reply) => listed(reply).slice(1, 2).map(String),
  restIn: (reply) => listed(reply).map(String),
};

const STREAM: Queue = {
  begin: (key) => [["XGROUP", "CREATE", key, GROUP, "0", "MKSTREAM"]],
  feed: (key, element) => ["XADD", key, `${element}-1`, "element", element],
  take: (key, taker) => [
    ...["XREADGROUP", "GROUP", GROUP, taker, "COUNT", "1", "BLOCK", String(WAITS_MS)],
    ...["STREAMS", key, ">"],
  ],
  rest: (key) => ["XREADGROUP", "GROUP", GROUP, "rest", "STREAMS", key, ">"],
  feeding: "XADD",
  taking: "XREADGROUP",
  resting: "XREADGROUP",
  takenBy: entriesIn,
  restIn: entriesIn,
};

/** The queues that companies use. */
export const QUEUES = { list: LIST, sorted: SORTED, stream: STREAM } as const;

/** A map of RESP3: the key, and behind it its entries. */
function entriesIn(reply: Answered): readonly string[] {
  const [, entries = null] = listed(reply);
  return listed(entries).map((entry) => String(listed(entry)[0]).split("-")[0] ?? "");
}

function listed(reply: Answered): readonly Answered[] {
  return Array.isArray(reply) ? reply : [];
}
