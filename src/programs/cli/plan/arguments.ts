import { InvalidArgumentError } from "commander";
import { STORE_VERSIONS } from "../../../core/api/records.ts";

/** A minor of Kubernetes as an option takes it. */
export function minor(text: string): string {
  if (/^\d{1,3}\.\d{1,3}$/.test(text)) return text;
  throw new InvalidArgumentError("it must be a minor such as 1.34");
}

/** A database version as an option takes it. */
export function storeVersion(text: string): string {
  if (STORE_VERSIONS.some((version) => version === text)) return text;
  throw new InvalidArgumentError(`it must be one of ${STORE_VERSIONS.join(", ")}`);
}
