import { Command, CommanderError } from "commander";
import { Fault } from "../base/fault.ts";
import { faults } from "./faults.ts";
import { localCommand } from "./local/command.ts";
import type { CliContext } from "./local/command.ts";

/** Runs one storectl command; CLI_USAGE for words that it does not know. */
export async function runStorectl(args: readonly string[], context: CliContext): Promise<void> {
  const program = new Command("storectl")
    .description("works with Store Enterprise for Kubernetes from the user's machine")
    .addCommand(localCommand(context));
  for (const command of everyCommand(program)) {
    // what commander would print and exit with, we throw, so that one place reports it
    command.exitOverride().configureOutput({ writeOut: context.print, writeErr: () => undefined });
  }
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    throw new Fault(faults.usage, wordsOf(error, program), {}, error);
  }
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function wordsOf({ code, message }: CommanderError, program: Command): string {
  if (code === "commander.help") return `a command is missing\n${program.helpInformation()}`;
  return message.replace(/^error: /, "");
}
