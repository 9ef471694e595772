import { encodeCommand } from "../../../ports/resp/encode.ts";
import { replies } from "../protocol/replies.ts";
import type { Pin } from "../upstream/pin.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** Ends the transaction at an engine, of which nothing is executed; the connection, if there is one, then serves other clients. */
export function discardAt(pin: Pin | undefined, { pins }: Pick<Upstream, "pins">): void {
  if (pin === undefined) return;
  pin.attach({
    frame: (reply) => {
      pin.tainted ||= !reply.equals(replies.ok);
      pins.giveBack(pin);
    },
    closed: () => undefined,
  });
  pin.write(DISCARD);
}

const DISCARD = encodeCommand(["DISCARD"]);
