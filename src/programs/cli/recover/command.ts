import { Command, InvalidArgumentError } from "commander";
import { EXIT, type Asking } from "../console/context.ts";
import { outputOption, type OutputOption } from "../console/output.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { readSupplies } from "./supplies.ts";
import { recover } from "./recover.ts";

interface RecoverOptions extends NamespaceOptions, OutputOption {
  readonly license?: string;
  readonly module?: readonly string[];
  readonly moduleUrl?: Readonly<Record<string, string>>;
  readonly moduleSecret?: string;
  readonly keepDigests?: boolean;
  readonly yes?: boolean;
}

/** `storectl recover`: finds out what an upgrade is frozen for, proposes the documented recovery, and does it once agreed. */
export function recoverCommand(context: Asking): Command {
  const command = new Command("recover")
    .description("find out what a frozen upgrade waits for, propose the recovery and, once agreed, do it")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .option("--license <file>", "licence to install, where the one in force is not valid")
    .option("--module <file>", "archive with a build that is missing; may be given several times", addFile)
    .option(
      "--module-url <name=url>",
      "where a user-defined module is fetched; may be given several times",
      addModuleUrl,
    )
    .option("--module-secret <name>", "secret with the credentials for --module-url")
    .option("--keep-digests", "keep images pinned: turn automatic upgrade off instead of removing digests")
    .option("--yes", "agree to every recovery beforehand")
    .addOption(outputOption())
    .action(async (cluster: string | undefined, options: RecoverOptions) => {
      const supplies = await readSupplies(options);
      const talk = { ...context, agreed: options.yes === true, signal: context.interrupt?.() };
      context.end(
        await withAccess(options, context, (access) =>
          recover(access, { cluster, supplies, form: options.output }, talk),
        ),
      );
    })
    .addHelpText(
      "after",
      `\nEnds with ${EXIT.ok} when nothing blocks any more, with ${EXIT.found} while something does.\n`,
    );
  return withNamespaceOptions(command);
}

function addFile(file: string, files: readonly string[] = []): readonly string[] {
  return [...files, file];
}

function addModuleUrl(text: string, urls: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf("=");
  const url = text.slice(at + 1);
  if (at < 1 || !URL.canParse(url) || new URL(url).protocol !== "https:")
    throw new InvalidArgumentError("it must be the name of the module, = and an address that begins with https://");
  return { ...urls, [text.slice(0, at)]: url };
}
