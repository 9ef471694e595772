/** A hash of the packages that the lock file asks for; equal when `npm ci` would install the same. */
export function packagesHash(checkout: string): string;
/** Whether the lock file of `checkout` asks for nothing but packages that the one of `other` asks for too, at the same versions. */
export function asksForNoMore(checkout: string, other: string): boolean;
/** Whether all of them are installed: an installation that was interrupted has no stamp. */
export function isInstalled(checkout: string): boolean;
/** To be called when all of them are installed. */
export function markInstalled(checkout: string): void;
