import { z } from "zod";
import { Fault } from "#kit/base/fault";
import { isOrigin } from "../../../core/merge/operations/origin.ts";
import { pairsOf, vectorOf, type VersionVector } from "../../../core/merge/operations/version-vector.ts";
import { faults } from "../faults.ts";
import { encodeFrame, type Frame } from "./frames.ts";

/** Formats of operations and messages that this release can speak, the best one first. */
export const LINK_FORMATS: readonly number[] = [1];

const originNumber = z.int().refine(isOrigin, "must be an origin");

/** An object: origins with their numbers. */
const vector = z.codec(
  z.record(
    z
      .string()
      .regex(/^[0-9]{1,15}$/)
      .refine((text) => isOrigin(Number(text)), "must be an origin"),
    z.int().nonnegative(),
  ),
  z.custom<VersionVector>(Array.isArray),
  {
    decode: (origins) => vectorOf(Object.entries(origins).map(([origin, seq]) => [Number(origin), seq])),
    encode: (numbers) => Object.fromEntries(pairsOf(numbers)),
  },
);

/** What the end that has connected says first, and how the other one answers. */
const greeting = z.object({
  guid: z.string().max(200),
  /** Numbers of the two sites. */
  from: z.int().positive(),
  to: z.int().positive(),
  /** Formats that can be spoken; one, that which is spoken from now on, in the answer. */
  formats: z.array(z.int().positive()).min(1).max(100),
  /** What the site that speaks has received. */
  received: vector,
  /** Under which it numbers its operations. */
  origin: originNumber,
  /** No operation that it makes from now on is of an earlier time, in milliseconds since 1970; absent from links of releases before 0.5.0. */
  time: z.int().nonnegative().optional(),
  /** The site that speaks has nothing, and needs all that the others have before its clients are let in. */
  joining: z.boolean().optional(),
  /** The site that speaks asks for single keys, to compare them with its own. */
  comparing: z.boolean().optional(),
  /** The site that speaks has not captured yet all that it holds. */
  incomplete: z.boolean().optional(),
  /** What comes behind the greetings can be compressed; it is when both say so. A node that passes a connection on leaves this out unless it can pass that on too. */
  compresses: z.boolean().optional(),
  /** It gives digests of its keys to a site that asks for single keys. */
  digests: z.boolean().optional(),
  /** Those of single keys have the times of expiry, and what large keys hold, when both ends say so; absent from links of releases before 0.6.0. */
  closeDigests: z.boolean().optional(),
  /** It gives operations of the site that asks for single keys; absent from links of releases before 0.6.0. */
  givesOwn: z.boolean().optional(),
  /** The site that speaks asks for its own operations alone: one that has not begun itself answers that too; absent from links of releases before 0.6.0. */
  asksOwn: z.boolean().optional(),
  /** Its engine still reads its disk, so that it cannot answer that yet. */
  loading: z.boolean().optional(),
  /** A node of the site's own cluster passes the connection on. */
  relayed: z.boolean().optional(),
});
export type Greeting = z.output<typeof greeting>;

const statement = z.object({
  /** What lasts as long as its data does. */
  received: vector,
  /** What other sites have to know so that sites can come and go. */
  site: z.object({
    sites: z.array(z.int().positive()).max(63).readonly(),
    received: vector,
    forgotten: vector,
    durable: vector.optional(),
  }),
  /** It has not captured yet all that it holds. */
  incomplete: z.boolean().optional(),
});
/** What a site has received, said again and again. */
export type StatementMessage = z.output<typeof statement>;

const transfer = z.object({
  /** The origin under which the site that has nothing will number its operations. */
  origin: originNumber,
});

const LONGEST_REFUSAL = 1_000;
const refusal = z.object({ message: z.string().max(LONGEST_REFUSAL) });

/** The greeting in the frame; LINK_REFUSED with the reason when the other end refuses, LINK_MALFORMED for anything else. */
export function readGreeting(frame: Frame | undefined): Greeting {
  if (frame?.kind === "refusal") throw unexpectedFrame(frame);
  if (frame?.kind !== "greeting") throw new Fault(faults.malformed, "The other site does not greet as a link does.");
  return parseBody(greeting, frame);
}

/** The statement in the frame; LINK_MALFORMED when there is none. */
export function readStatement(frame: Frame): StatementMessage {
  return parseBody(statement, frame);
}

/** The origin for which all data is asked; LINK_MALFORMED when it is not. */
export function readTransfer(frame: Frame): number {
  if (frame.kind !== "transfer") throw new Fault(faults.malformed, "The other site asks for something unknown.");
  return parseBody(transfer, frame).origin;
}

/** LINK_REFUSED when the other end refuses, and LINK_MALFORMED for any other frame that may not come there. */
export function unexpectedFrame(frame: Frame): Fault {
  if (frame.kind === "refusal") return new Fault(faults.refused, parseBody(refusal, frame).message);
  return new Fault(faults.malformed, `The other site sends a ${frame.kind} where none may come.`);
}

/** The best format that both ends speak; LINK_UNKNOWN_FORMAT when there is none. */
export function commonFormat({ formats }: Greeting): number {
  const format = LINK_FORMATS.find((one) => formats.includes(one));
  if (format !== undefined) return format;
  const [own, theirs] = [LINK_FORMATS.join(", "), formats.join(", ")];
  throw new Fault(faults.format, `This site speaks the formats ${own}, and the other one ${theirs}.`);
}

/** A refusal as a frame. */
export function encodeRefusal(message: string): Buffer {
  return encodeMessage("refusal", { message: message.slice(0, LONGEST_REFUSAL) });
}

/** The greeting as a frame. */
export function encodeGreeting(message: Greeting): Buffer {
  return encodeMessage("greeting", z.encode(greeting, message));
}

/** The statement as a frame. */
export function encodeStatement(message: StatementMessage): Buffer {
  return encodeMessage("statement", z.encode(statement, message));
}

/** Asks for all data, for a site that will number its operations so. */
export function encodeTransfer(origin: number): Buffer {
  return encodeMessage("transfer", { origin });
}

/** The message as a frame, whatever it is. */
export function encodeMessage(kind: "greeting" | "refusal" | "statement" | "transfer", message: object): Buffer {
  return encodeFrame(kind, Buffer.from(JSON.stringify(message)));
}

function parseBody<T>(schema: z.ZodType<T>, { body, kind }: Frame): T {
  try {
    return schema.parse(JSON.parse(body.toString()));
  } catch (error) {
    throw new Fault(faults.malformed, `The other site sends a ${kind} that cannot be read.`, {}, error);
  }
}
