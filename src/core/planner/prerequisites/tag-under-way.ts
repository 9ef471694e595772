import { compareVersionText } from "#kit/base/version";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { runningReleases } from "../view/target.ts";

/** The tag of the newest release that nodes run: where an upgrade that is under way leads, as its pods name it. */
export function tagUnderWay(view: ClusterView): string {
  const [newest] = runningReleases(view)
    .map(releaseByNodeTag)
    .filter((release) => release !== undefined)
    .toSorted((a, b) => compareVersionText(b.operator, a.operator) ?? 0);
  const tag = view.pods.map(({ nodeTag }) => nodeTag).find((each) => releaseByNodeTag(each) === newest);
  return tag ?? newest?.nodeTag ?? "";
}
