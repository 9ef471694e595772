/**
 * True for a reply that proves that the request was not executed, and that another engine, or the same one a little
 * later, will execute it: from a demoted primary, a replica without primary, or an engine that still loads its data.
 */
export function isRefusal(reply: Buffer): boolean {
  return (
    reply[0] === MINUS && (starts(reply, "-READONLY ") || starts(reply, "-LOADING ") || starts(reply, "-MASTERDOWN "))
  );
}

/** True for an EXEC that was refused for one of these reasons: the engine has dropped the transaction. */
export function isRefusedExec(reply: Buffer): boolean {
  return (
    starts(reply, "-EXECABORT ") && /because of: (READONLY|LOADING|MASTERDOWN) /.test(reply.toString("latin1", 0, 120))
  );
}

/** True for the reply to a blocked client whose engine was demoted: nothing was taken from any key. */
export function isUnblocked(reply: Buffer): boolean {
  return starts(reply, "-UNBLOCKED ");
}

const MINUS = 45;

function starts(reply: Buffer, prefix: string): boolean {
  return reply.toString("latin1", 0, prefix.length) === prefix;
}
