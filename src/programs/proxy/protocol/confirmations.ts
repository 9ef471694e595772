import { bulkReply } from "./replies.ts";
import { isKeptByAll, type Subscriptions } from "./subscriptions.ts";

/** Applies a command about these channels, which all engines concerned have taken, and gives what an engine would confirm it with. */
export function confirmationsOf(
  subscriptions: Subscriptions,
  name: string,
  channels: readonly Buffer[],
  protocol: number,
): readonly Buffer[] {
  const word = Buffer.from(name.toLowerCase());
  const count = (): number => {
    const { channels: own, patterns, sharded } = subscriptions.counts;
    return isKeptByAll(name) ? own + patterns : sharded;
  };
  const confirm = (channel: Buffer | undefined): Buffer =>
    Buffer.concat([
      Buffer.from(protocol === 3 ? ">3\r\n" : "*3\r\n"),
      bulkReply(word, protocol),
      bulkReply(channel, protocol),
      Buffer.from(`:${count()}\r\n`),
    ]);
  if (channels.length === 0) return [confirm(undefined)];
  return channels.map((channel) => {
    subscriptions.apply([word, channel], name);
    return confirm(channel);
  });
}
