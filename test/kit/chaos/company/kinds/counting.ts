import type { Company, Stage } from "../company.ts";
import type { Member } from "../member.ts";
import type { Asked, Tale } from "../tale.ts";

/** Members that count with `WATCH`, `MULTI` and `EXEC`, each against the others: no increment may be lost or come twice. */
export const COUNTING: Company = {
  name: "counting",
  size: 3,
  play: async (stage) => void (await Promise.all(stage.members.map((member) => count(stage, member)))),
  judge: judgeCounting,
};

const COUNTERS = 2;

async function count({ name, isOver }: Stage, member: Member): Promise<void> {
  const { dice } = member;
  while (!isOver()) {
    const key = `${name}:${Math.floor(dice() * COUNTERS)}`;
    // what is watched is so on one connection
    const line = await member.line();
    if (line === undefined) return;
    await line.ask("WATCH", key);
    const read = await line.ask("GET", key);
    if (read.kind !== "reply") continue;
    await line.ask("MULTI");
    await line.ask("SET", key, String(Number(read.reply ?? 0) + 1));
    await line.ask(dice() < 0.9 ? "EXEC" : "DISCARD");
  }
}

/** An increment that was executed, or may have been. */
interface Increment {
  readonly key: string;
  readonly to: number;
  readonly begin: number;
  /** Undefined: the outcome is not known. */
  readonly end: number | undefined;
}

function judgeCounting({ events }: Tale): string | undefined {
  const asked = events.filter((event) => event.kind === "asked");
  const { increments, wrong } = incrementsOf(asked);
  if (wrong !== undefined) return wrong;
  const twice = increments.find(({ key, to, end }, at) =>
    increments.some(
      (other, before) => before < at && isAcknowledged(other) && end && other.key === key && other.to === to,
    ),
  );
  if (twice !== undefined) return `${twice.key}: two members were acknowledged that it is ${twice.to}`;
  return readsOf(asked)
    .map((read) => wrongRead(read, increments))
    .find(Boolean);
}

function isAcknowledged({ end }: Increment): boolean {
  return end !== undefined;
}

interface Read {
  readonly key: string;
  readonly value: number;
  readonly begin: number;
  readonly end: number;
}

function readsOf(asked: readonly Asked[]): readonly Read[] {
  return asked.flatMap(({ command: [name, key = ""], answer, begin, end }) =>
    name === "GET" && answer.kind === "reply" ? [{ key, value: Number(answer.reply ?? 0), begin, end }] : [],
  );
}

/** Each increment adds one to what was there. */
function wrongRead({ key, value, begin, end }: Read, increments: readonly Increment[]): string | undefined {
  const all = increments.filter((one) => one.key === key);
  const least = all.filter((one) => one.end !== undefined && one.end < begin).length;
  const most = all.filter((one) => one.begin < end).length;
  if (value >= least && value <= most) return undefined;
  return `${key} is ${value}, read from ${begin} to ${end}, where ${least} to ${most} is right`;
}

interface Found {
  readonly increments: readonly Increment[];
  readonly wrong: string | undefined;
}

/** The transactions of each connection, in its order. */
function incrementsOf(asked: readonly Asked[]): Found {
  const queued = new Map<string, { readonly key: string; readonly to: number }>();
  const increments: Increment[] = [];
  for (const { connection, command, answer, begin, end } of asked) {
    const [name, key = "", to = ""] = command;
    if (name === "SET") queued.set(connection, { key, to: Number(to) });
    const set = queued.get(connection);
    if (name !== "EXEC" || set === undefined) continue;
    queued.delete(connection);
    if (answer.kind !== "reply") increments.push({ ...set, begin, end: undefined });
    else if (JSON.stringify(answer.reply) === '["OK"]') increments.push({ ...set, begin, end });
    else if (answer.reply !== null)
      return { increments, wrong: `EXEC was answered ${JSON.stringify(answer.reply)}, where ["OK"] or null is right` };
  }
  return { increments, wrong: undefined };
}
