/**
 * True for an answer that proves that nothing was executed and that another engine, or the same one a little later, will
 * do it: a demoted primary, a replica without primary, an engine that still loads its data.
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

/** True for what a blocked client is told when its engine was demoted: nothing was taken from any key. */
export function isUnblocked(reply: Buffer): boolean {
  return starts(reply, "-UNBLOCKED ");
}

const MINUS = 45;

function starts(reply: Buffer, prefix: string): boolean {
  return reply.toString("latin1", 0, prefix.length) === prefix;
}
