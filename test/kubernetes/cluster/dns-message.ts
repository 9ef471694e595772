/** A question to a name server. */
export interface Question {
  readonly name: string;
  readonly type: number;
  /** The question as it was sent, which the answer repeats. */
  readonly bytes: Buffer;
}

const HEADER = 12;
const TYPE_A = 1;
const TTL_SECONDS = 5;
/** An answer, authoritative, recursion wanted and available. */
const FLAGS = 0x8580;
const NO_SUCH_NAME = 3;

/** The one question of a message; undefined when the message is no such. */
export function questionOf(message: Buffer): Question | undefined {
  if (message.length < HEADER || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = HEADER;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    if (length > 63 || at + length >= message.length) return undefined;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  if (at + 5 > message.length) return undefined;
  return { name: labels.join("."), type: message.readUInt16BE(at + 1), bytes: message.subarray(HEADER, at + 5) };
}

/** The answer to `question` of `message`: IPv4 addresses, or that there is no such name. */
export function answer(message: Buffer, question: Question, addresses: readonly string[] | undefined): Buffer {
  const records = question.type === TYPE_A ? (addresses ?? []).map(recordOf) : [];
  const header = Buffer.alloc(HEADER);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(FLAGS | (addresses === undefined ? NO_SUCH_NAME : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question.bytes, ...records]);
}

function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc000 | HEADER, 0); // the name is the question's
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_SECONDS, 6);
  record.writeUInt16BE(4, 10);
  Buffer.from(address.split(".").map(Number)).copy(record, 12);
  return record;
}
