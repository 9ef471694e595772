/** A hash of the packages that the lock file asks for; equal when `npm ci` would install the same. */
export function packagesHash(checkout: string): string;
/** Whether all of them are installed: an installation that was interrupted has no stamp. */
export function isInstalled(checkout: string): boolean;
/** To be called when all of them are installed. */
export function markInstalled(checkout: string): void;
