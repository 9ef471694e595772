import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { COMMAND_TABLE } from "../protocol/table/table.ts";
import type { CommandClass } from "../protocol/table/entry.ts";

/** What the proxy answers in the place of an engine. */
const ANSWERED_HERE: ReadonlySet<CommandClass> = new Set([
  ...(["identity", "session", "client", "whoami", "view", "parameters", "quit", "kill", "tracking"] as const),
]);

/** Words that stand in each place of a request: no number, numbers at and past limits, an option, and nothing. */
const WORDS = ["x", "-1", "0", "7", "2147483648", "9223372036854775807", "9223372036854775808", ""];

/** Requests with options of the commands. */
const WITH_OPTIONS = [
  ...["SELECT 1000000", "SELECT 16", "SELECT 00", "SELECT +1"],
  ...[
    "CLIENT LIST ID 1 x",
    "CLIENT LIST ID -1",
    "CLIENT LIST TYPE x",
    "CLIENT LIST TYPE master",
    "CLIENT LIST TYPE normal x",
  ],
  ...["CLIENT KILL ID", "CLIENT KILL ID x", "CLIENT KILL ID -1", "CLIENT KILL ID 0", "CLIENT KILL ID 7777"],
  ...["CLIENT KILL TYPE x", "CLIENT KILL TYPE replica", "CLIENT KILL USER", "CLIENT KILL USER default ID 7777"],
  ...["CLIENT KILL ADDR 1.2.3.4:5 SKIPME x", "CLIENT KILL ADDR 1.2.3.4:5 SKIPME", "CLIENT KILL LADDR 1.2.3.4:5"],
  ...["CLIENT KILL MAXAGE x", "CLIENT KILL MAXAGE -1", "CLIENT KILL MAXAGE 0", "CLIENT KILL MAXAGE 100000"],
  ...["CLIENT KILL 1.2.3.4:5", "CLIENT KILL ID 7777 FOO", "CLIENT KILL ID 7777 FOO 1"],
  ...[
    "CLIENT UNBLOCK 7777 TIMEOUT",
    "CLIENT UNBLOCK 7777 ERROR",
    "CLIENT UNBLOCK 7777 ERROR x",
    "CLIENT UNBLOCK 7777 x",
  ],
  ...[
    "CLIENT PAUSE x WRITE",
    "CLIENT PAUSE -1 WRITE",
    "CLIENT PAUSE 0 WRITE",
    "CLIENT PAUSE 0 WRITE x",
    "CLIENT PAUSE 0 x",
  ],
  ...["CLIENT SETNAME a\tb", "CLIENT SETINFO lib-foo a", "CLIENT SETINFO lib-ver a", "CLIENT SETINFO LIB-NAME a\tb"],
  ...["CLIENT REPLY on", "CLIENT NO-EVICT on", "CLIENT NO-EVICT maybe"],
  ...["CLIENT TRACKING", "CLIENT TRACKING maybe", "CLIENT TRACKING on FOO", "CLIENT TRACKING on PREFIX"],
  ...[
    "HELLO 4",
    "HELLO 03",
    "HELLO 2 AUTH",
    "HELLO 2 AUTH default",
    "HELLO 2 SETNAME",
    "HELLO 2 SETNAME a\tb",
    "HELLO 2 FOO",
  ],
  ...["HELLO 2 SETNAME a AUTH default", "HELLO 5 FOO", "AUTH default x y"],
  ...["CONFIG GET nope", "CONFIG SET nope 1", "CONFIG SET lfu-decay-time 1 nope", "SCRIPT KILL", "FUNCTION KILL"],
  ...["CONFIG SET hash-max-ziplist-entries 1000000000", "CONFIG SET hash-max-ziplist-value 2000000000"],
  ...["SCRIPT", "CLIENT", "CONFIG", "CONFIG FOO", "CLIENT FOO x"],
];

/** What is not sent, and why. */
const NOT_SENT: readonly { readonly request: RegExp; readonly why: string }[] = [
  { request: /^AUTH (?!x )\S* \S*$/, why: "each wrong password of an address makes it wait for longer" },
  { request: /^CLIENT PAUSE [1-9]\d{8,}$/, why: "an engine that pauses everything cannot be asked to go on" },
];

/** Where the answers differ, and why. */
const EXCEPTIONS: readonly { readonly request: RegExp; readonly why: string; readonly engine?: RegExp }[] = [
  { request: /^HELLO(?: 2 AUTH default x)?$/, why: "the number of the connection is that of the client at the proxy" },
  { request: /^CLIENT (?:ID|INFO|LIST)$/, why: "a client at the proxy has a number and addresses of its own" },
  { request: /^CLIENT MAINT_NOTIFICATIONS/, why: "no engine knows it yet" },
  { request: /^CLIENT SETINFO/, why: "clients of each version have what later engines know", engine: /^redis-7\.0/ },
  { request: /^CLIENT (?:PAUSE|UNBLOCK) \S+ \S+ \S+/, why: "it ignores what is too much", engine: /^valkey-8\.1/ },
  { request: /^CONFIG SET hash-max-ziplist-/, why: "the agent that would keep them in the record refuses them here" },
];

test("what a proxy answers in the place of an engine is what each engine answers", async (t) => {
  for (const engine of engineNames()) await t.test(engine, () => compare(engine));
});

async function compare(engine: string): Promise<void> {
  await using direct = await startEngine({ engine });
  await using behind = await startEngine({ engine });
  await using proxy = await startProxy();
  const endpoint = endpointFor(behind);
  proxy.onParameters(() => Promise.resolve({ refused: { code: "KEPT", message: "in no record", remedy: "" } }));
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const [atProxy, atEngine] = [new Asked(endpoint.listen), new Asked(direct)];
  const different: string[] = [];
  const unused = new Set(EXCEPTIONS.filter(({ engine: of }) => of?.test(engine) ?? true));
  for (const request of requests()) {
    const text = request.join(" ");
    const [own, other] = [await atProxy.answer(request), await atEngine.answer(request)];
    if (own === other) continue;
    const exceptions = EXCEPTIONS.filter((one) => one.request.test(text) && (one.engine?.test(engine) ?? true));
    for (const exception of exceptions) unused.delete(exception);
    if (exceptions.length === 0) different.push(`${JSON.stringify(text)}: ${own}, the engine: ${other}`);
  }
  assert.deepEqual([different, [...unused].map(({ why }) => why)], [[], []]);
}

function requests(): readonly (readonly string[])[] {
  const names = [...COMMAND_TABLE.values()].filter(({ commandClass }) => ANSWERED_HERE.has(commandClass));
  const generated = names.flatMap(({ name }) => {
    const words = name.split("|");
    const alike = (word: string, length: number): readonly string[] => [...words, ...Array<string>(length).fill(word)];
    const many = [3, 4].flatMap((length) => ["x", "7"].map((word) => alike(word, length)));
    return [words, ...[1, 2].flatMap((length) => WORDS.map((word) => alike(word, length))), ...many];
  });
  return [...generated, ...WITH_OPTIONS.map((text) => text.split(" "))].filter(
    (request) => !NOT_SENT.some((one) => one.request.test(request.join(" "))),
  );
}

/** A connection that is made again when it has ended. */
class Asked {
  readonly #address: Address;
  #client: RawClient | undefined;

  constructor(address: Address) {
    this.#address = address;
  }

  async answer(request: readonly string[]): Promise<string> {
    this.#client ??= await RawClient.connect(this.#address);
    this.#client.send(...request);
    const reply = await this.#client.read();
    if (request[1] === "PAUSE") await this.#client.ask("CLIENT", "UNPAUSE");
    if (this.#client.over || request[0] === "QUIT") this.#client = undefined;
    return reply === undefined ? "the end of the connection" : inWords(plain(reply));
  }
}

function inWords(reply: unknown): string {
  if (typeof reply === "string") return reply;
  if (Buffer.isBuffer(reply)) return reply.toString();
  return Array.isArray(reply) ? `[${reply.map(inWords).join()}]` : String(reply);
}
