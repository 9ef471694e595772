import { join } from "node:path";

/** Where `npm run promtool` puts the program, outside of what is committed. */
export const PROMTOOL = join(import.meta.dirname, "../../node_modules/.cache/promtool/promtool");
