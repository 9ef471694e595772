// Prints the bill of materials of an image whose engines are in the folder that the argument names.
import { join } from "node:path";
import { discoverEngines } from "../../src/mechanisms/supervisor/engines.ts";
import { billOfMaterials, genericComponent } from "./sbom.ts";

const folder = process.argv[2] ?? "";
const engines = await discoverEngines({ STORE_ENGINES_DIR: folder });
process.stdout.write(
  await billOfMaterials(join(import.meta.dirname, "../.."), [
    genericComponent("node", process.versions.node),
    ...engines.map(({ family, version }) => genericComponent(family, version)),
  ]),
);
