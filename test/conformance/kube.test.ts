import { access } from "./access.ts";
import { definitions } from "./definitions.ts";
import { deletes } from "./deletes.ts";
import { client } from "./client.ts";
import { discovery } from "./discovery.ts";
import { lists } from "./lists.ts";
import { patches } from "./patches.ts";
import { pods } from "./pods.ts";
import { refused } from "./refusals.ts";
import { subjects } from "./servers.ts";
import { conformanceSuite } from "./rule-set.ts";
import { watches } from "./watches.ts";
import { webhooks } from "./webhooks.ts";
import { volumes } from "./volumes.ts";
import { writes } from "./writes.ts";

// Everything that we need from a Kubernetes API, held against each Kubernetes at hand.

for (const subject of subjects())
  await conformanceSuite(subject, [
    writes,
    volumes,
    refused,
    patches,
    deletes,
    lists,
    watches,
    definitions,
    pods,
    access,
    discovery,
    webhooks,
    client,
  ]);
