import { Fault } from "#kit/base/fault";
import { openFileLimit } from "#kit/processes/open-file-limit";
import { faults } from "../faults.ts";

/** With fewer an engine accepts fewer clients than its default of 10,000, without a warning. */
const NEEDED = 10_240;

/** Refuses to start a node that may open too few files, sockets among them: AGENT_TOO_FEW_FILES. Passes where the limit is not known. */
export function checkOpenFiles(limit = openFileLimit()): void {
  if (limit >= NEEDED) return;
  const message = `this node may open ${limit} files and needs ${NEEDED}: clients and replicas are files too`;
  throw new Fault(faults.tooFewFiles, message, { limit, needed: NEEDED });
}
