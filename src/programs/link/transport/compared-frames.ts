import { Fault } from "#kit/base/fault";
import {
  decodeComparedKey,
  decodeNames,
  encodeNames,
  type ComparedKey,
} from "../../../core/merge/state/compared-key.ts";
import { decodeOperation, type CodedOperation } from "../../../core/merge/operations/operation-codec.ts";
import { isRangeCount } from "../../../core/merge/state/key-digests.ts";
import type { GivenKeys } from "../../../mechanisms/site/state/give-keys.ts";
import type { OtherKeys } from "../../../mechanisms/site/state/other-keys.ts";
import { faults } from "../faults.ts";
import type { LinkConnection } from "./connection.ts";
import { encodeFrame, encodeFrames, type Frame, type FrameKind } from "./frames.ts";
import type { Greeted } from "./greet.ts";
import { unexpectedFrame, type Greeting } from "./messages.ts";

/** A connection on which nothing comes for this long is ended, in milliseconds. */
const SILENCE_MS = 30_000;

/** Answers what the other end asks for, until it closes; with close digests when that end compares these. */
export async function answerKeys(
  connection: LinkConnection,
  keys: GivenKeys,
  { from, closeDigests = false }: Pick<Greeting, "from" | "closeDigests">,
): Promise<void> {
  const all = keys.names();
  endSilence(connection);
  for await (const frame of connection.frames) {
    switch (frame.kind) {
      case "names": {
        const found = await keys.look(decodeNames(frame.body));
        await connection.send(encodeFrames("key", found));
        break;
      }
      case "scan": {
        const next = await all.next();
        await connection.send(
          next.done === true ? encodeFrame("end", NOTHING) : encodeFrame("names", encodeNames(next.value)),
        );
        break;
      }
      case "sums": {
        const sums = keys.sums(readCount(frame));
        await connection.send(sums === undefined ? encodeFrame("end", NOTHING) : encodeFrame("sums", bytesOf(sums)));
        break;
      }
      case "digests": {
        const digests = await keys.digests(decodeNames(frame.body), closeDigests);
        await connection.send(encodeFrame("digests", bytesOf(digests)));
        break;
      }
      case "own":
        await sendOwn(connection, await keys.operationsOf(from));
        break;
      default:
        throw unexpectedFrame(frame);
    }
  }
}

/** Gives the other end its own operations, and nothing else, until it closes. */
export async function answerOwn(connection: LinkConnection, operations: () => readonly Uint8Array[]): Promise<void> {
  endSilence(connection);
  for await (const frame of connection.frames) {
    if (frame.kind !== "own") throw unexpectedFrame(frame);
    await sendOwn(connection, operations());
  }
}

async function sendOwn(connection: LinkConnection, operations: readonly Uint8Array[]): Promise<void> {
  await connection.send(encodeFrames("operation", operations));
  await connection.send(encodeFrame("end", NOTHING));
}

/** The operations of the site that asks which the other end keeps; none where its release does not give them. */
export async function ownOperations({ connection, greeting }: Greeted): Promise<readonly CodedOperation[]> {
  if (greeting.givesOwn !== true) return [];
  await connection.send(encodeFrame("own", NOTHING));
  const found: CodedOperation[] = [];
  for (;;) {
    const frame = await next(connection, "operation", "end");
    if (frame.kind === "end") return found;
    found.push(decodeOperation(frame.body));
  }
}

/** The keys of the site at the other end, which has greeted so. */
export function otherKeys({ connection, greeting }: Greeted): OtherKeys {
  endSilence(connection);
  return {
    areDigestsClose: greeting.closeDigests === true,
    async look(names) {
      await connection.send(encodeFrame("names", encodeNames(names)));
      const found: ComparedKey[] = [];
      while (found.length < names.length) found.push(decodeComparedKey((await next(connection, "key")).body));
      return found;
    },
    async *names() {
      for (;;) {
        await connection.send(encodeFrame("scan", NOTHING));
        const frame = await next(connection, "names", "end");
        if (frame.kind === "end") return;
        yield decodeNames(frame.body);
      }
    },
    async sums(count) {
      await connection.send(encodeFrame("sums", bytesOf(Uint32Array.of(count))));
      const frame = await next(connection, "sums", "end");
      return frame.kind === "end" ? undefined : numbersIn(frame, 2 * count);
    },
    async digests(names) {
      await connection.send(encodeFrame("digests", encodeNames(names)));
      return numbersIn(await next(connection, "digests"), 2 * names.length);
    },
    close: () => connection.destroy(),
  };
}

const NOTHING = new Uint8Array();

function readCount(frame: Frame): number {
  const [count = 0] = numbersIn(frame, 1);
  if (isRangeCount(count)) return count;
  throw new Fault(faults.malformed, `The other site asks for sums of ${count} ranges.`);
}

/** Four bytes for each number, the lowest first. */
function bytesOf(numbers: Uint32Array): Buffer {
  const bytes = Buffer.allocUnsafe(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, 4 * index);
  return bytes;
}

function numbersIn({ body, kind }: Frame, count: number): Uint32Array {
  if (body.length !== 4 * count)
    throw new Fault(
      faults.malformed,
      `The other site sends ${kind} of ${body.length} bytes where ${4 * count} belong.`,
    );
  return Uint32Array.from({ length: count }, (_, index) => body.readUInt32LE(4 * index));
}

async function next({ frames }: LinkConnection, ...kinds: readonly FrameKind[]): Promise<Frame> {
  const frame = await frames.next();
  if (frame.done === true)
    throw new Fault(faults.silent, "The other site has ended the connection before all its keys were compared.");
  if (!kinds.includes(frame.value.kind)) throw unexpectedFrame(frame.value);
  return frame.value;
}

function endSilence(connection: LinkConnection): void {
  connection.socket.setTimeout(SILENCE_MS, () => connection.destroy());
}
