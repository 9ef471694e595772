// Tries the module packages beside the engines in the folder that the argument names; fails on the first that does not work.
import { tryPackages } from "../install/module-packages.mjs";

await tryPackages(process.argv[2] ?? "");
