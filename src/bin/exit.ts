import { Fault, messageOf } from "../core/base/fault.ts";
import { visibleText } from "../core/base/visible.ts";

/** Ends the process with what went wrong in words: code, sentence, remedy; never a stack trace. */
export function reportAndExit(error: unknown): never {
  const text =
    error instanceof Fault ? `${error.code}: ${error.message}\n  remedy: ${error.remedy}\n` : `${messageOf(error)}\n`;
  process.stderr.write(visibleText(text));
  process.exit(error instanceof Fault && error.code.endsWith("_USAGE") ? 2 : 1);
}
