import { compareVersionText, parseVersion } from "#kit/base/version";

/**
 * Whether definitions that are marked with the release `mark` know less than those marked `than`: fields of objects would be
 * cut off. Those without a mark are older than all that have one.
 */
export function knowLess(mark: string | undefined, than: string | undefined): boolean {
  if (than === undefined || parseVersion(than) === undefined) return false;
  return (compareVersionText(mark ?? "", than) ?? -1) < 0;
}
