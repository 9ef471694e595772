import type { Clock } from "#kit/base/clock";
import type { DatabasePasswords } from "../../credentials/database-passwords.ts";
import type { EnginesContext } from "../../observation/engine-answers.ts";
import type { NodeFactsContext } from "../../observation/node-facts.ts";
import type { Records } from "../../records/records.ts";
import type { CheckContext } from "./checks.ts";
import type { AwaitEndpointsContext } from "./await-endpoints.ts";

/** What the changes of databases work on. */
export type WriteContext = CheckContext &
  EnginesContext &
  NodeFactsContext &
  AwaitEndpointsContext & {
    readonly records: Pick<
      Records,
      "database" | "changeState" | "changeDatabase" | "createDatabase" | "vanishedWithin"
    >;
    readonly passwords: Pick<DatabasePasswords, "read" | "change" | "free" | "set" | "remove">;
    readonly clock: Clock;
  };
