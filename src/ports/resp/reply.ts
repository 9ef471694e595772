import { Fault } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** What an engine answers, RESP2 or RESP3. Sets are arrays; bulk strings are text or bytes as the decoder was asked. */
export type Reply =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | ReplyError
  | Push
  | readonly Reply[]
  | ReadonlyMap<Reply, Reply>;

/** An error reply: `code` is its first word, for instance READONLY. */
export class ReplyError {
  readonly code: string;
  readonly message: string;

  constructor(text: string) {
    this.code = /^[^ ]*/.exec(text)?.[0] ?? "";
    this.message = text;
  }
}

/** An out-of-band message of RESP3: it answers no command. */
export class Push {
  readonly values: readonly Reply[];

  constructor(values: readonly Reply[]) {
    this.values = values;
  }
}

/** The reply as text; RESP_UNEXPECTED_REPLY when it is something else. */
export function textOf(reply: Reply): string {
  if (typeof reply === "string") return reply;
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString();
  throw unexpectedReply("text", reply);
}

/** The reply as a string with one character for each byte, so that what is no text stays what it is; other replies as they read. */
export function byteStringOf(reply: Reply): string {
  if (!(reply instanceof Uint8Array)) return String(reply);
  return (Buffer.isBuffer(reply) ? reply : Buffer.from(reply)).toString("latin1");
}

/** The reply as a number, also when it came as digits in a string; RESP_UNEXPECTED_REPLY otherwise. */
export function numberOf(reply: Reply): number {
  const value = typeof reply === "string" && reply !== "" ? Number(reply) : reply;
  if (typeof value === "number" && !Number.isNaN(value)) return value;
  throw unexpectedReply("a number", reply);
}

/** The reply as an array; RESP_UNEXPECTED_REPLY otherwise. */
export function listOf(reply: Reply): readonly Reply[] {
  if (Array.isArray(reply)) return reply;
  throw unexpectedReply("an array", reply);
}

function unexpectedReply(wanted: string, reply: Reply): Fault {
  const got = reply === null ? "null" : reply instanceof Object ? reply.constructor.name : typeof reply;
  return new Fault(faults.unexpectedReply, `The engine answered with ${got} where ${wanted} was expected.`);
}
