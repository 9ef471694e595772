import { Command } from "commander";
import { Fault, isFault } from "#kit/base/fault";
import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import { liveRecord } from "../../../core/planner/active-active/record.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import type { LinkHealth } from "../../../ports/management/records.ts";
import { EXIT, type Asking } from "../console/context.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { faults } from "../faults.ts";
import { askCluster } from "../access/management.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { compareText, healthText, listText, recordText, tasksText, whyNotCompared } from "./report.ts";

interface ReadOptions extends NamespaceOptions, OutputOption {
  readonly cluster?: string;
}

/** `storectl active-active list`. */
export function listCommand(context: Asking): Command {
  const command = new Command("list")
    .description("list the Active-Active databases that a cluster takes part in")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .addOption(outputOption())
    .action(async (cluster: string | undefined, options: NamespaceOptions & OutputOption) => {
      const rows = await withAccess(options, context, async (access) => {
        const { client } = await askCluster(access, cluster);
        const records = (await client.call("crdbs")).filter(({ deleted }) => deleted !== true);
        return Promise.all(
          records.map(async (record) => ({ ...record, replication: await stateOf(client, record.guid) })),
        );
      });
      context.print(renderAnswer(options.output, rows, (columns) => listText(rows, columns), context));
      const states = rows.map(({ replication }) => replication);
      context.end(states.includes("down") ? EXIT.found : states.includes("unknown") ? EXIT.unknown : EXIT.ok);
    });
  return withNamespaceOptions(command);
}

/** Nodes of releases before 0.4.0 have records and no links. */
async function stateOf(client: ManagementClient, guid: string): Promise<LinkHealth["state"] | "unknown"> {
  try {
    return (await client.call("crdbHealth", { params: { guid } })).state;
  } catch (error) {
    if (isFault(error, managementFaults.notFound)) return "unknown";
    throw error;
  }
}

/** `storectl active-active show`. */
export function showCommand(context: Asking): Command {
  return ofDatabase("show", "show what the sites of an Active-Active database agree on").action(
    async (name: string, options: ReadOptions) => {
      const record = await atDatabase(options, context, name, (_client, found) => Promise.resolve(found));
      context.print(renderAnswer(options.output, record, (columns) => recordText(record, columns), context));
    },
  );
}

/** `storectl active-active health`: ends with 3 when the link with a site is down, or nothing is captured here. */
export function healthCommand(context: Asking): Command {
  return ofDatabase("health", "show whether the writes of each other site arrive, since when, and why not").action(
    async (name: string, options: ReadOptions) => {
      const health = await atDatabase(options, context, name, (client, { guid }) =>
        client.call("crdbHealth", { params: { guid } }),
      );
      context.print(renderAnswer(options.output, health, (columns) => healthText(name, health, columns), context));
      context.end(health.state === "down" ? EXIT.found : EXIT.ok);
    },
  );
}

/** `storectl active-active compare`: ends with 3 when keys differ, and with 4 where they are not compared. */
export function compareCommand(context: Asking): Command {
  return ofDatabase("compare", "show whether all keys are the same at each other site, and which differ").action(
    async (name: string, options: ReadOptions) => {
      const health = await atDatabase(options, context, name, (client, { guid }) =>
        client.call("crdbHealth", { params: { guid } }),
      );
      const { sites } = health;
      context.print(renderAnswer(options.output, sites, (columns) => compareText(health, columns), context));
      const differs = sites.some(({ agreement }) => (agreement?.differing ?? 0) > 0);
      const isKnown = sites.every(({ state, cause, agreement }) => whyNotCompared(state, cause, agreement) === "");
      context.end(differs ? EXIT.found : isKnown ? EXIT.ok : EXIT.unknown);
    },
  );
}

/** `storectl active-active tasks`: ends with 3 while this participant has not done all that the sites have agreed on. */
export function tasksCommand(context: Asking): Command {
  return ofDatabase("tasks", "show how far this site is with what the sites have agreed on, a deletion too").action(
    async (name: string, options: ReadOptions) => {
      const tasks = await withAccess(options, context, async (access) => {
        const { client } = await askCluster(access, options.cluster);
        const [records, all] = [await client.call("crdbs"), await client.call("crdbTasks")];
        const known = records.filter((record) => record.name === name).map(({ guid }) => guid);
        if (known.length === 0) throw noSuch(name, records);
        return all.filter(({ crdb_guid }) => known.includes(crdb_guid));
      });
      context.print(renderAnswer(options.output, tasks, (columns) => tasksText(tasks, columns), context));
      context.end(tasks.every(({ status }) => status === "finished") ? EXIT.ok : EXIT.found);
    },
  );
}

function ofDatabase(name: string, description: string): Command {
  const command = new Command(name)
    .description(description)
    .argument("<database>", "name of the Active-Active database")
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .addOption(outputOption());
  return withNamespaceOptions(command);
}

async function atDatabase<T>(
  options: ReadOptions,
  context: Asking,
  name: string,
  ask: (client: ManagementClient, record: ActiveActiveRecord) => Promise<T>,
): Promise<T> {
  return withAccess(options, context, async (access) => {
    const { client } = await askCluster(access, options.cluster);
    const records = await client.call("crdbs");
    const record = liveRecord(records, name);
    if (record !== undefined) return ask(client, record);
    throw noSuch(name, records);
  });
}

function noSuch(name: string, records: readonly ActiveActiveRecord[]): Fault {
  const names = records.filter(({ deleted }) => deleted !== true).map((one) => one.name);
  const there = names.join(", ") || "none";
  return new Fault(
    faults.noActiveActive,
    `the cluster takes part in no Active-Active database "${name}"; there are: ${there}`,
  );
}
