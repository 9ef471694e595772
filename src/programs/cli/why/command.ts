import { Argument, Command, InvalidArgumentError } from "commander";
import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { EXIT, type Asking, type ExitCode } from "../console/context.ts";
import { type Look, lookAtCluster } from "../access/look.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { whyOf } from "./ask.ts";
import { whyTable, type WhyReport } from "./report.ts";

const KINDS = ["rec", "redb"] as const;

/** What the user asks about; `name` where it was written behind the kind, as in `rec/orders`, or without a kind. */
interface Subject {
  readonly kind: (typeof KINDS)[number] | undefined;
  readonly name: string | undefined;
}

/** `storectl why`: what stands in the way, since when, and the command that clears it. */
export function whyCommand(context: Asking): Command {
  const command = new Command("why")
    .description("say what blocks, since when, and the command that clears it")
    .addArgument(
      new Argument("[kind]", "only this kind; kind/name or name: only this object")
        .choices(KINDS)
        .argParser(readSubject),
    )
    .argument("[name]", "only the object of this name")
    .addOption(outputOption())
    .action(
      async (subject: Subject | undefined, named: string | undefined, options: NamespaceOptions & OutputOption) => {
        const { kind, name = named } = subject ?? { kind: undefined };
        if (kind === undefined && named !== undefined)
          throw new Fault(
            faults.usage,
            `"${name ?? ""}" is no kind, for instance: storectl why redb ${named}; kinds are ${KINDS.join(", ")}`,
          );
        const report = await withAccess(options, context, async (access) => {
          const look = await lookAtCluster(access, kind === "rec" ? name : undefined);
          return whyOf(access, look, kind ?? kindNamed(look, name), name);
        });
        context.print(renderAnswer(options.output, report, (columns) => whyTable(report, columns), context));
        context.end(exitOf(report));
      },
    );
  return withNamespaceOptions(command);
}

/** As `storectl` prints objects, and kubectl takes them. */
function readSubject(text: string): Subject {
  const [word = "", ...rest] = text.split("/");
  const kind = KINDS.find((one) => one === word);
  if (kind === undefined && rest.length === 0 && word !== "") return { kind, name: word };
  if (kind === undefined || rest.length > 1 || rest[0] === "")
    throw new InvalidArgumentError(`Allowed choices are ${KINDS.join(", ")}, and <kind>/<name>.`);
  return { kind, name: rest[0] };
}

/** What has a name that was written without a kind: the cluster, or else a database. */
function kindNamed({ observation }: Look, name: string | undefined): Subject["kind"] {
  if (name === undefined) return undefined;
  return name === observation.view.name ? "rec" : "redb";
}

/** Warnings alone are no reason to fail; what could not be looked at is. */
function exitOf({ answers }: WhyReport): ExitCode {
  if (answers.some(({ level }) => level === "blocks")) return EXIT.found;
  return answers.some(({ level }) => level === "unknown") ? EXIT.unknown : EXIT.ok;
}
