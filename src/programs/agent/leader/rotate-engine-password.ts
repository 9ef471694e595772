import type { DatabaseRecord } from "../../../core/api/records.ts";
import { withRotation } from "../../../core/planner/database/engine-rotation.ts";
import type { LeaderAct } from "../../../core/planner/database/step.ts";
import { internalPassword } from "../credentials/database-passwords.ts";
import { withEngineRotation } from "../../../core/records/changes.ts";
import type { InternalPasswordContext } from "./internal-password.ts";

const STATES = { offer: "offered", use: "used", end: "ended" } as const;

/**
 * Offers another password of the cluster to the engines of a database, uses it, or ends the former one: in the Secret first, then, by the
 * record, at each node. The next leader goes on for one that was ended in between, and a decision of long ago changes nothing.
 */
export async function rotateEnginePassword(
  { records, passwords, clock, log }: InternalPasswordContext,
  { uid }: DatabaseRecord,
  { due }: Extract<LeaderAct, { readonly kind: "rotate-engine-password" }>,
): Promise<void> {
  const { rotation } = await passwords.change(uid, (held) => withRotation(held, due, internalPassword()));
  const state = STATES[due.act];
  const now = clock.now().toISOString();
  await records.changeDatabase(uid, (old) =>
    (old.passwords?.rotation?.step ?? 0) === due.step
      ? withEngineRotation(old, { state, since: due.since, step: rotation?.step ?? 0 }, now)
      : old,
  );
  log.info("the password of the cluster at the engines of a database changes", { bdb: uid, state });
}
