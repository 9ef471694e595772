import type { Clock } from "#kit/base/clock";
import type { DatabasePasswords } from "../../credentials/database-passwords.ts";
import type { EnginesContext } from "../../observation/engine-answers.ts";
import type { Log } from "#kit/base/log";
import type { Peers } from "../../members/peers.ts";
import type { KeptRecords } from "../../node/kept-records.ts";
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
      "database" | "changeState" | "changeDatabase" | "createDatabase" | "reload" | "vanishedWithin"
    >;
    readonly passwords: Pick<DatabasePasswords, "read" | "change" | "free" | "set" | "remove">;
    readonly keptRecords: Pick<KeptRecords, "textOf">;
    readonly peers: Pick<Peers, "forward">;
    readonly clock: Clock;
    readonly log: Log;
  };
