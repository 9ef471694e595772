/** A module that an engine has loaded, in the engine's own numbering: 21017 is 2.10.17. */
export interface EngineModule {
  readonly name: string;
  readonly version: number;
}

/** The modules in an answer to INFO: one line a module, all with the same field name. */
export function modulesIn(text: string): readonly EngineModule[] {
  return [...text.matchAll(/^module:name=([^,\r\n]+),ver=(\d+)/gm)].map(([, name = "", version]) => ({
    name,
    version: Number(version),
  }));
}

/** Major, minor and patch of a module's number: 21017 is 2.10.17. */
export function semanticVersion({ version }: EngineModule): string {
  return `${Math.floor(version / 10_000)}.${Math.floor(version / 100) % 100}.${version % 100}`;
}
