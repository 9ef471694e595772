// Prints the bill of materials of an image whose engines are in the folder that the argument names.
import { join } from "node:path";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { modulesOfEngine } from "../../src/mechanisms/supervisor/engine-modules.ts";
import { discoverEngines } from "../../src/mechanisms/supervisor/engines.ts";
import { billOfMaterials, genericComponent } from "./sbom.ts";

const folder = process.argv[2] ?? "";
const engines = await discoverEngines({ STORE_ENGINES_DIR: folder });
const tools = { clock: systemClock, log: silentLog };
const modules = (await Promise.all(engines.map((engine) => modulesOfEngine(engine, tools)))).flatMap((found = []) =>
  found.filter(({ path }) => path !== undefined),
);
process.stdout.write(
  await billOfMaterials(join(import.meta.dirname, "../.."), [
    genericComponent("node", process.versions.node),
    ...engines.map(({ family, version }) => genericComponent(family, version)),
    ...modules.map(({ name, version }) => genericComponent(name, version)),
  ]),
);
