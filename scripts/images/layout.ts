import { NODE_ARGS } from "../../src/bin/node-args.ts";
import type { Release } from "../../src/core/releases/catalogue/release.ts";

/** Where the product is inside its images, where `dist` lies; images/Containerfile says the same. */
export const HOME = "/opt/store-enterprise";
export const ENGINES = `${HOME}/engines`;

/** Who runs it, as a number, so that `runAsNonRoot` can be checked; name and group are for people. */
export const USER = { uid: 1001, name: "store" } as const;

export const ENTRYPOINT: readonly string[] = ["/usr/local/bin/node", ...NODE_ARGS, `${HOME}/dist/bin/store.js`];

/** The environment of each container; the release comes on top of it. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  NODE_ENV: "production",
  STORE_ENGINES_DIR: ENGINES,
};

/** Labels of an image by the names of the OCI image specification. */
export function labelsOf({ operator }: Release): Readonly<Record<string, string>> {
  return {
    "org.opencontainers.image.title": "store-enterprise",
    "org.opencontainers.image.version": operator,
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.description": "Store Enterprise for Kubernetes: operator, node and services rigger",
  };
}
