import { Command } from "commander";
import { STORE_VERSIONS } from "../../../core/api/records.ts";
import type { Asking } from "../console/context.ts";
import { minor, storeVersion } from "../plan/arguments.ts";
import { namedRelease } from "../access/named-release.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { upgrade } from "./upgrade.ts";
import type { UpgradeOptions } from "./talk.ts";

/** `storectl upgrade`: walks the plan, asking before irreversible steps; running it again continues from the current state. */
export function upgradeCommand(context: Asking): Command {
  const command = new Command("upgrade")
    .description("walk the plan to a release, step by step; run it again to go on")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .requiredOption("--to <release>", "operator version to arrive at")
    .option("--kubernetes <minor>", "bring Kubernetes to this minor too: the command says when it is its turn", minor)
    .option("--databases <version>", `bring databases to this version too: ${STORE_VERSIONS.join(", ")}`, storeVersion)
    .option("--bundle <file>", "bundle to apply for the operator (default: the one of the release)")
    .option("--yes", "agree to every step beforehand")
    .action(
      async (
        cluster: string | undefined,
        { yes, to, ...given }: NamespaceOptions & UpgradeOptions & { yes?: boolean },
      ) => {
        const options = { ...given, to: namedRelease(to).operator, cluster };
        context.end(
          await withAccess(options, context, (access) =>
            upgrade(access, options, { ...context, agreed: yes === true, signal: context.interrupt?.() }),
          ),
        );
      },
    );
  return withNamespaceOptions(command);
}
