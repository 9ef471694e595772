import { Command, Option } from "commander";
import type { Asking } from "../console/context.ts";
import { EXIT } from "../console/context.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { askForBackup, type BackupPlaceOptions } from "./ask.ts";
import { allSchedules, backupsOf, findBackup } from "./find.ts";
import { backupDetails, backupsTable, isGood } from "./report.ts";
import { chosenSchedules, isFollowed, noSchedulesText, schedulesTable } from "./schedules.ts";
import { askToVerify } from "./verify.ts";
import { waitForBackup } from "./wait.ts";

interface NowOptions extends NamespaceOptions, BackupPlaceOptions {
  readonly wait: boolean;
}

/** `storectl backup`: backups of databases in object stores, as their objects say them. */
export function backupCommand(context: Asking): Command {
  const backup = new Command("backup").description("backups of databases: now, list, show, verify, schedules");
  backup.addCommand(nowCommand(context)).addCommand(listCommand(context));
  backup.addCommand(showCommand(context)).addCommand(verifyCommand(context));
  backup.addCommand(schedulesCommand(context));
  return backup;
}

function nowCommand(context: Asking): Command {
  const command = new Command("now")
    .description("take a backup of a database now: into the place of its last one, or into the bucket that is named")
    .argument("<database>", "the database")
    .option("--name <name>", "the name of the backup (default: the database and the time)")
    .option("--bucket <name>", "the bucket (default: all as of the last backup of the database)")
    .option("--secret <name>", "the Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    .option("--ca-secret <name>", "the Secret whose ca.crt signed the certificate of the object store")
    .option("--encryption-secret <name>", "the Secret with key-1 and so on, of which the newest one encrypts it")
    .option("--endpoint <url>", "the object store, where it is not AWS")
    .option("--region <name>", "the region of the bucket")
    .option("--subdir <folder>", "the folder of the bucket")
    .option("--path-style", "the bucket stands in the path, as most object stores beside AWS want")
    .addOption(new Option("--no-wait", "do not wait until it is complete and was loaded"))
    .action(async (database: string, options: NowOptions) => {
      await withAccess(options, context, async (access) => {
        const name = await askForBackup(access, database, options);
        context.print(`Asked for the backup ${name}\n`);
        if (!options.wait) return context.end(EXIT.ok);
        const ended = await waitForBackup(access, context, name);
        return context.end(isGood(ended) ? EXIT.ok : EXIT.found);
      });
    });
  return withNamespaceOptions(command);
}

function listCommand(context: Asking): Command {
  const command = new Command("list")
    .description("list the backups of a namespace, the newest one last")
    .argument("[database]", "only those of this database")
    .addOption(outputOption())
    .action(async (database: string | undefined, options: NamespaceOptions & OutputOption) => {
      const backups = await withAccess(options, context, (access) => backupsOf(access, database));
      context.print(renderAnswer(options.output, backups, (columns) => backupsTable(backups, columns), context));
      context.end(backups.every(isGood) ? EXIT.ok : EXIT.found);
    });
  return withNamespaceOptions(command);
}

function schedulesCommand(context: Asking): Command {
  const command = new Command("schedules")
    .description(
      "list the schedules of backups: when the last one was taken, which can be restored, when the next one is due",
    )
    .argument("[name]", "only this schedule, or those of the database of this name")
    .addOption(outputOption())
    .action(async (name: string | undefined, options: NamespaceOptions & OutputOption) => {
      const all = await withAccess(options, context, allSchedules);
      const schedules = chosenSchedules(all, name);
      const table = (columns: number): string =>
        schedules.length === 0 ? noSchedulesText(all, name) : schedulesTable(schedules, columns);
      context.print(renderAnswer(options.output, schedules, table, context));
      context.end(schedules.every(isFollowed) ? EXIT.ok : EXIT.found);
    });
  return withNamespaceOptions(command);
}

function showCommand(context: Asking): Command {
  const command = new Command("show")
    .description("show a backup: where it lies, what is in it, and what came of it")
    .argument("<backup>", "its name")
    .addOption(outputOption())
    .action(async (name: string, options: NamespaceOptions & OutputOption) => {
      const backup = await withAccess(options, context, (access) => findBackup(access, name));
      context.print(renderAnswer(options.output, backup, (columns) => backupDetails(backup, columns), context));
      context.end(isGood(backup) ? EXIT.ok : EXIT.found);
    });
  return withNamespaceOptions(command);
}

function verifyCommand(context: Asking): Command {
  const command = new Command("verify")
    .description("let an engine without clients load a backup, also one that was loaded before")
    .argument("<backup>", "its name")
    .addOption(new Option("--no-wait", "do not wait until it was loaded"))
    .action(async (name: string, options: NamespaceOptions & { readonly wait: boolean }) => {
      await withAccess(options, context, async (access) => {
        await askToVerify(access, name);
        if (!options.wait) return context.end(EXIT.ok);
        const ended = await waitForBackup(access, context, name);
        return context.end(isGood(ended) ? EXIT.ok : EXIT.found);
      });
    });
  return withNamespaceOptions(command);
}
