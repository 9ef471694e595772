export function ensureModulePackages(folder: string): Promise<void>;
export function tryPackages(folder: string): Promise<void>;
