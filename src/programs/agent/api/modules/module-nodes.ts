import type { ModuleNode } from "../../../../core/planner/modules/node-modules.ts";
import type { Members } from "../../members/members.ts";
import { nodePlatforms } from "../../modules/platforms.ts";

/** What the nodes that are there report of modules. */
export function moduleNodes(members: Pick<Members, "list">): readonly ModuleNode[] {
  return members
    .list()
    .filter(({ fresh }) => fresh)
    .map(({ uid, report }) => ({
      uid,
      platforms: nodePlatforms(report),
      installed: report.modules,
      engines: report.engines,
    }));
}
