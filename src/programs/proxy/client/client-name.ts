import { errorReply } from "../protocol/replies.ts";
import { copyBytes } from "../upstream/lent-memory.ts";

/** What a client may call itself, or its library. All that may connect have 15 MiB of each so; engines have no limit of their own. */
const NAME_BYTES = 512;

/** Why a client cannot say this of itself; undefined when it can. `what` begins the sentence. */
export function nameRefusal(what: string, name: Buffer): Buffer | undefined {
  if (name.some((byte) => byte < 33 || byte > 126))
    return errorReply(`ERR ${what} cannot contain spaces, newlines or special characters.`);
  if (name.length > NAME_BYTES) return errorReply(`ERR store: ${what} cannot have more than ${NAME_BYTES} bytes.`);
  return undefined;
}

/** A name to be kept, without the memory that it came in. */
export function keptName(name: Buffer): Buffer {
  return copyBytes(name, 0, name.length);
}

/** How the refusal of the name of a client begins. */
export const CLIENT_NAMES = "Client names";
