import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { StoreVersion } from "../../core/api/records.ts";
import type { EngineAccess } from "../../core/api/engine-login.ts";
import type { Directives } from "../../core/api/settings/setting.ts";

/** One engine process that this node shall run, as its database's record asks for it. */
export interface WantedInstance {
  readonly bdb: number;
  /** The database of that uid: its creation tells it from another one that had the same uid before. */
  readonly database: { readonly created: string; readonly name: string };
  /** Unique within the database, never reused. */
  readonly instance: number;
  /** Address that the engine listens on and announces to its primary. */
  readonly host: string;
  readonly port: number;
  /** Its port speaks TLS alone. */
  readonly speaksTls: boolean;
  /** The certificate for other engines and for callers; absent for databases without TLS. Never logged, never in argv. */
  readonly certificate?: EngineCertificate;
  readonly storeVersion: StoreVersion;
  /** What the record says it is; a running process is never promoted or demoted because of it. */
  readonly role: "primary" | "replica";
  /** The instance is a primary with replicas: how far they are decides which may succeed it. */
  readonly isFollowed: boolean;
  /** How many starts as primary the leader has allowed. */
  readonly launch: number;
  /** The database holds no data yet: a primary whose data directory is missing may start empty. */
  readonly fresh: boolean;
  /** Where a replica attaches when it starts; absent while the primary is unknown. */
  readonly primary?: { readonly host: string; readonly port: number; readonly tls?: true };
  /** A switchover to it has begun: once it has ended it stays down, until the leader has found out which engine serves. */
  readonly switching: boolean;
  /** The database is between two versions: keep a long backlog, so that the old primary can re-attach. */
  readonly upgrading: boolean;
  /** Whom it lets in, and what it presents to its primary. Never logged, never in argv. */
  readonly access: EngineAccess;
  /** The database is a site of an Active-Active database: clients write what links carry, and nothing else. */
  readonly isSite: boolean;
  /** What the settings of the database ask of its engines; they follow while the process runs. */
  readonly directives: Directives;
  /** Shared objects that it loads when it starts. */
  readonly modules: readonly { readonly path: string; readonly args: string }[];
}
