import { parseJson } from "#kit/base/json";

/** What an agent asks of the starter of its pod; `id` names an engine as long as the connection lasts. */
export type StarterRequest =
  | {
      readonly do: "start";
      readonly id: number;
      /** As `engineText` has it, for instance "redis 8.0.2". */
      readonly engine: string;
      readonly bdb: number;
      readonly instance: number;
    }
  | { readonly do: "signal"; readonly id: number; readonly signal: EndSignal };

/** What a starter reports; `memory`: the limit of its container in bytes. */
export type StarterReport =
  | { readonly is: "ready"; readonly memory: number }
  | { readonly is: "started"; readonly id: number; readonly pid: number }
  | { readonly is: "failed"; readonly id: number; readonly why: string }
  | { readonly is: "exited"; readonly id: number; readonly code?: number; readonly signal?: string };

/** Signals that an agent may send to an engine. */
export type EndSignal = "SIGTERM" | "SIGKILL";

/** No message is longer, in characters; a side that sends more is cut off. */
export const LONGEST_STARTER_MESSAGE = 4_096;

/** The request of a line; undefined when it is none. */
export function starterRequest(line: string): StarterRequest | undefined {
  const { do: act, id, engine, bdb, instance, signal } = fieldsOf(line);
  if (!isNumber(id)) return undefined;
  if (act === "signal") return signal === "SIGTERM" || signal === "SIGKILL" ? { do: act, id, signal } : undefined;
  if (act !== "start" || typeof engine !== "string" || !isNumber(bdb) || !isNumber(instance)) return undefined;
  return { do: act, id, engine, bdb, instance };
}

/** The report of a line; undefined when it is none. */
export function starterReport(line: string): StarterReport | undefined {
  const { is, id, memory, pid, why, code, signal } = fieldsOf(line);
  if (is === "ready") return isNumber(memory) ? { is, memory } : undefined;
  if (!isNumber(id)) return undefined;
  if (is === "started") return isNumber(pid) ? { is, id, pid } : undefined;
  if (is === "failed") return typeof why === "string" ? { is, id, why } : undefined;
  return is === "exited" ? exitReport(id, code, signal) : undefined;
}

function exitReport(id: number, code: unknown, signal: unknown): StarterReport | undefined {
  if (isNumber(code)) return { is: "exited", id, code };
  return typeof signal === "string" && /^SIG[A-Z0-9]{1,12}$/.test(signal) ? { is: "exited", id, signal } : undefined;
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  const message = parseJson(line);
  return typeof message === "object" && message !== null ? { ...message } : {};
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
