import { annotateObjects, deleteObjects } from "../../api/kubectl.ts";
import { GIVEN_ANNOTATION, LABELS } from "../../api/names.ts";
import type { Finding } from "../../api/parts.ts";
import { block, warn } from "../findings/finding.ts";
import { holderOf, isMarkedAs, type Marks } from "./marks.ts";

/** An object that is there under a name that a cluster has for one of its own. */
export interface FoundObject extends Marks {
  readonly kind: string;
  readonly name: string;
}

/** The cluster that wants the name. */
export interface Claimant {
  readonly name: string;
  readonly uid: string;
  /** Its nodes have been made: what is in use stays. */
  readonly isMade: boolean;
}

/**
 * A cluster takes no object that was there before it: an object without a mark of this very cluster stays as it is, until its owner gives it.
 * For a cluster that is made, objects that were made again by hand stay in use: with its label, and Secrets also without one.
 */
export function objectFindings(cluster: Claimant, found: readonly FoundObject[]): readonly Finding[] {
  const standings = found.map((object) => ({ object, standing: standingOf(cluster, object) }));
  const those = (wanted: Standing) =>
    standings.filter(({ standing }) => standing === wanted).map(({ object }) => object);
  const [theirs, unmarked, kept] = [those("another's"), those("not marked"), those("kept")];
  return [
    ...(theirs.length === 0 ? [] : [another(cluster, theirs)]),
    ...(unmarked.length === 0 ? [] : [before(cluster, unmarked)]),
    ...(kept.length === 0
      ? []
      : [warn("SecretNotMarked", objectsText(kept, "in use, and not marked"), give(cluster, kept))]),
  ];
}

type Standing = "ours" | "kept" | "not marked" | "another's";

function standingOf({ name, uid, isMade }: Claimant, object: FoundObject): Standing {
  if (isMarkedAs(object, uid)) return "ours";
  const { ownerReferences = [], labels = {} } = object;
  const label = labels[LABELS.cluster];
  const isAnothers = ownerReferences.length > 0 || (holderOf(object) !== undefined && label !== name);
  if (isAnothers) return "another's";
  if (!isMade) return "not marked";
  if (label === name) return "ours";
  return object.kind === "Secret" ? "kept" : "not marked";
}

function another({ name }: Claimant, objects: readonly FoundObject[]): Finding {
  const remedy = `use another name for this cluster: ${deleteObjects("rec", [name])}, and make it again under that name`;
  const holders = objects.map((object) => holderOf(object) ?? ownerOf(object));
  return block(
    "ObjectNotOurs",
    objectsText(objects, `there, and belongs to ${[...new Set(holders)].join(", ")}`),
    remedy,
  );
}

function before(cluster: Claimant, objects: readonly FoundObject[]): Finding {
  const evidence = objectsText(objects, "there, and has no mark of this cluster");
  return block("ObjectNotOurs", evidence, `delete it, or give it to the cluster: ${give(cluster, objects)}`);
}

function objectsText(objects: readonly FoundObject[], what: string): string {
  return objects.map(({ kind, name }) => `the ${kind} "${name}" is ${what}`).join("; ");
}

function give({ uid }: Claimant, objects: readonly FoundObject[]): string {
  const named = objects.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`);
  return annotateObjects(named, `${GIVEN_ANNOTATION}=${uid}`);
}

function ownerOf({ ownerReferences = [] }: Marks): string {
  return ownerReferences.map(({ kind, name }) => `${kind} ${name}`).join(", ");
}
