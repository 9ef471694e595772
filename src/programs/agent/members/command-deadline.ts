import { CLIENTS_ANSWER_MS } from "../../../ports/management/clients-question.ts";
import { PREPARING_MS } from "../../../ports/management/preparing.ts";
import type { ProxyCommand } from "../../../ports/management/proxy-control.ts";
import { SCRIPTS_ANSWER_MS } from "../../../ports/management/scripts-question.ts";

/** A command may take the time that it allows, and its answer a little more. A client waits for no node that is silent. */
export function deadlineMs(command: ProxyCommand): number {
  if (command.op === "clients") return CLIENTS_ANSWER_MS;
  return command.op === "scripts" ? SCRIPTS_ANSWER_MS : allowedMs(command) + 3_000;
}

function allowedMs(command: ProxyCommand): number {
  switch (command.op) {
    case "drain":
      return command.deadlineMs;
    case "hold":
    case "hold-table":
      return command.drainMs;
    case "prepare":
    case "prepare-table":
      return PREPARING_MS;
    case "quiet":
    case "passwords":
      return command.withinMs;
    default:
      return 0;
  }
}
