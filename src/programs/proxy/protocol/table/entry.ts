/**
 * How the proxy handles a command.
 * - read, write: through the connection to the engine that clients share; a read changes nothing, so that it may be sent twice
 * - long: may occupy its connection for long, so it takes one of its own; it runs what is not the engine's own code
 * - script: the same, and its body is remembered; scripts: concerns the remembered bodies
 * - kill: ends a script that runs, past all others
 * - transaction, blocking, wait, subscription: needs a connection of its own until it is over
 * - tracking: needs a connection of its own until it is switched off; caching: belongs to it, and is an error without it
 * - monitor: takes a connection of its own until the client ends
 * - scan: continues at the server that gave its cursor
 * - identity: AUTH and HELLO, which also an unauthenticated client may send
 * - session, client, whoami: answered by the proxy, which knows the client
 * - sites: asks the link of an Active-Active database; an error elsewhere
 * - view: answered by the proxy from what the engine says
 * - parameters: kept in the record of the database
 * - quit: ends the connection
 * - container: its subcommands have classes of their own
 * - refused: not for clients of a database
 * - hostile: the first words of an HTTP request
 * - unknown: not in the table; what the engine says of it decides
 */
export type CommandClass =
  | "read"
  | "write"
  | "long"
  | "script"
  | "scripts"
  | "kill"
  | "transaction"
  | "blocking"
  | "wait"
  | "subscription"
  | "tracking"
  | "caching"
  | "monitor"
  | "scan"
  | "identity"
  | "session"
  | "client"
  | "whoami"
  | "sites"
  | "view"
  | "parameters"
  | "quit"
  | "container"
  | "refused"
  | "hostile"
  | "unknown";

/** A command, or a subcommand like `CLIENT|LIST`, with its class. */
export interface CommandEntry {
  readonly name: string;
  readonly commandClass: CommandClass;
  /** What differs from an engine, or why it is refused; empty when nothing differs. */
  readonly note: string;
}
