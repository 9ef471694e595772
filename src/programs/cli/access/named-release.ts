import { Fault } from "#kit/base/fault";
import { CATALOGUE } from "../../../core/releases/catalogue/catalogue.ts";
import { releaseByOperator } from "../../../core/releases/catalogue/find.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import { faults } from "../faults.ts";

/** The release that a person names by its operator version, with or without a `v`; CLI_UNKNOWN_RELEASE with all that there are. */
export function namedRelease(version: string): Release {
  const release = releaseByOperator(version.replace(/^v/, ""));
  if (release !== undefined) return release;
  const known = CATALOGUE.map(({ operator }) => operator).join(", ");
  throw new Fault(faults.unknownRelease, `"${version}" is in no release; known are: ${known}`);
}
