export function ensureEngines(root: string): Promise<void>;
export function ensureUnpackedEngines(root: string): Promise<void>;
