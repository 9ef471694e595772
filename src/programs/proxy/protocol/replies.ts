import type { CommandEntry } from "./table/entry.ts";

/** Replies of the proxy itself, encoded. */
export const replies = {
  ok: Buffer.from("+OK\r\n"),
  reset: Buffer.from("+RESET\r\n"),
  noPrimary: Buffer.from("-LOADING store: no primary for this database right now\r\n"),
  awaitsSites: Buffer.from("-LOADING store: this site gets the data of the other sites\r\n"),
  noAuth: Buffer.from("-NOAUTH Authentication required.\r\n"),
  wrongPassword: Buffer.from("-WRONGPASS invalid username-password pair or user is disabled.\r\n"),
  noPassword: Buffer.from(
    "-ERR AUTH <password> called without any password configured for the default user. Are you sure your " +
      "configuration is correct?\r\n",
  ),
  noProtocol: Buffer.from("-NOPROTO unsupported protocol version\r\n"),
  syntax: Buffer.from("-ERR syntax error\r\n"),
  unbalanced: Buffer.from("-ERR Protocol error: unbalanced quotes in request\r\n"),
  noInteger: Buffer.from("-ERR value is not an integer or out of range\r\n"),
  noSmallInteger: Buffer.from("-ERR value is out of range, value must between -2147483648 and 2147483647\r\n"),
  badDatabase: Buffer.from("-ERR DB index is out of range\r\n"),
  tooManyClients: Buffer.from("-ERR max number of clients reached\r\n"),
  tooManyDatabases: Buffer.from("-ERR store: too many different databases are selected at this endpoint\r\n"),
  tooManyPins: Buffer.from("-ERR store: too many clients have a session of their own at this endpoint\r\n"),
  tooLargeTransaction: Buffer.from("-ERR store: the transaction is too large\r\n"),
  crossSlot: Buffer.from("-CROSSSLOT Keys in request don't hash to the same slot\r\n"),
  transactionAborted: Buffer.from("-EXECABORT Transaction discarded because of previous errors.\r\n"),
} as const;

/** An error reply with this message. */
export function errorReply(message: string): Buffer {
  return Buffer.from(`-${message.replaceAll(/[\r\n]/g, " ")}\r\n`);
}

/** How an engine answers EXEC when it refuses what was queued, for the reason in an error reply. */
export function execAborted(refusal: Buffer): Buffer {
  return Buffer.concat([Buffer.from("-EXECABORT Transaction discarded because of: "), refusal.subarray(1)]);
}

/** The answer to a request with too few or too many arguments. */
export function wrongNumber(name: string): Buffer {
  return errorReply(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
}

/** Why a command of class `refused` is refused. */
export function unavailableReply({ name, note }: CommandEntry): Buffer {
  return errorReply(`ERR store: ${name.replace("|", " ")} is not available at an endpoint: ${note}`);
}

/** Why a command is refused that endpoints do not offer yet where a database has several shards. */
export function notWithShards(name: string): Buffer {
  return errorReply(`ERR store: ${name.replace("|", " ")} is not available at a database of several shards`);
}

/** The engine's refusal of a command that its user has no right to, for instance `config|get`. */
export function notPermitted(command: string): Buffer {
  return errorReply(`NOPERM this user has no permissions to run the '${command}' command`);
}

/** An integer reply. */
export function integerReply(value: number): Buffer {
  return Buffer.from(`:${value}\r\n`);
}

/** An array of replies that are encoded. */
export function arrayReply(elements: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(`*${elements.length}\r\n`), ...elements]);
}

/** A map of RESP3: names and values, encoded, in turn. */
export function mapReply(fields: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(`%${fields.length / 2}\r\n`), ...fields]);
}

/** A bulk string, or the null of the protocol version. */
export function bulkReply(value: Buffer | undefined, protocol: number): Buffer {
  if (value === undefined) return Buffer.from(protocol === 3 ? "_\r\n" : "$-1\r\n");
  return Buffer.concat([Buffer.from(`$${value.length}\r\n`), value, Buffer.from("\r\n")]);
}

/** What an engine answers to EXEC when a watched key has changed. */
export function abortedByWatch(protocol: number): Buffer {
  return Buffer.from(protocol === 3 ? "_\r\n" : "*-1\r\n");
}
