import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Something in an image that npm does not know of. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** Package URL, for instance `pkg:generic/redis@8.0.2`. */
  readonly purl: string;
}

const run = promisify(execFile);

/** What is in the images as CycloneDX: npm's own list of the locked packages, and `others`. Equal input, equal text. */
export async function billOfMaterials(checkout: string, others: readonly Component[]): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  const options = ["--sbom-format=cyclonedx", "--sbom-type=application", "--omit=dev", "--package-lock-only"];
  const { stdout } = await run("npm", ["sbom", ...options], { cwd: checkout, maxBuffer: 64 << 20 });
  const { serialNumber, metadata, components, ...bill } = JSON.parse(stdout);
  const { timestamp, tools, component, ...stated } = metadata;
  return `${JSON.stringify(
    {
      ...bill,
      metadata: { ...stated, component: { ...component, name, version } },
      components: [...components, ...others.map(asComponent)],
    },
    undefined,
    2,
  )}\n`;
}

/** An engine or the runtime: not a package of a registry. */
export function genericComponent(name: string, version: string): Component {
  return { name, version, purl: `pkg:generic/${name}@${version}` };
}

function asComponent({ name, version, purl }: Component): object {
  return { "bom-ref": purl, type: "application", name, version, scope: "required", purl };
}
