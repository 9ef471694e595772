/**
 * True for a reply with the exact text of an engine that has not executed a request, and will later, or as a primary: one
 * that was demoted, is a replica without primary, or still loads its data. It proves that for the engine's own commands; a
 * script and a command of a module may answer with any text, so that only the engine's role can confirm it.
 */
export function isRefusal(reply: Buffer): boolean {
  return reply[0] === MINUS && REFUSALS.some((refusal) => reply.subarray(0, refusal.length).equals(refusal));
}

/** True for the reply of an engine that runs a script, and has executed nothing else. The remark to `isRefusal` holds. */
export function isBusyReply(reply: Buffer): boolean {
  return reply[0] === MINUS && BUSY.some((text) => reply.subarray(0, text.length).equals(text));
}

/** True for an EXEC that was refused because of that: the engine has dropped the transaction. */
export function isBusyExec(reply: Buffer): boolean {
  return BUSY_EXECS.some((text) => reply.subarray(0, text.length).equals(text));
}

/** True for an EXEC that was refused for one of these reasons: the engine has dropped the transaction. */
export function isRefusedExec(reply: Buffer): boolean {
  return REFUSED_EXECS.some((refusal) => reply.subarray(0, refusal.length).equals(refusal));
}

/**
 * True for the reply to an EXEC with such a refusal inside: a script was refused when the engine executed the transaction, whose other commands an engine
 * that is no primary refuses before. The remark to `isRefusal` holds, and data may contain the text as well.
 */
export function hasRefusalInside(reply: Buffer): boolean {
  return reply[0] === ASTERISK && reply.includes(INSIDE) && REFUSALS_INSIDE.some((refusal) => reply.includes(refusal));
}

/** True for the reply to a blocked client whose engine was demoted: nothing was taken from any key. */
export function isUnblockedByDemotion(reply: Buffer): boolean {
  return reply.equals(UNBLOCKED_BY_DEMOTION);
}

/** True for the reply to a blocked client that CLIENT UNBLOCK took back: nothing was taken from any key. */
export function isUnblockedByCommand(reply: Buffer): boolean {
  return reply.equals(UNBLOCKED_BY_COMMAND);
}

/**
 * True when the bytes, which begin a reply, are whole error replies of what an engine refuses before it looks at data, and
 * nothing else. Another error may show what was written: that a key holds another type, or what a script has read.
 */
export function isOnlyRefusals(bytes: Buffer): boolean {
  if (bytes[0] !== MINUS || bytes.at(-1) !== LF) return false;
  for (let start = 0; start < bytes.length; start = bytes.indexOf(LF, start) + 1)
    if (!BEFORE_DATA.some((begin) => bytes.subarray(start, start + begin.length).equals(begin))) return false;
  return true;
}

/**
 * True when the bytes are one refusal in the engine's own words, or the answer of an engine that runs a script, and nothing else: what a script
 * adds to such words may be data.
 */
export function isWholeRefusal(bytes: Buffer): boolean {
  return WHOLE.test(bytes.toString("latin1"));
}

const MINUS = 45;
const ASTERISK = 42;
const LF = 10;

/** Redis 7.0 to 8.0 and Valkey 8.0 to 8.1; inside a script the text goes on with the place in the script. */
const TEXTS = [
  "READONLY You can't write against a read only replica.",
  "READONLY Can not run script with write flag on readonly replica",
  "LOADING Redis is loading the dataset in memory",
  "LOADING Valkey is loading the dataset in memory",
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  "MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and 'allow-stale' flag",
];
const REFUSALS = TEXTS.map((text) => Buffer.from(`-${text}`));
const INSIDE = Buffer.from("\n-");
const REFUSALS_INSIDE = TEXTS.map((text) => Buffer.from(`\n-${text}`));
/** How errors begin that say nothing of data. */
const BEFORE_DATA = [
  "LOADING ",
  "READONLY ",
  "MASTERDOWN ",
  "BUSY ",
  "MISCONF ",
  "NOREPLICAS ",
  "OOM ",
  "EXECABORT ",
  "UNBLOCKED ",
  "NOAUTH ",
  "NOPERM ",
  "WRONGPASS ",
  "NOSCRIPT ",
  "ERR wrong number of arguments",
  "ERR unknown ",
  "ERR syntax error",
].map((text) => Buffer.from(`-${text}`));
const REFUSED_EXECS = TEXTS.map((text) => Buffer.from(`-EXECABORT Transaction discarded because of: ${text}`));
const BUSY_TEXTS = ["BUSY Redis is busy running a script.", "BUSY Valkey is busy running a script."];
const KILLS = " You can only call (?:SCRIPT KILL|FUNCTION KILL) or SHUTDOWN NOSAVE.";
/** In a script the engine adds which one it was, and where. */
const PLACE = "(?: script: \\w{1,64}, on @\\w+:\\d+\\.)?";
const WHOLE = new RegExp(
  `^-(?:(?:${TEXTS.map(literally).join("|")})\\.?${PLACE}|(?:${BUSY_TEXTS.map(literally).join("|")})${KILLS})\r\n$`,
);
const BUSY = BUSY_TEXTS.map((text) => Buffer.from(`-${text}`));
const BUSY_EXECS = BUSY_TEXTS.map((text) => Buffer.from(`-EXECABORT Transaction discarded because of: ${text}`));
const UNBLOCKED_BY_DEMOTION = Buffer.from(
  "-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)\r\n",
);
const UNBLOCKED_BY_COMMAND = Buffer.from("-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n");

function literally(text: string): string {
  return text.replaceAll(/[.?'()]/g, "\\$&");
}
