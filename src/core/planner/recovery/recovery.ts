import type { DatabaseRecord } from "../../api/records.ts";
import type { Finding } from "../../api/parts.ts";
import type { CheckInput } from "../prerequisites/check-input.ts";

/** One thing that is done about a cause: a write to an object, or a call of the management API (§4.2, §7). */
export type RecoveryAct =
  | { readonly kind: "patch-cluster"; readonly spec: object }
  | { readonly kind: "patch-database"; readonly name: string; readonly storeVersion: string }
  | { readonly kind: "upgrade-database"; readonly name: string; readonly uid: number; readonly to: string }
  | { readonly kind: "upload-module"; readonly file: string; readonly title: string }
  | { readonly kind: "install-license"; readonly file: string }
  /** The licence into the place of the spec that names it, so that the operator keeps it. */
  | { readonly kind: "write-license"; readonly secret: string | undefined; readonly file: string }
  | { readonly kind: "end-maintenance"; readonly uid: number }
  | { readonly kind: "restore-record"; readonly uid: number }
  | {
      readonly kind: "patch-role";
      readonly role: string;
      readonly namespace: string;
      readonly operations: readonly object[];
    }
  /** Objects of the bundle of a release; every one when `kinds` is empty. */
  | { readonly kind: "apply-bundle"; readonly release: string; readonly kinds: readonly string[] }
  | { readonly kind: "delete-webhook"; readonly name: string }
  | { readonly kind: "renew-webhook"; readonly name: string }
  | { readonly kind: "restart-operator" }
  | { readonly kind: "uncordon"; readonly worker: string }
  /** Wait until the operator has set `spec.clusterRecovery` to false. */
  | { readonly kind: "await-recovery" };

/** What blocks. */
export interface RecoveryCause {
  /** Name of the check that found it, or of the finding itself. */
  readonly check: string;
  /** The object that it holds up. */
  readonly about: { readonly kind: "rec" | "redb"; readonly name: string };
  readonly finding: Finding;
}

/** The documented recovery from a cause. */
export interface Recovery {
  readonly object: string;
  /** The name of the finding. */
  readonly rule: string;
  /** False for a warning, which holds nothing up today. */
  readonly blocks: boolean;
  readonly evidence: string;
  /** In order; none when it is not for this program to do. */
  readonly acts: readonly RecoveryAct[];
  /** What a person has to give before anything can be done; empty when nothing is needed. */
  readonly needs: string;
  /** What cannot be taken back; empty when everything can. */
  readonly irreversible: string;
  /** What else one could do, or what a person has to do; empty when there is nothing to say. */
  readonly otherwise: string;
}

/** What the user has brought along. */
export interface Supplied {
  /** File with the licence; empty when none is given. */
  readonly license: string;
  readonly modules: readonly SuppliedModule[];
  /** Where modules of `spec.userDefinedModules` are to be fetched, by name. */
  readonly moduleUrls: Readonly<Record<string, string>>;
  /** Secret with the credentials for them; empty when none is needed. */
  readonly moduleSecret: string;
  /** Images stay pinned by their digests, and the upgrade is asked for by hand. */
  readonly keepDigests: boolean;
}

/** An archive with a module. */
export interface SuppliedModule {
  readonly file: string;
  readonly title: string;
  readonly name: string;
  /** Database version that it is for. */
  readonly compatible: string;
  /** For instance "rhel9/x86_64"; none for one that runs everywhere. */
  readonly platforms: readonly string[];
}

/** A StoreEnterpriseDatabase, as far as recovery looks at it. */
export interface DatabaseObject {
  readonly name: string;
  readonly storeVersion: string | undefined;
  /** The objections of its conditions: the name of the rule, what was seen and the remedy. */
  readonly findings: readonly Finding[];
}

/** A database as its record says, which is there without any node. */
export type RecordedDatabase = Pick<DatabaseRecord, "name" | "persistence">;

/** Everything that a recovery rests on. */
export interface RecoveryFacts {
  /** The databases of a cluster that lost most of its nodes; else none are read. */
  readonly recorded: readonly RecordedDatabase[];
  readonly input: CheckInput;
  readonly databases: readonly DatabaseObject[];
  /** What every check begins with could not be read: none has passed, and none has found anything. */
  readonly lacksFacts: boolean;
}
