import { extname, join } from "node:path";

/** The program that starts every other, in the same form (source or built) as this file. */
export function programPath(): string {
  return join(import.meta.dirname, `store${extname(import.meta.filename)}`);
}
