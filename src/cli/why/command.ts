import { Argument, Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { Events } from "../../kube/builtin.ts";
import { EXIT, type Asking } from "../context.ts";
import { faults } from "../faults.ts";
import { lookAtCluster, type Look } from "../look.ts";
import { outputOption, rendered, type OutputOption } from "../output.ts";
import { atSite, withSiteOptions, type Site, type SiteOptions } from "../site.ts";
import { answersFor, type Said } from "./answers.ts";
import { whyReport, whyTable, type WhyReport } from "./report.ts";

const KINDS = ["rec", "redb"] as const;

/** `storectl why`: what stands in the way, since when, and the command that clears it. */
export function whyCommand(context: Asking): Command {
  const command = new Command("why")
    .description("say what stands in the way, since when, and the command that clears it")
    .addArgument(new Argument("[kind]", "only this kind").choices(KINDS))
    .argument("[name]", "only the object of this name")
    .addOption(outputOption())
    .action(
      async (
        kind: (typeof KINDS)[number] | undefined,
        name: string | undefined,
        options: SiteOptions & OutputOption,
      ) => {
        const report = await atSite(options, context, (site) => ask(site, kind, name));
        context.print(rendered(options.output, report, () => whyTable(report)));
        context.end(report.answers.length === 0 ? EXIT.ok : EXIT.found);
      },
    );
  return withSiteOptions(command);
}

async function ask(site: Site, kind: (typeof KINDS)[number] | undefined, name: string | undefined): Promise<WhyReport> {
  const look = await lookAtCluster(site, kind === "rec" ? name : undefined);
  const { rec, view } = look.observation;
  const databases = kind === "rec" ? [] : chosenDatabases(look, name);
  const answers = answersFor({
    cluster: kind === "redb" ? undefined : { rec, view, around: look.around },
    databases,
    events: await warningsOf(site),
  });
  return whyReport(look, databases, answers);
}

function chosenDatabases({ databases, observation }: Look, name: string | undefined): Look["databases"] {
  if (name === undefined) return databases;
  const found = databases.filter(({ metadata }) => metadata.name === name);
  if (found.length > 0) return found;
  const names = databases.map(({ metadata }) => metadata.name).join(", ");
  throw new Fault(
    faults.noDatabase,
    `${observation.view.name} has no StoreEnterpriseDatabase "${name}"; there are: ${names || "none"}`,
  );
}

/** Warnings that the API still has, the newest first. */
async function warningsOf({ kube, namespace }: Site): Promise<readonly Said[]> {
  const { items } = await kube.list(Events, { namespace, fieldSelector: "type=Warning" });
  return items
    .map(({ involvedObject, reason = "", message = "", firstTimestamp, lastTimestamp, eventTime }) => ({
      kind: involvedObject.kind ?? "",
      name: involvedObject.name ?? "",
      reason,
      message,
      since: firstTimestamp ?? eventTime ?? "",
      last: lastTimestamp ?? eventTime ?? "",
    }))
    .toSorted((a, b) => b.last.localeCompare(a.last));
}
