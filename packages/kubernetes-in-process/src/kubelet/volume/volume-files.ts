import type { DownwardAPIVolumeFile, KeyToPath, PodSpec, Volume, VolumeProjection } from "kubernetes-types/core/v1.js";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import type { VolumeFile } from "./atomic-folder.ts";
import { faults } from "../faults.ts";
import { fieldValue, resourceValue } from "../environment/facts.ts";
import type { PodFacts } from "../environment/facts.ts";
import type { ConfigContents, ConfigSources } from "../environment/config-sources.ts";

/** What the files of generated volumes are made from. */
export interface VolumeInputs {
  readonly facts: PodFacts;
  readonly sources: ConfigSources;
  /** The pod's service account token. */
  readonly token: () => Promise<string>;
}

const DEFAULT_MODE = 0o644;

/** Files of a secret, configMap, projected or downwardAPI volume; undefined for a volume of another type. */
export async function filesOfVolume(volume: Volume, inputs: VolumeInputs): Promise<VolumeFile[] | undefined> {
  const { secret, configMap, downwardAPI, projected } = volume;
  if (secret !== undefined) {
    return filesOf({ secret: { ...secret, name: secret.secretName ?? "" } }, secret.defaultMode, inputs);
  }
  if (configMap !== undefined) return filesOf({ configMap }, configMap.defaultMode, inputs);
  if (downwardAPI !== undefined) return filesOf({ downwardAPI }, downwardAPI.defaultMode, inputs);
  if (projected === undefined) return undefined;
  const parts = await Promise.all(
    (projected.sources ?? []).map((source) => filesOf(source, projected.defaultMode, inputs)),
  );
  return parts.flat();
}

/** Names of the Secrets and ConfigMaps whose change may change a volume of this pod. */
export function referencedConfig(spec: PodSpec | undefined): { secrets: Set<string>; configMaps: Set<string> } {
  const projections = (spec?.volumes ?? []).flatMap((volume) => [
    { secret: { name: volume.secret?.secretName ?? "" }, configMap: volume.configMap },
    ...(volume.projected?.sources ?? []),
  ]);
  const named = (names: readonly (string | undefined)[]): Set<string> =>
    new Set(names.filter((name) => name !== undefined));
  return {
    secrets: named(projections.map(({ secret }) => secret?.name)),
    configMaps: named(projections.map(({ configMap }) => configMap?.name)),
  };
}

async function filesOf(source: VolumeProjection, mode = DEFAULT_MODE, inputs: VolumeInputs): Promise<VolumeFile[]> {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  if (secret !== undefined) {
    return filesOfSelection("secret", secret, await inputs.sources.secret(secret.name ?? ""), mode);
  }
  if (configMap !== undefined) {
    return filesOfSelection("configmap", configMap, await inputs.sources.configMap(configMap.name ?? ""), mode);
  }
  if (downwardAPI !== undefined) return (downwardAPI.items ?? []).map((item) => downward(item, mode, inputs.facts));
  if (serviceAccountToken === undefined) return [];
  return [{ path: serviceAccountToken.path, content: Buffer.from(await inputs.token()), mode: 0o600 }];
}

interface Selection {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

function filesOfSelection(
  kind: string,
  { name = "", items, optional }: Selection,
  contents: ConfigContents | undefined,
  mode: number,
): VolumeFile[] {
  if (contents === undefined && optional !== true) throw notReady(`${kind} "${name}" not found`);
  const all = contents ?? {};
  if (items === undefined) return Object.entries(all).map(([path, content]) => ({ path, content, mode }));
  return items.flatMap((item) => {
    const content = all[item.key];
    if (content !== undefined) return [{ path: item.path, content, mode: item.mode ?? mode }];
    if (optional === true) return [];
    throw notReady(`${kind} "${name}" has no key ${item.key}`);
  });
}

function downward(item: DownwardAPIVolumeFile, mode: number, facts: PodFacts): VolumeFile {
  const { fieldRef, resourceFieldRef, path } = item;
  const container = facts.pod.spec?.containers.find(({ name }) => name === resourceFieldRef?.containerName);
  const text =
    resourceFieldRef !== undefined && container !== undefined
      ? resourceValue(facts, container, resourceFieldRef)
      : fieldValue(facts, fieldRef ?? { fieldPath: resourceFieldRef?.containerName ?? "" });
  return { path, content: Buffer.from(text), mode: item.mode ?? mode };
}

function notReady(message: string): Fault {
  return new Fault(faults.volumeNotReady, message);
}
