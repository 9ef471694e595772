import type { PasswordChange } from "../../../../core/planner/database/passwords.ts";
import { isAllowedChange } from "./change-passwords.ts";
import { hasOlderNode, requireKnownTo } from "./checks.ts";
import type { DatabaseWrites } from "./database-writes.ts";
import type { DatabaseReads } from "./databases.ts";
import { uidParam } from "../http/handler-call.ts";
import type { HandlerCall, Handlers } from "../http/handler-call.ts";
import { runOnLeader } from "../http/run-on-leader.ts";
import type { LeaderContext } from "../http/run-on-leader.ts";
import type { WriteContext } from "./write-context.ts";

export type PasswordRoutes = "addPassword" | "replacePasswords" | "removePassword" | "updateBdb";

/** Everything that may change the passwords of a database, which no answer shows. */
export function passwordHandlers(
  context: LeaderContext & WriteContext,
  reads: DatabaseReads,
  writes: DatabaseWrites,
): Pick<Handlers, PasswordRoutes> {
  const change =
    <N extends Exclude<PasswordRoutes, "updateBdb">>(route: N, kind: PasswordChange["kind"]) =>
    async ({ params, body, forwardedBy }: HandlerCall<N>) => {
      const asked: PasswordChange = { kind, ...body };
      await refuseForLeader(context, params["uid"], asked);
      return runOnLeader<PasswordRoutes>(context, route, { params: uidParam(params), body }, forwardedBy, async () =>
        reads.fresh(await writes.passwords(await reads.record(params["uid"]), asked)),
      );
    };
  return {
    addPassword: change("addPassword", "add"),
    replacePasswords: change("replacePasswords", "replace"),
    removePassword: change("removePassword", "remove"),
    updateBdb: async ({ params, body, forwardedBy }) => {
      const { authentication_redis_pass: password } = body;
      if (!context.election.isLeader()) requireKnownTo(context, body);
      if (password !== undefined) await refuseForLeader(context, params.uid, { kind: "change", password });
      return runOnLeader(context, "updateBdb", { params: uidParam(params), body }, forwardedBy, async () =>
        reads.fresh(await writes.update(await reads.record(params.uid), body)),
      );
    },
  };
}

/**
 * A leader of release 0.1.0 would make the change and not keep to the overlap: this node refuses it in its place. Beside current nodes
 * the leader checks alone, so that a node that does not reach the Kubernetes API passes the request on too.
 */
async function refuseForLeader(
  context: LeaderContext & WriteContext,
  uid: string | undefined,
  change: PasswordChange,
): Promise<void> {
  const record = context.records.database(Number(uid));
  if (record === undefined || context.election.isLeader() || !hasOlderNode(context, "password-overlap")) return;
  await isAllowedChange(context, record, change);
}
