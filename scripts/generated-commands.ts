import { LIMITS } from "../src/programs/proxy/limits/limits.ts";
import { COMMAND_TABLE } from "../src/programs/proxy/protocol/table/table.ts";
import { shardingOf, type Sharding } from "../src/programs/proxy/protocol/table/sharding.ts";
import { REFUSED_AT_SITES } from "../src/programs/proxy/protocol/site-commands.ts";
import { REQUEST_LIMITS } from "../src/programs/proxy/protocol/request-limits.ts";
import type { CommandEntry } from "../src/programs/proxy/protocol/table/entry.ts";

/** docs/commands.md: what an endpoint does with each command, from the table of the proxy. */
export function commandsPage(): string {
  const entries = [...COMMAND_TABLE.values()].filter(
    ({ commandClass }) => commandClass !== "container" && commandClass !== "hostile",
  );
  const refused = entries.filter(({ commandClass }) => commandClass === "refused");
  const adapted = entries.filter(({ commandClass, note }) => commandClass !== "refused" && note !== "");
  const plain = entries.filter(({ commandClass, note }) => commandClass !== "refused" && note === "");
  return `# Commands

Generated from the table in \`src/programs/proxy/protocol/table\` by \`npm run generate\`. An endpoint of a database answers each command in one of
three ways. A test asks each engine for its commands, and fails when one of them is missing here.

What an endpoint refuses is refused inside scripts and functions too: there the engine itself refuses it, by the rights of its user.

The name of a command that is not on this page is looked up at the engine. Commands of modules run on a connection of their own; those of \`JSON\`,
\`BF\`, \`CF\`, \`CMS\`, \`TOPK\`, \`TDIGEST\` and \`TS\` share the one of other clients. What a later engine has added is refused until it is listed here.

Inside \`MULTI\` the same commands can be used; what the proxy answers has its place in the reply to \`EXEC\`. \`CONFIG SET\` is applied
behind the commands of its transaction that an engine executes. Not available there are \`AUTH\`, \`HELLO\`, \`CLIENT REPLY\`, \`CLIENT MAINT_NOTIFICATIONS\`, \`CLIENT TRACKING\`, \`CLIENT CACHING\`, \`MONITOR\` and the commands of subscriptions. One transaction takes
${LIMITS.specialBytes / 2 ** 10} KiB of \`SELECT\` and of what the proxy answers.

A request has at most ${REQUEST_LIMITS.strings.toLocaleString("en")} arguments with its name, each of at most ${REQUEST_LIMITS.string / 2 ** 20} MiB, and ${REQUEST_LIMITS.bytes / 2 ** 20} MiB in all. One with more gets an error, and its connection ends; engines
themselves take more arguments.

The slow log, the latency monitor and the statistics are those of the engine that is primary. It serves this database alone, but its slow log names
the proxy as the client, and a new primary begins with empty ones.

## As the engine

${namesOf(plain)}

## Adapted

| Commands | What differs |
|---|---|
${rowsOf(adapted)}

## Refused

The error is \`ERR store: <command> is not available at an endpoint: <why>\`.

| Commands | Why |
|---|---|
${rowsOf(refused)}

## With several shards

What a database of several [shards](shards.md) does with the commands that are forwarded. A command that blocks, a transaction and a script have keys of one slot too.
Refused are also \`SORT\` and \`SORT_RO\` with a pattern of keys, \`CLIENT TRACKING\` with \`REDIRECT\`, \`HELLO\` with another protocol behind \`SUBSCRIBE\` or
\`CLIENT TRACKING\`, and the commands of modules. In \`MULTI\`, so are scans, \`WAIT\`, \`WAITAOF\`, \`SCRIPT\` and all that all shards are asked.

| What | Commands |
|---|---|
${shardRowsOf(entries)}

A request of more than ${REQUEST_LIMITS.collectedBytes / 2 ** 20} MiB flows to the shard of its first key while it arrives, as at a database of one shard. When a key of another slot follows, it gets \`CROSSSLOT\`, and no engine executes anything of it. What is
split by shard is split up to ${REQUEST_LIMITS.splitBytes / 2 ** 20} MiB; a larger one needs keys of one slot, too. Refused above that size are a single key, what all shards are asked, and \`SORT\`, \`GEORADIUS\` and \`GEORADIUSBYMEMBER\`, whose keys stand behind options.

## Refused by Active-Active databases

Writes that no link carries to the other sites ([active-active.md](active-active.md)). Scripts that try get the error of the engine. All other writes
that the engine of each version knows are taken; those of modules are not, and their error is that of the engine, too.

| Commands | Why, and what to use |
|---|---|
${REFUSED_AT_SITES.map(
  ({ why, names }) =>
    `| ${names
      .split(" ")
      .map((name) => `\`${name}\``)
      .join(", ")} | ${why} |`,
).join("\n")}
| \`SELECT\` and \`COPY\` with another database than 0 | sites share the database 0 alone; use a prefix of the key |
`;
}

function shardRowsOf(entries: readonly CommandEntry[]): string {
  const forwarded = entries.filter(({ commandClass }) => commandClass === "read" || commandClass === "write");
  return Object.entries(AT_SHARDS)
    .map(([what, shardings]) => {
      const names = namesOf(forwarded.filter(({ name }) => shardings.includes(shardingOf(name))));
      return `| ${what} | ${names} |`;
    })
    .join("\n");
}

/** What users read of each way over the shards; all others have keys of one slot. */
const AT_SHARDS: Readonly<Record<string, readonly Sharding[]>> = {
  "split by shard, not atomic": ["sum", "list", "ok"],
  "all shards, not in `MULTI`": ["every", "random"],
  "the shard of the channel": ["channel"],
  "any one shard": ["any"],
  refused: ["none"],
  "keys of one slot, else `CROSSSLOT`": ["slot"],
};

function rowsOf(entries: readonly CommandEntry[]): string {
  const notes = [...new Set(entries.map(({ note }) => note))];
  return notes
    .map((note) => `| ${namesOf(entries.filter((entry) => entry.note === note))} | ${note.replaceAll("<", "\\<")} |`)
    .join("\n");
}

function namesOf(entries: readonly CommandEntry[]): string {
  return entries
    .map(({ name }) => `\`${name.replace("|", " ")}\``)
    .sort((one, other) => one.localeCompare(other, "en"))
    .join(", ");
}
