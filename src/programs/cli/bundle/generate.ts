import { Fault } from "#kit/base/fault";
import { bundleFor } from "../../../core/releases/bundle/bundle.ts";
import { latestRelease } from "../../../core/releases/catalogue/find.ts";
import { faults } from "../faults.ts";
import { namedRelease } from "../access/named-release.ts";

export interface GenerateOptions {
  readonly variant: "kubernetes" | "openshift";
  readonly own?: string;
  readonly watch?: readonly string[];
  readonly repository?: string;
  readonly pullSecret?: readonly string[];
}

/** The bundle of a release, the latest when none is named; CLI_UNKNOWN_RELEASE, or CLI_USAGE for options that do not go together. */
export function generateBundle(version: string | undefined, options: GenerateOptions): string {
  const { variant, own, watch: watched = [], repository, pullSecret } = options;
  const release = version === undefined ? latestRelease() : namedRelease(version);
  if ((own === undefined) !== (watched.length === 0))
    throw new Fault(faults.usage, "--own and --watch go together: the operator's namespace, and the others");
  return bundleFor(release, {
    variant,
    ...(own === undefined ? {} : { namespaces: { own, watched } }),
    image: {
      ...(repository === undefined ? {} : { repository }),
      ...(pullSecret === undefined ? {} : { pullSecrets: pullSecret }),
    },
  });
}
