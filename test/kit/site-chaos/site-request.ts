import type { Reply } from "../../../src/ports/resp/reply.ts";
import type { Written } from "./writes.ts";

/** What a client sends at once, and what it has written when that is executed; undefined: what no rule is looked at for. */
export interface SiteRequest {
  readonly commands: readonly (readonly string[])[];
  /** By the replies to the commands; undefined when they changed nothing. */
  readonly written: (replies: readonly Reply[]) => Written | undefined;
}
