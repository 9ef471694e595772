import { z } from "zod";
import type { Kube, ResourceType } from "../../../../controller-kit/src/kube/kube.ts";

/** Every kind that the server has now and that can be followed and deleted, at the version that it prefers. */
export async function discoverTypes(kube: Kube): Promise<ResourceType<object>[]> {
  const { groups } = Groups.parse(JSON.parse(await kube.raw("GET", "/apis")));
  const named = groups.map(({ name, preferredVersion: { version } }) => ({
    group: name,
    version,
    path: `/apis/${name}/${version}`,
  }));
  const sources = [{ group: "", version: "v1", path: "/api/v1" }, ...named];
  const lists = await Promise.all(
    sources.map(async ({ group, version, path }) => {
      const { resources } = Resources.parse(JSON.parse(await kube.raw("GET", path)));
      return resources
        .filter(isFollowed)
        .map(({ name, kind, namespaced }) => ({ group, version, kind, plural: name, namespaced }));
    }),
  );
  return lists.flat();
}

const Groups = z.looseObject({
  groups: z.array(z.looseObject({ name: z.string(), preferredVersion: z.looseObject({ version: z.string() }) })),
});
const Resource = z.looseObject({
  name: z.string(),
  kind: z.string(),
  namespaced: z.boolean(),
  verbs: z.array(z.string()),
});
const Resources = z.looseObject({ resources: z.array(Resource) });

/** Events own nothing, have no owners, and are many. */
function isFollowed({ name, verbs }: z.infer<typeof Resource>): boolean {
  return !name.includes("/") && name !== "events" && ["list", "watch", "delete"].every((verb) => verbs.includes(verb));
}
