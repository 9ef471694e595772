import { join } from "node:path";

/** The program of the product that starts every other: as it is published in a run of `npm test`, else from its sources. */
export const STORE = programFile("store");

/** The program for people. */
export const STORECTL = programFile("storectl");

function programFile(name: string): string {
  const built = process.env["STORE_PROGRAMS"];
  return built === undefined ? join(import.meta.dirname, `../../src/bin/${name}.ts`) : join(built, `${name}.js`);
}
