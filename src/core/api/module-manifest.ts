import { z } from "zod";

const word = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\w.+-]+$/, "must be letters, digits and . + - _");
const version = z
  .string()
  .max(32)
  .regex(/^\d+(\.\d+){1,2}$/, "must be two or three numbers with dots between them");

/** `module.json` of a module archive: what the module is and where it runs. Fields that are not named here are kept apart. */
export const moduleManifest = z.object({
  module_name: word.describe("Name that the engine and database specs know the module by."),
  display_name: z.string().min(1).max(128).describe("Name for people."),
  semantic_version: version.describe("Version of the module."),
  compatible_redis_version: version.describe("Database version that the build is for, for instance 7.4."),
  min_redis_version: version.optional().describe("Oldest engine that can load it."),
  min_redis_pack_version: version.optional().describe("Oldest cluster that can load it."),
  architecture: word.describe("Machine that the build is for: x86_64 or aarch64."),
  os: word.optional().describe("Base system that the build is for, for instance rhel9."),
  operating_systems: z.array(word).max(16).optional().describe("Base systems, when there are several."),
  module_file: z
    .string()
    .max(128)
    .regex(/^[\w.+-]+\.so$/, "must be the name of a file that ends in .so")
    .optional()
    .describe("The shared object, when the archive holds several."),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits")
    .optional()
    .describe("Digest of the shared object."),
  command_line_args: z.string().max(4096).optional().describe("Arguments that the module is loaded with."),
  capabilities: z.array(word).max(64).optional().describe("What databases with this module can do."),
  commands: z
    .array(z.looseObject({ command_name: z.string().min(1).max(128) }))
    .max(4096)
    .describe("Commands that the module adds."),
});
export type ModuleManifest = z.output<typeof moduleManifest>;

/** The version of databases that a build is for, for instance `7.4` of `7.4.1`. */
export function databaseVersionOf({ compatible_redis_version: version }: ModuleManifest): string {
  return version.split(".").slice(0, 2).join(".");
}

/** The platforms that a build is for, as `GET /v1/modules` lists them: `rhel9/x86_64`. */
export function platformsOf({ os, operating_systems, architecture }: ModuleManifest): readonly string[] {
  const systems = operating_systems ?? (os === undefined ? [] : [os]);
  return systems.map((system) => `${system}/${architecture}`);
}
