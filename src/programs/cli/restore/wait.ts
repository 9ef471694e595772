import { Fault } from "#kit/base/fault";
import { Restores } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import type { Asking } from "../console/context.ts";
import { faults } from "../faults.ts";
import { restoreText, type RestoreObject } from "./report.ts";

/**
 * Waits until a restore has come to its end, and says each change; CLI_RESTORE_LEFT when the user has had enough. A look without an answer ends no wait,
 * unless there is none for a minute.
 */
export async function waitForRestore(
  { kube, namespace, clock }: Pick<NamespaceAccess, "kube" | "namespace" | "clock">,
  context: Pick<Asking, "print" | "interrupt">,
  name: string,
): Promise<RestoreObject> {
  const signal = context.interrupt?.() ?? new AbortController().signal;
  let answeredAt = clock.uptimeMs();
  for (let said = ""; ;) {
    const restore = await kube.get(Restores, { name, namespace }).catch((error: unknown) => {
      const mayPass = error instanceof Fault && error.retry === "backoff";
      if (mayPass && clock.uptimeMs() - answeredAt < SILENCE_MS) return "silent" as const;
      throw error;
    });
    if (restore === undefined) throw new Fault(faults.restoreLeft, `the restore ${name} was deleted`);
    if (restore !== "silent") {
      answeredAt = clock.uptimeMs();
      const now = restoreText(restore);
      if (now !== said) context.print(`${now}\n`);
      said = now;
      if (isEnded(restore)) return restore;
    }
    await clock.sleep(LOOK_EVERY_MS, signal).catch((error: unknown) => {
      throw new Fault(faults.restoreLeft, `stopped looking at the restore ${name}`, {}, error);
    });
  }
}

function isEnded({ status }: RestoreObject): boolean {
  return status?.phase === "Completed" || status?.phase === "Failed" || status?.phase === "Planned";
}

const LOOK_EVERY_MS = 1_000;
const SILENCE_MS = 60_000;
