import {
  exactly,
  kept,
  notInteger,
  wrongType,
  type Entry,
  type Expected,
  type Handler,
  type Moment,
} from "./expected.ts";

/** Strings, and what is asked of keys of every type. */
export const STRINGS: Readonly<Record<string, Handler>> = {
  SET: (entry, [, text = "", ...options], moment) => {
    const ms = valueOf(options, "PX");
    const deadline = ms === undefined ? undefined : expiresIn(Number(ms), moment);
    const isTaken = options.includes("NX") && entry !== undefined;
    return isTaken ? exactly(null, () => entry) : exactly("OK", () => ({ value: { kind: "string", text }, deadline }));
  },
  GET: (entry) => onText(entry, (text) => exactly(text ?? null, () => entry)),
  STRLEN: (entry) => onText(entry, (text = "") => exactly(text.length, () => entry)),
  APPEND: (entry, [, more = ""]) =>
    onText(entry, (text = "") =>
      exactly(text.length + more.length, () => kept(entry, { kind: "string", text: text + more })),
    ),
  INCRBY: (entry, [, by = ""]) =>
    onText(entry, (text = "0") => {
      if (!WHOLE.test(text)) return notInteger(entry);
      const sum = Number(text) + Number(by);
      return exactly(sum, () => kept(entry, { kind: "string", text: String(sum) }));
    }),
  GETEX: (entry, [, , ms = ""], moment) =>
    onText(entry, (text) =>
      exactly(text ?? null, () => entry && { value: entry.value, deadline: expiresIn(Number(ms), moment) }),
    ),
  GETDEL: (entry) => onText(entry, (text) => exactly(text ?? null, () => undefined)),
  DEL: (entry) => exactly(entry === undefined ? 0 : 1, () => undefined),
  EXISTS: (entry) => exactly(entry === undefined ? 0 : 1, () => entry),
  TYPE: (entry) => exactly(entry?.value.kind ?? "none", () => entry),
  PEXPIRE: (entry, [, ms = ""], moment) =>
    exactly(
      entry === undefined ? 0 : 1,
      () => entry && { value: entry.value, deadline: expiresIn(Number(ms), moment) },
    ),
  PERSIST: (entry) =>
    exactly(entry?.deadline === undefined ? 0 : 1, () => entry && { value: entry.value, deadline: undefined }),
  PTTL: (entry, _args, moment) => {
    if (entry === undefined) return exactly(-2, () => entry);
    return entry.deadline === undefined ? exactly(-1, () => entry) : left(entry, entry.deadline, moment);
  },
};

/** Clocks of one machine, which engines read once for each command. */
export const SLACK_NS = 100e6;
const MS_NS = 1e6;
/** As engines write it. */
const WHOLE = /^(0|-?[1-9]\d{0,14})$/;

function left(entry: Entry, deadline: NonNullable<Entry["deadline"]>, { begin, end }: Moment): Expected {
  const least = (deadline.from - end - SLACK_NS) / MS_NS;
  const most = (deadline.to - begin + SLACK_NS) / MS_NS;
  return {
    text: `${Math.round(least)} to ${Math.round(most)}`,
    fits: (reply) => typeof reply === "number" && reply >= 0 && reply >= least && reply <= most,
    after: () => entry,
  };
}

function expiresIn(ms: number, { begin, end }: Moment): NonNullable<Entry["deadline"]> {
  return { from: begin + ms * MS_NS, to: end + ms * MS_NS };
}

function onText(entry: Entry | undefined, expected: (text: string | undefined) => Expected): Expected {
  if (entry === undefined) return expected(undefined);
  return entry.value.kind === "string" ? expected(entry.value.text) : wrongType(entry);
}

function valueOf(options: readonly string[], name: string): string | undefined {
  const at = options.indexOf(name);
  return at === -1 ? undefined : options[at + 1];
}
