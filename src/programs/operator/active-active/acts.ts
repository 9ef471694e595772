import { assertNever } from "#kit/base/assert-never";
import { AGREED_ANNOTATION, APP_LABEL, LABELS, SITE_ANNOTATION } from "../../../core/api/names.ts";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import type { EventText } from "#kit/kube/event-series";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube, Ref, ResourceType, Stored, Wanted } from "#kit/kube/kube";
import { mergeDiff } from "#kit/kube/merge-diff";
import { ownerReference, refOf } from "#kit/kube/ref";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { ActiveActiveDatabases, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { agreementText } from "../../../core/planner/active-active/agreement.ts";
import type { ActiveActiveAct } from "../../../core/planner/active-active/decide.ts";
import { sharedOf, sharedText, specOf, withVersion } from "../../../core/planner/active-active/shared.ts";
import { removeFinalizer } from "../objects/finalizer.ts";
import type { Redb } from "../database/cluster.ts";
import type { Reaadb } from "./view.ts";

export interface ActiveActiveActDeps {
  readonly kube: Kube;
  readonly events: EventRecorder;
}

/** Where an act takes place. */
export interface ActiveActiveScene {
  readonly key: Required<Ref>;
  readonly reaadb: Reaadb | undefined;
  readonly database: Redb | undefined;
  readonly cluster: string;
  /** The management API of the own cluster. */
  readonly client: ManagementClient;
}

/** Does the one thing that was decided; each act may be done twice. */
export async function performActiveActive(
  deps: ActiveActiveActDeps,
  scene: ActiveActiveScene,
  act: ActiveActiveAct,
): Promise<void> {
  const { reaadb, client } = scene;
  switch (act.kind) {
    case "write-record":
      await client.call("putCrdb", { params: { guid: act.record.guid }, body: act.record });
      return;
    case "make-object":
      await makeObject(deps, scene, act.record);
      return;
    case "make-database":
      if (reaadb !== undefined) await deps.kube.create(Databases, databaseOf(reaadb, act.spec, siteAnnotation(act)));
      return;
    case "write-database":
      if (scene.database !== undefined)
        await writeSpec(deps.kube, Databases, scene.database, act.spec, siteAnnotation(act));
      return;
    case "write-object":
      if (reaadb !== undefined) await writeObject(deps, reaadb, act.record, act.isVersionEdited);
      return;
    case "remember":
      if (reaadb !== undefined)
        await writeSpec(deps.kube, ActiveActiveDatabases, reaadb, reaadb.spec, agreedAnnotation(act.agreed));
      return;
    case "delete-object":
      if (reaadb !== undefined) await deleteObject(deps, reaadb);
      return;
    case "release-object":
      if (reaadb !== undefined)
        await removeFinalizer(deps.kube, ActiveActiveDatabases, reaadb, FINALIZERS.activeActive);
      return;
    default:
      assertNever(act);
  }
}

async function makeObject(
  { kube, events }: ActiveActiveActDeps,
  { key, cluster }: ActiveActiveScene,
  record: ActiveActiveRecord,
): Promise<void> {
  const wanted = {
    metadata: {
      ...key,
      labels: { [LABELS.app]: APP_LABEL },
      annotations: { [AGREED_ANNOTATION]: agreementText(record) },
      finalizers: [FINALIZERS.activeActive],
    },
    spec: specOf(record, { name: cluster }),
  };
  const made = await kube.create<object>(ActiveActiveDatabases, wanted);
  const message = `made as participant "${record.edit.author}" has it`;
  events.record(made, "Normal", "ActiveActiveJoined", message);
}

async function writeObject(
  { kube, events }: ActiveActiveActDeps,
  reaadb: Reaadb,
  record: ActiveActiveRecord,
  isVersionEdited: boolean,
): Promise<void> {
  const isConfigured = sharedText(sharedOf(reaadb.spec)) === sharedText(record);
  const next = isConfigured
    ? withVersion({ ...reaadb.spec }, record.version)
    : specOf(record, reaadb.spec.storeEnterpriseCluster ?? reaadb.spec.globalConfigurations?.storeEnterpriseCluster);
  await events.recordAhead(reaadb, writtenEvents(reaadb, record, { isVersionEdited, isConfigured }), () =>
    writeSpec(kube, ActiveActiveDatabases, reaadb, next, agreedAnnotation(agreementText(record))),
  );
}

function writtenEvents(
  { spec }: Reaadb,
  record: ActiveActiveRecord,
  { isVersionEdited, isConfigured }: { readonly isVersionEdited: boolean; readonly isConfigured: boolean },
): readonly EventText[] {
  const version = spec.storeVersion ?? spec.globalConfigurations?.storeVersion;
  const events: EventText[] = [];
  if (isVersionEdited) {
    const message = `"${version ?? ""}" gives way to "${record.version}": of two versions the higher one holds everywhere`;
    events.push({ type: "Warning", reason: "VersionGivesWay", message });
  } else if (version !== undefined && version !== record.version) {
    const message = `spec.storeVersion becomes "${record.version}", as on the other participants`;
    events.push({ type: "Normal", reason: "VersionPropagated", message });
  }
  if (!isConfigured) {
    const message = `participant "${record.edit.author}" changed the configuration`;
    events.push({ type: "Normal", reason: "ConfigurationPropagated", message });
  }
  return events;
}

async function deleteObject({ kube, events }: ActiveActiveActDeps, reaadb: Reaadb): Promise<void> {
  const message = "it was deleted on another participant";
  await events.recordAhead(reaadb, [{ type: "Normal", reason: "DeletionPropagated", message }], () =>
    kube.delete(ActiveActiveDatabases, refOf(reaadb), { uid: reaadb.metadata.uid }),
  );
}

/** It goes away with the Active-Active database. */
function databaseOf(reaadb: Reaadb, spec: object, annotations: Annotations): Wanted<Redb> {
  const { name, namespace = "default" } = reaadb.metadata;
  const labels = { [LABELS.app]: APP_LABEL };
  return { metadata: { name, namespace, labels, annotations, ownerReferences: [ownerReference(reaadb)] }, spec };
}

type Annotations = Readonly<Record<string, string>>;

function agreedAnnotation(agreed: string): Annotations {
  return { [AGREED_ANNOTATION]: agreed };
}

function siteAnnotation({ site }: { readonly site?: string }): Annotations {
  return site === undefined ? {} : { [SITE_ANNOTATION]: site };
}

/** KUBE_CONFLICT when the object has changed meanwhile. */
async function writeSpec(
  kube: Kube,
  type: ResourceType<object>,
  stored: Stored<{ readonly spec: object }>,
  spec: object,
  annotations: Annotations,
): Promise<void> {
  const { uid, resourceVersion } = stored.metadata;
  const metadata = { uid, resourceVersion, annotations };
  const body = { metadata, spec: mergeDiff(stored.spec, spec) };
  await kube.patch(type, refOf(stored), { type: "merge", body });
}
