import type { Release } from "./release.ts";

/** Where the images are when nothing else is asked for. */
export const REPOSITORIES = {
  operator: "storeenterprise/operator",
  node: "storeenterprise/node",
  servicesRigger: "storeenterprise/services-rigger",
} as const;

/** The images of a release: operator and rigger carry the operator version, nodes the node tag. */
export function imagesOf(release: Release): {
  readonly operator: string;
  readonly node: string;
  readonly servicesRigger: string;
} {
  return {
    operator: `${REPOSITORIES.operator}:${release.operator}`,
    node: `${REPOSITORIES.node}:${release.nodeTag}`,
    servicesRigger: `${REPOSITORIES.servicesRigger}:${release.operator}`,
  };
}

/** The tag of an image reference, a digest left out; empty when it has none. */
export function imageTagOf(image: string): string {
  const [name = ""] = image.split("@");
  const colon = name.lastIndexOf(":");
  return colon > name.lastIndexOf("/") ? name.slice(colon + 1) : "";
}

/** The digest of an image reference, `sha256:` included; empty when it has none. */
export function imageDigestOf(image: string): string {
  return /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1] ?? "";
}

/** `repository:tag` of an image of the product, pinned when a digest is given. */
export function imageOf(
  asked: { readonly repository?: string | undefined; readonly digestHash?: string | undefined } | undefined,
  repository: string,
  tag: string,
): string {
  const digest = asked?.digestHash === undefined ? "" : `@${asked.digestHash}`;
  return `${asked?.repository ?? repository}:${tag}${digest}`;
}

/** The image reference without tag and digest. */
export function repositoryOf(image: string): string {
  const [name = ""] = image.split("@");
  const tag = imageTagOf(name);
  return tag === "" ? name : name.slice(0, -tag.length - 1);
}
