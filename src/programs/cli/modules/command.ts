import { Command } from "commander";
import type { Asking } from "../console/context.ts";
import { askCluster } from "../access/management.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { moduleOf } from "./choice.ts";
import { modulesReport, modulesTable } from "./report.ts";
import { readArchive, uploadToNodes } from "./upload.ts";

interface ClusterOption extends NamespaceOptions {
  readonly cluster?: string;
}

/** `storectl modules`: what is installed, and the way in and out (§4.2). */
export function modulesCommand(context: Asking): Command {
  const modules = new Command("modules").description("modules of a cluster: list, upload, delete");
  modules.addCommand(listCommand(context)).addCommand(uploadCommand(context)).addCommand(deleteCommand(context));
  return modules;
}

function listCommand(context: Asking): Command {
  const command = new Command("list")
    .description("list the installed modules and the databases that use them")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .addOption(outputOption())
    .action(async (cluster: string | undefined, options: NamespaceOptions & OutputOption) => {
      const report = await withAccess(options, context, async (access) => {
        const { client } = await askCluster(access, cluster);
        const [modules, bdbs] = await Promise.all([client.call("modules"), client.call("bdbs")]);
        return modulesReport(modules, bdbs);
      });
      context.print(renderAnswer(options.output, report, (columns) => modulesTable(report, columns), context));
    });
  return withNamespaceOptions(command);
}

function uploadCommand(context: Asking): Command {
  const command = new Command("upload")
    .description("install a module on every node, also while an upgrade is frozen; the archive is checked first")
    .argument("<file>", "the archive: module.json and the shared object in a zip file")
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .action(async (file: string, options: ClusterOption) => {
      const { archive, title } = await readArchive(file);
      await withAccess(options, context, async (access) => {
        const { client, name } = await askCluster(access, options.cluster);
        context.print(`Uploading ${title} to ${name}\n`);
        const uid = await uploadToNodes(client, archive, context.clock);
        context.print(`Every node has it: ${uid}\n`);
      });
    });
  return withNamespaceOptions(command);
}

function deleteCommand(context: Asking): Command {
  const command = new Command("delete")
    .description("remove an installed module that no database uses")
    .argument("<module>", "its uid, or its name where there is one build only")
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .action(async (wanted: string, options: ClusterOption) => {
      await withAccess(options, context, async (access) => {
        const { client, name } = await askCluster(access, options.cluster);
        const { uid } = moduleOf(await client.call("modules"), wanted);
        const gone = await client.call("deleteModule", { params: { uid } });
        context.print(`Removed ${gone.module_name} ${gone.semantic_version} from ${name}\n`);
      });
    });
  return withNamespaceOptions(command);
}
