import { Fault, messageOf } from "#kit/base/fault";
import { visibleText } from "#kit/base/visible";

/** Ends the process with what went wrong in words: code, sentence, remedy; never a stack trace. */
export function reportAndExit(error: unknown): never {
  return exitWith(error, error instanceof Fault ? error.remedy : "");
}

/** Reports the error of a command that a person runs, with the remedy for people, and exits. */
export function reportToPersonAndExit(error: unknown): never {
  return exitWith(error, error instanceof Fault ? error.forPeople : "");
}

function exitWith(error: unknown, remedy: string): never {
  const text =
    error instanceof Fault ? `${error.code}: ${error.message}\n  remedy: ${remedy}\n` : `${messageOf(error)}\n`;
  process.stderr.write(visibleText(text));
  process.exit(error instanceof Fault && error.code.endsWith("_USAGE") ? 2 : 1);
}
