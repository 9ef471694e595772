import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { requestParts } from "../protocol/request-parts.ts";

/** HELLO without the name that a client gives itself: the engine knows the connection by the one that the proxy has given it. */
export function withoutName(request: Buffer): Buffer {
  const args = requestArguments(request);
  const at = requestParts("HELLO", args)?.get("clientname");
  return at === undefined ? request : encodeCommand(args.toSpliced(at - 1, 2));
}
