import { Command } from "commander";
import type { Asking } from "../console/context.ts";
import { addSiteCommand, createCommand, removeSiteCommand, updateCommand } from "./change-commands.ts";
import { compareCommand, healthCommand, listCommand, showCommand, tasksCommand } from "./read-commands.ts";

/** `storectl active-active`: the Active-Active databases that a cluster takes part in, their sites, and how they replicate. */
export function activeActiveCommand(context: Asking): Command {
  const group = new Command("active-active").description(
    "Active-Active databases: their sites, and how they replicate",
  );
  const commands = [listCommand, showCommand, healthCommand, compareCommand, tasksCommand, createCommand];
  for (const make of [...commands, addSiteCommand, removeSiteCommand, updateCommand]) group.addCommand(make(context));
  return group;
}
