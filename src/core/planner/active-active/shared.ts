import type { ActiveActiveSpec } from "../../api/active-active.ts";
import { type DatabaseSpec, globalConfiguration } from "../../api/database-spec.ts";
import type { ActiveActiveParticipant, ActiveActiveRecord } from "../../api/records.ts";
import { moduleItemsOf } from "../admission/modules.ts";
import { canonical } from "./canonical.ts";

/** What the objects of an Active-Active database say alike on every participant, but for the version. */
export interface Shared {
  readonly participants: readonly ActiveActiveParticipant[];
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** The spec of an object as it is stored: what has a default may be left out. */
type WrittenSpec = Pick<ActiveActiveSpec, "participatingClusters"> & {
  readonly globalConfigurations?: Readonly<Record<string, unknown>> | undefined;
  readonly moduleList?: DatabaseSpec["moduleList"];
};

/** What `spec` says of it; the name of the cluster stays out, since each participant has its own. */
export function sharedOf(spec: WrittenSpec): Shared {
  const {
    storeVersion: _version,
    storeEnterpriseCluster: _cluster,
    moduleList: _alias,
    modulesList: _list,
    ...configuration
  } = { ...spec.globalConfigurations };
  const global = globalConfiguration.safeParse(spec.globalConfigurations ?? {}).data;
  const modules = spec.moduleList ?? moduleItemsOf(global ?? {});
  return {
    participants: spec.participatingClusters,
    configuration: modules.length === 0 ? configuration : { ...configuration, modulesList: modules },
  };
}

/** Text that is the same for what means the same to this release: defaults filled in, fields that it does not know left out. */
export function sharedText({ participants, configuration }: Shared): string {
  const known = globalConfiguration.safeParse(configuration);
  return canonical({ participants, configuration: known.success ? known.data : configuration });
}

/** The version that `spec` asks for, in whichever of its two places. */
export function askedVersion({ storeVersion, globalConfigurations }: ActiveActiveSpec): string | undefined {
  return storeVersion ?? globalConfigurations?.storeVersion;
}

/** The spec of an object that says what `record` says: that of `cluster`, the participant's own. */
export function specOf(record: ActiveActiveRecord, cluster: ActiveActiveSpec["storeEnterpriseCluster"]): object {
  const { modulesList, ...configuration } = record.configuration;
  return {
    participatingClusters: record.participants,
    storeVersion: record.version,
    ...(cluster === undefined ? {} : { storeEnterpriseCluster: cluster }),
    ...(modulesList === undefined ? {} : { moduleList: modulesList }),
    ...(Object.keys(configuration).length === 0 ? {} : { globalConfigurations: configuration }),
  };
}

/** `spec` with `version` where it has one already, at the top when it has none; nothing else is touched (§2.3). */
export function withVersion(spec: Readonly<Record<string, unknown>>, version: string): Record<string, unknown> {
  const { storeVersion, globalConfigurations } = spec;
  const inner =
    isObject(globalConfigurations) && "storeVersion" in globalConfigurations ? globalConfigurations : undefined;
  return {
    ...spec,
    ...(inner === undefined ? {} : { globalConfigurations: { ...inner, storeVersion: version } }),
    ...(inner !== undefined && storeVersion === undefined ? {} : { storeVersion: version }),
  };
}

/** Whether `value` has fields. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
