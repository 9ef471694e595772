import { exactly, wrongType, type Entry, type Expected, type Group, type Handler, type Stream } from "./expected.ts";

/** Streams and their consumer groups, as far as a client reads what is new and acknowledges it. */
export const STREAMS: Readonly<Record<string, Handler>> = {
  XADD: (entry, [, id = "", ...fields]) =>
    onStream(entry, (stream) =>
      exactly(id, () => {
        stream.entries.push({ id, fields });
        return { value: { kind: "stream", stream }, deadline: undefined };
      }),
    ),
  XLEN: (entry) => onStream(entry, ({ entries }) => exactly(entries.length, () => entry)),
  XGROUP: (entry, [, , group = ""]) =>
    onStream(entry, (stream) =>
      exactly("OK", () => {
        stream.groups.set(group, { given: 0, pending: new Map() });
        return { value: { kind: "stream", stream }, deadline: undefined };
      }),
    ),
  XREADGROUP: (entry, [, group = "", consumer = "", , count = "", , key = ""]) =>
    onStream(entry, ({ entries, groups }) => {
      const { given, pending } = groupOf(groups, group);
      const next = entries.slice(given, given + Number(count));
      // a map of RESP3, whose keys and values the client lists one after the other
      const reply = next.length === 0 ? null : [key, next.map(({ id, fields }) => [id, [...fields]])];
      return exactly(reply, () => {
        for (const { id } of next) pending.set(id, consumer);
        groups.set(group, { given: given + next.length, pending });
        return entry;
      });
    }),
  XACK: (entry, [, group = "", id = ""]) =>
    onStream(entry, ({ groups }) => {
      const { pending } = groupOf(groups, group);
      return exactly(pending.has(id) ? 1 : 0, () => {
        pending.delete(id);
        return entry;
      });
    }),
  XPENDING: (entry, [, group = ""]) =>
    onStream(entry, ({ groups }) => exactly(summary(groupOf(groups, group)), () => entry)),
};

/** How many are not acknowledged, the first and the last of them, and how many each consumer has. */
function summary({ pending }: Group): readonly (string | number | null | readonly (readonly string[])[])[] {
  if (pending.size === 0) return [0, null, null, null];
  const ids = [...pending.keys()].toSorted((a, b) => Number(a.split("-")[0]) - Number(b.split("-")[0]));
  const consumers = [...Map.groupBy(pending.values(), (consumer) => consumer)]
    .map(([consumer, all]) => [consumer, String(all.length)])
    .toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return [pending.size, ids[0] ?? null, ids.at(-1) ?? null, consumers];
}

function groupOf(groups: ReadonlyMap<string, Group>, name: string): Group {
  return groups.get(name) ?? { given: 0, pending: new Map() };
}

function onStream(entry: Entry | undefined, expected: (stream: Stream) => Expected): Expected {
  if (entry === undefined) return expected({ entries: [], groups: new Map() });
  return entry.value.kind === "stream" ? expected(entry.value.stream) : wrongType(entry);
}
