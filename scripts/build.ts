// Makes what is published, in dist/: docs/decisions/0053-one-file-for-each-program.md.
import { join } from "node:path";
import { makeDist } from "./programs/dist.ts";

await makeDist(join(import.meta.dirname, ".."));
