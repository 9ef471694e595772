/** Whether `version` is not older than or the same as `than`. API servers count upwards; of two that are no numbers, the one that arrived last counts as newer. */
export function isNewer(version: string, than: string | undefined): boolean {
  if (than === undefined || !/^\d+$/.test(version) || !/^\d+$/.test(than)) return true;
  return BigInt(version) > BigInt(than);
}
