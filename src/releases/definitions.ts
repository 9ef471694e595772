import { compareVersionText } from "../base/version.ts";
import type { Release } from "./release.ts";

/** Whether definitions that are marked with the release `installed` know more than those of `release`, and so stay. */
export function areNewer(installed: string | undefined, release: Release): boolean {
  return installed !== undefined && (compareVersionText(installed, release.operator) ?? 0) > 0;
}
