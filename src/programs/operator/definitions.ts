import { RELEASE_ANNOTATION } from "../../core/api/names.ts";
import type { Log } from "#kit/base/log";
import { CustomResourceDefinitions } from "#kit/kube/builtin";
import type { Kube, Wanted } from "#kit/kube/kube";
import { definitionsOf } from "../../core/releases/bundle/bundle.ts";
import { knowLess } from "../../core/releases/catalogue/definitions.ts";
import type { Release } from "../../core/releases/catalogue/release.ts";

const MANAGER = { fieldManager: "store-enterprise-definitions", force: true } as const;

/** Brings the definitions of our kinds to `release`; those that come from a newer one are left as they are. */
export async function applyDefinitions(kube: Kube, release: Release, log: Log): Promise<void> {
  for (const { metadata, spec } of definitionsOf(release)) {
    const { name } = metadata;
    const found = await kube.get(CustomResourceDefinitions, { name });
    const installed = found?.metadata.annotations?.[RELEASE_ANNOTATION];
    if (knowLess(release.operator, installed)) {
      log.info("a definition of a newer release stays", { name, installed, release: release.operator });
      continue;
    }
    const wanted: Wanted<object> = {
      metadata: structuredClone(metadata),
      spec: structuredClone(spec),
    } as Wanted<object>;
    await kube.apply<object>(CustomResourceDefinitions, wanted, MANAGER);
    log.info("a definition is of this release", { name, before: installed, release: release.operator });
  }
}
