import type { Transfer, TransferPart } from "../../../mechanisms/site/transfer/transfer.ts";
import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import type { LinkConnection } from "./connection.ts";
import { encodeFrame, type Frame } from "./frames.ts";
import { unexpectedFrame } from "./messages.ts";

/** So many bytes of small keys are sent at once. */
const GATHERED = 65_536;

/** Sends all of it; less when the connection is closed. */
export async function sendTransfer(connection: LinkConnection, { begin, parts }: Transfer): Promise<void> {
  await connection.send(encodeFrame("begin", begin));
  let gathered: Buffer[] = [];
  let size = 0;
  for await (const { kind, body } of parts) {
    if (connection.isClosed) return;
    gathered.push(encodeFrame(kind, body));
    size += body.length;
    if (size < GATHERED) continue;
    await connection.send(Buffer.concat(gathered));
    [gathered, size] = [[], 0];
  }
  connection.end(Buffer.concat([...gathered, encodeFrame("end", new Uint8Array())]));
}

/** What the frames bring from now on; LINK_REFUSED when the other site cannot give, LINK_SILENT when it ends before its end. */
export async function receiveTransfer(frames: AsyncGenerator<Frame>): Promise<Transfer> {
  const first = await frames.next();
  if (first.done === true) throw cutOff();
  if (first.value.kind !== "begin") throw unexpectedFrame(first.value);
  return { begin: first.value.body, parts: partsIn(frames) };
}

async function* partsIn(frames: AsyncGenerator<Frame>): AsyncGenerator<TransferPart> {
  for await (const frame of frames) {
    const { kind, body } = frame;
    if (kind === "end") return;
    if (kind !== "key" && kind !== "operation") throw unexpectedFrame(frame);
    yield { kind, body };
  }
  throw cutOff();
}

function cutOff(): Fault {
  return new Fault(faults.silent, "The other site has ended the connection before all its data was here.");
}
