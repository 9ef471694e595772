import type { Command } from "commander";
import { activeActiveCommand } from "./active-active/command.ts";
import { backupCommand } from "./backup/command.ts";
import { bundleCommand } from "./bundle/command.ts";
import { completionCommand } from "./completion/command.ts";
import { databasesCommand } from "./databases/command.ts";
import { licenseCommand } from "./license/command.ts";
import { localCommand } from "./local/command.ts";
import { migrateCommand } from "./migrate/command.ts";
import { modulesCommand } from "./modules/command.ts";
import { nodesCommand } from "./nodes/command.ts";
import { planCommand } from "./plan/command.ts";
import { preflightCommand } from "./preflight/command.ts";
import { roleCommand } from "./role/command.ts";
import { recoverCommand } from "./recover/command.ts";
import { restoreCommand } from "./restore/command.ts";
import { reshapeCommand } from "./databases/reshape-command.ts";
import { shardsCommand } from "./databases/shards-command.ts";
import { statusCommand } from "./status/command.ts";
import { supportBundleCommand } from "./support/command.ts";
import { upgradeCommand } from "./upgrade/command.ts";
import { whyCommand } from "./why/command.ts";
import type { Asking } from "./console/context.ts";

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly ((context: Asking) => Command)[] = [
  preflightCommand,
  planCommand,
  upgradeCommand,
  statusCommand,
  whyCommand,
  recoverCommand,
  nodesCommand,
  databasesCommand,
  shardsCommand,
  reshapeCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  activeActiveCommand,
  modulesCommand,
  bundleCommand,
  roleCommand,
  supportBundleCommand,
  licenseCommand,
  localCommand,
  completionCommand,
];
