import { Fault } from "../../core/base/fault.ts";
import { decodeReply } from "./decode.ts";
import { faults } from "./faults.ts";
import { byteStringOf } from "./reply.ts";

/** The command that a frame holds, each character a byte; RESP_MALFORMED when it is something else. */
export function argumentsOf(frame: Buffer): readonly string[] {
  const reply = decodeReply(frame, "bytes");
  if (!Array.isArray(reply)) throw new Fault(faults.malformed, "The engine sent something else than a command.");
  return reply.map(byteStringOf);
}

/** Its name in capitals, without a look at the rest of the frame. */
export function commandNameIn(frame: Buffer): string {
  const length = frame.indexOf("\r\n") + 2;
  const name = frame.indexOf("\r\n", length) + 2;
  return frame.toString("latin1", name, name + Number(frame.toString("latin1", length + 1, name - 2))).toUpperCase();
}
