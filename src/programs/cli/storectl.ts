import { Command, CommanderError } from "commander";
import { Fault, isFault, messageOf } from "#kit/base/fault";
import { visibleText } from "#kit/base/visible";
import { COMMANDS } from "./commands.ts";
import { faults } from "./faults.ts";
import { requireNothingEmpty } from "./console/nothing-empty.ts";
import { wrongOptions } from "./console/wrong-options.ts";
import { EXIT, type Asking, type CliContext, type ExitCode } from "./console/context.ts";
import { namespaceOptionsLast } from "./access/options-last.ts";
import { CLEAR } from "./upgrade/progress.ts";

const ENDS_WITH = `
Begin with \`preflight\` and \`plan --to <release>\`: they touch nothing. When something waits: \`why\`, then \`recover\`.

Exit codes: ${EXIT.ok} nothing is wrong, ${EXIT.failed} no answer (the message says why), ${EXIT.usage} not understood,
            ${EXIT.found} something blocks, ${EXIT.unknown} a part could not be read
`;

/** Runs one storectl command and answers what it ends with; CLI_USAGE for words that it does not know. */
export async function runStorectl(args: readonly string[], given: CliContext): Promise<ExitCode> {
  const context = { ...given, print: (text: string) => given.print(visibleOutput(text)) };
  let code: ExitCode = EXIT.ok;
  const asking: Asking = {
    ...context,
    end: (next) => {
      code = next;
    },
  };
  const program = new Command(context.name ?? "storectl").description(
    "works with Store Enterprise for Kubernetes from the user's machine",
  );
  program.addHelpText("after", ENDS_WITH);
  for (const make of COMMANDS) program.addCommand(make(asking));
  program.hook("preAction", (_, command) => {
    requireNothingEmpty(command);
  });
  for (const command of everyCommand(program)) {
    // what commander would print and exit with, we throw, so that one place reports it
    command.exitOverride().configureOutput({ writeOut: context.print, writeErr: () => undefined });
  }
  try {
    await program.parseAsync(namespaceOptionsLast(args), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    const message = error instanceof CommanderError ? wordsOf(error, program, args) : messageOf(error);
    if (!(error instanceof CommanderError || isFault(error, faults.usage))) throw error;
    const remedy = `Read \`${commandOf(args, program).said.join(" ")} --help\`.`;
    throw new Fault({ ...faults.usage, remedy }, message, {}, error);
  }
  return code;
}

/** Text of others reaches the terminal as text; a line of progress begins by taking the former one away. */
function visibleOutput(text: string): string {
  return text.startsWith(CLEAR) ? `${CLEAR}${visibleText(text.slice(CLEAR.length))}` : visibleText(text);
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function wordsOf({ code, message }: CommanderError, program: Command, args: readonly string[]): string {
  const { command, said: typed } = commandOf(args, program);
  if (ABOUT_OPTIONS.includes(code)) {
    const all = wrongOptions(command, typed.join(" "), args.slice(typed.length - 1));
    if (all !== "") return all;
  }
  if (code === "commander.help") return `a command is missing; there are: ${wordsAfter(args, program).join(", ")}`;
  const [first = "", hint = ""] = message.replace(/^error: /, "").split("\n");
  const said = hint === "" ? first : `${first} ${hint.replace("(Did", "(did")}`;
  return code === "commander.unknownCommand" ? `${said}; there are: ${wordsAfter(args, program).join(", ")}` : said;
}

const ABOUT_OPTIONS = ["commander.unknownOption", "commander.missingMandatoryOptionValue"];

/** The commands that may stand where `args` ends or stops making sense. */
function wordsAfter(args: readonly string[], program: Command): string[] {
  const { command, said } = commandOf(args, program);
  return command.commands.map((each) => [...said, each.name()].join(" "));
}

/** The command that was typed, and its words. */
function commandOf(args: readonly string[], program: Command): { readonly command: Command; readonly said: string[] } {
  return args.reduce(
    (at, word) => {
      const next = at.command.commands.find((each) => each.name() === word);
      return next === undefined ? at : { command: next, said: [...at.said, word] };
    },
    { command: program, said: [program.name()] },
  );
}
