import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { answer, questionOf } from "./dns-message.ts";

const PORT = 53;
const LONGEST_QUESTION = 512;

/** Answers questions for IPv4 addresses on port 53 of `address`, over UDP and TCP. */
export async function serveDns(
  address: string,
  addressesOf: (name: string) => readonly string[] | undefined,
): Promise<void> {
  const reply = (message: Buffer): Buffer | undefined => {
    const question = questionOf(message);
    return question === undefined ? undefined : answer(message, question, addressesOf(question.name));
  };
  const udp = createSocket("udp4", (message, from) => {
    const answered = reply(message);
    if (answered !== undefined) udp.send(answered, from.port, from.address);
  });
  udp.bind(PORT, address);
  const tcp = createServer((socket) => {
    let received: Buffer = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const answered = reply(received.subarray(2, end));
        received = received.subarray(end);
        if (answered === undefined) return socket.destroy();
        socket.write(Buffer.concat([lengthOf(answered), answered]));
      }
      if (received.length > LONGEST_QUESTION) socket.destroy();
    });
  });
  tcp.listen(PORT, address);
  await Promise.all([once(udp, "listening"), once(tcp, "listening")]);
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return length;
}
