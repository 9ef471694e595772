import type { ControllerRevision, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { ControllerRevisions } from "../../../../controller-kit/src/kube/builtin.ts";
import type { Kube, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { controllerReference, refOf } from "../../../../controller-kit/src/kube/ref.ts";
import { claimOwned } from "../objects/claim.ts";
import { templateHash } from "../pods/template.ts";

/** The templates that a StatefulSet moves between. */
export interface Revisions {
  /** Where pods come from: what ordinals below the partition keep. */
  readonly current: Stored<ControllerRevision>;
  /** Where pods go: the template of the set. */
  readonly update: Stored<ControllerRevision>;
  readonly all: readonly Stored<ControllerRevision>[];
}

/** Reads the revisions of a set and makes the one of its template, or brings it back to the front when it is an old one. */
export async function revisionsOf(kube: Kube, set: Stored<StatefulSet>): Promise<Revisions> {
  const found = await claimOwned(kube, ControllerRevisions, set, set.spec?.selector ?? {});
  const all = found.toSorted((a, b) => a.revision - b.revision);
  const name = `${set.metadata.name}-${templateHash(templateOf(set))}`;
  const newest = all.at(-1);
  const same = all.find(({ metadata }) => metadata.name === name);
  const number = (newest?.revision ?? 0) + 1;
  const update =
    same === undefined ? await create(kube, set, name, number) : await bringForward(kube, same, newest, number);
  const current = all.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return { current: current.metadata.name === name ? update : current, update, all };
}

/** The pod template that a revision keeps. */
export function templateIn(revision: Stored<ControllerRevision>): PodTemplateSpec {
  const data: unknown = revision.data;
  if (!isKept(data)) throw new Error(`the revision ${revision.metadata.name} holds no pod template`);
  const { $patch: _, ...template } = data.spec.template;
  return template;
}

/** Deletes the oldest revisions that no pod has, beyond the history that the set keeps. */
export async function forgetRevisions(
  kube: Kube,
  set: Stored<StatefulSet>,
  revisions: Revisions,
  used: ReadonlySet<string>,
): Promise<void> {
  const live = new Set([...used, revisions.current.metadata.name, revisions.update.metadata.name]);
  const history = revisions.all.filter(({ metadata }) => !live.has(metadata.name));
  const surplus = Math.max(0, history.length - (set.spec?.revisionHistoryLimit ?? 10));
  for (const revision of history.slice(0, surplus)) await kube.delete(ControllerRevisions, refOf(revision));
}

/** `$patch: replace` tells `kubectl rollout undo` to take the template as a whole. */
interface Kept {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch?: string } };
}

function isKept(data: unknown): data is Kept {
  return (
    typeof data === "object" &&
    data !== null &&
    "spec" in data &&
    typeof data.spec === "object" &&
    data.spec !== null &&
    "template" in data.spec
  );
}

function templateOf(set: Stored<StatefulSet>): PodTemplateSpec {
  return set.spec?.template ?? {};
}

function create(
  kube: Kube,
  set: Stored<StatefulSet>,
  name: string,
  revision: number,
): Promise<Stored<ControllerRevision>> {
  const { namespace = "" } = set.metadata;
  const data: Kept = { spec: { template: { ...templateOf(set), $patch: "replace" } } };
  return kube.create(ControllerRevisions, {
    metadata: {
      name,
      namespace,
      labels: {
        ...templateOf(set).metadata?.labels,
        "controller.kubernetes.io/hash": name.slice(set.metadata.name.length + 1),
      },
      ownerReferences: [controllerReference(set)],
    },
    data,
    revision,
  });
}

function bringForward(
  kube: Kube,
  same: Stored<ControllerRevision>,
  newest: Stored<ControllerRevision> | undefined,
  revision: number,
): Promise<Stored<ControllerRevision>> {
  return same === newest
    ? Promise.resolve(same)
    : kube.patch(ControllerRevisions, refOf(same), { type: "merge", body: { revision } });
}
