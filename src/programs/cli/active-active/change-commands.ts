import { Command } from "commander";
import { siteOfText, withoutSite, withSite, type WrittenSpec } from "../../../core/planner/active-active/edits.ts";
import { withField } from "../../../core/planner/active-active/edit-fields.ts";
import { Fault } from "#kit/base/fault";
import type { ActiveActiveParticipant } from "../../../core/api/records.ts";
import { ActiveActiveDatabases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { readNamespaceObjects } from "../../../mechanisms/observe/kubernetes/references.ts";
import type { Asking } from "../console/context.ts";
import { faults } from "../faults.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { ownRight } from "../access/look-rights.ts";
import { changeActiveActive } from "./change.ts";
import { requireChange } from "./rights.ts";
import { sitesAsLinked } from "./linked-sites.ts";
import { acceptable, requireAccepted, ownSite } from "./acceptable.ts";

/** `storectl active-active create`. */
export function createCommand(context: Asking): Command {
  const command = new Command("create")
    .description("make an Active-Active database; the other sites follow by themselves")
    .argument("<database>", "name of the database")
    .argument("[fields...]", "fields of its global configuration, for instance memorySize=1GB replication=true")
    .requiredOption(
      "--sites <sites>",
      "its sites with commas between them: each a StoreEnterpriseRemoteCluster, :<port> after it where links dial another port than 9444, /<shards> where it has fewer than the others",
    )
    .action(async (name: string, fields: string[], options: NamespaceOptions & { sites: string }) => {
      await withAccess(options, context, async (access) => {
        const { kube, namespace } = access;
        await requireChange(access, ownRight("create", "activeActive", undefined, namespace));
        const objects = await readNamespaceObjects(kube, namespace);
        const none: WrittenSpec = { participatingClusters: [] };
        const withSites = options.sites
          .split(",")
          .reduce((spec, text) => requireAccepted(withSite(spec, siteNamed(text))), none);
        const spec = acceptable(
          objects,
          { name, namespace, spec: withFields(withSites, fields), before: undefined },
          context,
        );
        await kube.create(ActiveActiveDatabases, { metadata: { name, namespace }, spec });
      });
      context.print(`Made ${name} with the sites ${options.sites.split(",").join(", ")}.\n${follow(name)}`);
    });
  return withNamespaceOptions(command);
}

/** `storectl active-active add-site`. */
export function addSiteCommand(context: Asking): Command {
  const command = new Command("add-site")
    .description("let a cluster take part; it gets all data before its clients are let in")
    .argument("<database>", "name of the database")
    .argument(
      "<site>",
      "its StoreEnterpriseRemoteCluster; :<port> after it where links dial another port than 9444, /<shards> where it has fewer than the others",
    )
    .action(async (name: string, text: string, options: NamespaceOptions) => {
      const added = siteNamed(text);
      await withAccess(options, context, (access) =>
        changeActiveActive(access, name, context, (spec) => withSite(spec, added)),
      );
      context.print(`${added.name} takes part in ${name}.\n${follow(name)}`);
    });
  return withNamespaceOptions(command);
}

/** `storectl active-active remove-site`. */
export function removeSiteCommand(context: Asking): Command {
  const command = new Command("remove-site")
    .description("take a site out; it keeps its database until its own object is deleted")
    .argument("<database>", "name of the database")
    .argument("<site>", "name of its StoreEnterpriseRemoteCluster")
    .option("--force", "also while it is not up: what the others have not received of it is left behind")
    .action(async (name: string, leaving: string, options: NamespaceOptions & { force?: true }) => {
      const isForced = options.force === true;
      await withAccess(options, context, (access) =>
        changeActiveActive(access, name, context, async (spec, objects) => {
          const self = ownSite(objects, spec, access.namespace);
          const sites = isForced ? [] : await sitesAsLinked(access, spec, name);
          return withoutSite(spec, leaving, { self, sites, isForced });
        }),
      );
      context.print(
        [
          `${leaving} takes part in ${name} no more; its database stays until the object there is deleted.`,
          `Delete that object only when its condition Ready says NotParticipating: before ${leaving} knows that it is out, this deletes ${name} at all sites.\n`,
        ].join("\n"),
      );
    });
  return withNamespaceOptions(command);
}

/** `storectl active-active update`. */
export function updateCommand(context: Asking): Command {
  const command = new Command("update")
    .description("change the global configuration, which is the same at every site")
    .argument("<database>", "name of the database")
    .argument(
      "<fields...>",
      "for instance memorySize=2GB storeVersion=8.2; nothing after = gives a field its default again",
    )
    .action(async (name: string, fields: string[], options: NamespaceOptions) => {
      await withAccess(options, context, (access) =>
        changeActiveActive(access, name, context, (spec) => ({ value: withFields(spec, fields) })),
      );
      context.print(`Changed ${name}; the other sites follow.\n${follow(name)}`);
    });
  return withNamespaceOptions(command);
}

function siteNamed(text: string): ActiveActiveParticipant {
  return requireAccepted(siteOfText(text));
}

function withFields(spec: WrittenSpec, fields: readonly string[]): WrittenSpec {
  return fields.reduce((all, text) => {
    const [field = "", ...value] = text.split("=");
    if (value.length === 0) throw new Fault(faults.refused, `"${text}": a field and its value have = between them`);
    return requireAccepted(withField(all, field, value.join("=")));
  }, spec);
}

function follow(name: string): string {
  return `Follow it: storectl active-active health ${name}\n`;
}
