import type { FrozenLane } from "../../kit/frozen/frozen-lane.ts";
import type { RoundSeen } from "../../kit/frozen/rounds.ts";
import { proves } from "../../kit/specification/proves.ts";

// What a round of a frozen lane proves of the contract, beyond what every round asserts.

/** Module builds of the base system that the step leads onto. */
export function proveModules({ frozenBy, arrived }: RoundSeen, lane: FrozenLane): void {
  const { state, event, described, moved } = frozenBy("unsupportedModule");
  proves("§6.2 unsupported module → event that names it", "the warning event of the REC: module and platform").match(
    event,
    /^UnsupportedModule .*tally for databases of 7\.2 on rhel9 \(installed: for 7\.2 on rhel8\/\w+; for 8\.0 on rhel9\/\w+\), used by "counts"/,
  );
  proves(
    "§1.6 a step onto the newer base system asks for module builds of it",
    "what `kubectl describe rec` says of a step from 7.4.6-2 to 7.8.2-6 with a module built for rhel8",
  ).match(
    described,
    /no build of tally for databases of 7\.2 on rhel9 \(installed: for 7\.2 on rhel8\/\w+; for 8\.0 on rhel9\/\w+\), used by "counts"/,
  );
  proves(
    "§1.3 an upgrade started without its prerequisites freezes, and is recovered by hand",
    "STATE and the number of new nodes while a module build is missing; VERSION after the recovery, nothing else being done",
  ).deepEqual([state, moved, arrived.status?.version], ["InvalidUpgrade", 0, lane.to().nodeTag]);
}

/** A database that is older than what the cluster goes to supports. */
export function proveDatabases({ frozenBy, arrived }: RoundSeen, lane: FrozenLane): void {
  const { event, described, moved } = frozenBy("oldDatabase");
  proves(
    "§6.3 incompatible database version → event that names it",
    "the warning event of the REC: database and version",
  ).match(event, /^IncompatibleDatabaseVersion .*"old" is 6\.2/);
  proves(
    "§9 databases 7.2 or later before cluster 7.8.2-6 or later",
    "what `kubectl describe rec` says of a database of version 6.2",
  ).match(described, /needs databases of version 7\.2 or later; "old" is 6\.2/);
  proves(
    "§7 incompatible database version → frozen until the database is upgraded",
    "the number of new nodes while the database is old, and VERSION after its upgrade",
  ).deepEqual([moved, arrived.status?.version], [0, lane.to().nodeTag]);
}

/** The licence expired; the one that is installed then allows eight shards. */
export async function proveLicence({ frozenBy, arrived }: RoundSeen, lane: FrozenLane): Promise<void> {
  const { state, event, moved } = frozenBy("licence");
  proves(
    "§3 licence not valid → the upgrade fails",
    "STATE, warning event and the number of new nodes once the licence expired",
  ).match(`${state} ${moved} ${event}`, /^InvalidUpgrade 0 LicenseInvalid .*expired on/);
  proves(
    "§7 invalid licence → fails until a valid one is there",
    "VERSION after a valid licence, nothing else being done",
  ).equal(arrived.status?.version, lane.to().nodeTag);
  const row = (await lane.sh("kubectl get rec rec --no-headers")).split(/ +/);
  proves("§8 SHARDS LIMIT shows the licence's limit", "the column SHARDS LIMIT after a licence for eight shards").equal(
    row[6],
    "8",
  );
}

/** A digest in an image spec of a cluster that is to be upgraded automatically. */
export function proveDigest({ frozenBy }: RoundSeen): void {
  const { state, event, described, moved } = frozenBy("digest");
  proves(
    "§3 digestHash + auto → InvalidUpgrade + warning event, and the upgrade is blocked",
    "STATE, the number of new nodes and the reason of the warning event",
  ).match(`${state} ${moved} ${event}`, /^InvalidUpgrade 0 AutoUpgradeDigestConflict /);
  proves(
    "§6.1 digestHash + auto → warning event on the REC, seen with describe",
    "the event line of `kubectl describe rec`: type, reason, and the field with the digest",
  ).match(described, /Warning +AutoUpgradeDigestConflict .*usageMeter\.callHomeClient\.imageSpec/);
}

/** Whatever a user-defined module lacks. */
export function proveModuleErrors(frozen: ReturnType<RoundSeen["frozenBy"]>): void {
  proves(
    "§7 prerequisites of user-defined modules unmet → named by describe",
    "what `kubectl describe rec` says of a module whose server has no such archive",
  ).match(frozen.described, /Tally[^]*the server answers 404/);
  proves(
    "§4.1 module errors and events are seen with describe rec",
    "the condition and the event line in `kubectl describe rec`",
  ).match(
    frozen.described,
    /Message: [^]*the server answers 404[^]*Warning +UserModuleInvalid .*the server answers 404/,
  );
}
