import type { Command } from "commander";
import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";

/** Refuses an argument or the value of an option that was typed and is empty, as an unset variable of a shell is: CLI_USAGE. */
export function requireNothingEmpty(command: Command): void {
  const values: Readonly<Record<string, unknown>> = command.opts();
  const options = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .filter((option) => isEmpty(values[option.attributeName()]))
    .map(({ flags }) => `option '${flags}'`);
  const names = command.processedArgs.flatMap((value: unknown, i) =>
    isEmpty(value) ? [`argument '${command.registeredArguments[i]?.name() ?? ""}'`] : [],
  );
  const [first] = [...options, ...names];
  if (first !== undefined) throw new Fault(faults.usage, `${first} is empty`, {});
}

function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.includes(""));
}
