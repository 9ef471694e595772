import { Fault } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** A command as an engine passes it on, or appends it to its file. */
export interface CommandFrame {
  /** In capitals. */
  readonly name: string;
  /** As the engine wrote it. */
  readonly frame: Buffer;
  /** The numbered database that is selected. */
  readonly database: number;
}

/** The command that a whole frame holds, each character a byte; RESP_MALFORMED when it is something else. */
export function argumentsOf(frame: Buffer): readonly string[] {
  const { args, past } = argumentsIn(frame);
  if (frame[0] !== STAR || past < frame.length) throw notACommand();
  return args.map((each) => each.toString("latin1"));
}

/** The arguments of one request of the form that the proxy accepts, or of its beginning; they share its memory. */
export function requestArguments(request: Buffer): Buffer[] {
  return argumentsIn(request).args;
}

/** The arguments that a frame holds, and the place behind them: before its end where something else follows. */
function argumentsIn(frame: Buffer): { readonly args: Buffer[]; readonly past: number } {
  const args: Buffer[] = [];
  let at = frame.indexOf(LF) + 1;
  while (at > 0 && at < frame.length && frame[at] === DOLLAR) {
    const begin = frame.indexOf(LF, at) + 1;
    if (begin === 0) break;
    const end = begin + countAt(frame, at + 1);
    args.push(frame.subarray(begin, end));
    at = end + LINE_END;
  }
  return { args, past: at };
}

/**
 * The argument of the command at that place, where its name is at 0 and the last argument at -1; undefined when it has fewer. The others are not
 * decoded.
 */
export function argumentAt(frame: Buffer, place: number): string | undefined {
  const wanted = place < 0 ? countAt(frame, 1) + place : place;
  let at = behindLine(frame, 0);
  for (let index = 0; at < frame.length; index += 1) {
    const begin = behindLine(frame, at);
    const end = begin + countAt(frame, at + 1);
    if (index === wanted) return frame.toString("latin1", begin, end);
    at = end + LINE_END;
  }
  return undefined;
}

/** Its name in capitals, without a look at the rest of the frame; RESP_MALFORMED when it is something else. */
export function commandNameIn(frame: Buffer): string {
  const at = behindLine(frame, 0);
  const begin = behindLine(frame, at);
  return frame.toString("latin1", begin, begin + countAt(frame, at + 1)).toUpperCase();
}

function behindLine(frame: Buffer, at: number): number {
  const end = frame.indexOf(CR, at);
  if (end < 0) throw notACommand();
  return end + LINE_END;
}

/** The number in decimal that begins there. */
function countAt(frame: Buffer, at: number): number {
  let count = 0;
  for (let next = at; frame[next] !== CR; next += 1) {
    const digit = (frame[next] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) throw notACommand();
    count = count * 10 + digit;
  }
  return count;
}

function notACommand(): Fault {
  return new Fault(faults.malformed, "The engine sent something else than a command.");
}

const [STAR, DOLLAR, CR, LF, ZERO] = [42, 36, 13, 10, 48];
const LINE_END = 2;
