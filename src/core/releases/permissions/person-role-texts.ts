import { applyFile } from "../../api/kubectl.ts";
import type { PersonRole } from "./people.ts";

/** What a Role is for, and what its holder can reach by it. */
export const PERSON_ROLE_TEXTS: Readonly<Record<PersonRole, { readonly does: string; readonly reaches: string }>> = {
  reader: {
    does: "looks: `storectl status`, `why`, `plan`, `preflight`, and `nodes` and `databases` as far as objects report them",
    reaches: "no Secret, so that the cluster itself is not asked; nothing is changed",
  },
  login: {
    does: "logs in to the management API of the named clusters: `storectl nodes`, `databases`, `modules`, `active-active health`",
    reaches: "everything that the management API offers, as its administrator, and the key of the nodes",
  },
  "database-editor": {
    does: "looks as a reader; makes, changes and deletes databases, Active-Active databases and remote clusters",
    reaches: "the data of databases is deleted with them; no Secret is read",
  },
  "cluster-editor": {
    does: "looks as a reader; makes, changes and deletes clusters",
    reaches: "the images that run with the Secrets of a cluster ([security](security.md)); no Secret is read",
  },
  upgrader: {
    does: "looks and logs in; upgrades clusters and databases: `storectl upgrade`, `storectl recover` of what specs cause",
    reaches: "what login and cluster-editor reach, without making or deleting",
  },
  installer: {
    does: `installs and upgrades the operator: \`storectl upgrade\` from its first step, \`${applyFile("deploy/bundle.yaml", "--server-side")}\``,
    reaches: "what the operator reaches: its image and its Role",
  },
};
