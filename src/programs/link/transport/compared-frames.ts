import { Fault } from "../../../core/base/fault.ts";
import { decodeComparedKey, decodeNames, encodeNames, type ComparedKey } from "../../../core/merge/compared-key.ts";
import type { GivenKeys } from "../../../mechanisms/site/give-keys.ts";
import type { OtherKeys } from "../../../mechanisms/site/other-keys.ts";
import { faults } from "../faults.ts";
import type { Connection } from "./connection.ts";
import { encodeFrame, encodeFrames, type Frame, type FrameKind } from "./frames.ts";
import { unexpected } from "./messages.ts";

/** A connection on which nothing comes for this long is ended, in milliseconds. */
const SILENCE_MS = 30_000;

/** Answers what the other end asks for, until it closes. */
export async function answerKeys(connection: Connection, keys: GivenKeys): Promise<void> {
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
      default:
        throw unexpected(frame);
    }
  }
}

/** The keys of the site at the other end. */
export function otherKeys(connection: Connection): OtherKeys {
  endSilence(connection);
  return {
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
    close: () => connection.destroy(),
  };
}

const NOTHING = new Uint8Array();

async function next({ frames }: Connection, ...kinds: readonly FrameKind[]): Promise<Frame> {
  const frame = await frames.next();
  if (frame.done === true)
    throw new Fault(faults.silent, "The other site has ended the connection before all its keys were compared.");
  if (!kinds.includes(frame.value.kind)) throw unexpected(frame.value);
  return frame.value;
}

function endSilence(connection: Connection): void {
  connection.socket.setTimeout(SILENCE_MS, () => connection.destroy());
}
