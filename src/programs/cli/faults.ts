import { editObject, getNodePods, getObjects } from "../../core/api/kubectl.ts";
import type { FaultSpec } from "#kit/base/fault";

/** What can go wrong between a user and storectl. */
export const faults = {
  usage: {
    code: "CLI_USAGE",
    retry: "never",
    remedy: "Read `storectl --help`, or add --help to the command.",
  },
  file: {
    code: "CLI_FILE",
    retry: "never",
    remedy: "Name a file that is there and that you may read.",
  },
  output: {
    code: "CLI_OUTPUT",
    retry: "never",
    remedy: "Name a file that is not there yet, in a folder that you may write: storectl writes over no file.",
  },
  folder: {
    code: "CLI_FOLDER",
    retry: "never",
    remedy:
      "Set STORE_LOCAL_DIR to a folder that you may make, or unset it: .local of the present folder is taken then.",
  },
  noCluster: {
    code: "CLI_NO_CLUSTER",
    retry: "never",
    remedy: `List the clusters: ${getObjects("rec -A")}. Then give -n <namespace>, or another --context.`,
  },
  clusterGoes: {
    code: "CLI_CLUSTER_GOES",
    retry: "never",
    remedy: "Nothing is upgraded any more. `storectl why` says what the deletion waits for.",
  },
  whichCluster: {
    code: "CLI_WHICH_CLUSTER",
    retry: "never",
    remedy: "Give the name of a cluster after the command.",
  },
  noDatabase: {
    code: "CLI_NO_DATABASE",
    retry: "never",
    remedy: "List the databases: storectl databases.",
  },
  noBackup: {
    code: "CLI_NO_BACKUP",
    retry: "never",
    remedy: "List the backups: storectl backup list.",
  },
  backupPlace: {
    code: "CLI_BACKUP_PLACE",
    retry: "never",
    remedy:
      "Say where to: storectl backup now DATABASE --bucket BUCKET --secret SECRET; docs/backups.md has what the Secret holds.",
  },
  backupLeft: {
    code: "CLI_BACKUP_LEFT",
    retry: "backoff",
    remedy: "The backup goes on without this command: storectl backup list says how it stands.",
  },
  restoreExists: {
    code: "CLI_RESTORE_EXISTS",
    retry: "never",
    remedy: "Name the database that is to be made: --into NAME. None that is there is overwritten.",
  },
  restoreLeft: {
    code: "CLI_RESTORE_LEFT",
    retry: "backoff",
    remedy: `The restore goes on without this command: ${getObjects("rerestore")} says how it stands.`,
  },
  backupNotComplete: {
    code: "CLI_BACKUP_NOT_COMPLETE",
    retry: "backoff",
    remedy: "Wait until it is complete: storectl backup list. One that has failed is taken anew: storectl backup now.",
  },
  noActiveActive: {
    code: "CLI_NO_ACTIVE_ACTIVE",
    retry: "never",
    remedy: "List the Active-Active databases: storectl active-active list.",
  },
  refused: {
    code: "CLI_REFUSED",
    retry: "never",
    remedy: "Correct what the message names, as it says; nothing was written.",
  },
  unknownRelease: {
    code: "CLI_UNKNOWN_RELEASE",
    retry: "never",
    remedy: "Name one of the releases in the message; a release is named by its operator version.",
  },
  byHelm: {
    code: "CLI_BY_HELM",
    retry: "never",
    remedy:
      "Upgrade with Helm (docs/helm.md): the next helm upgrade undoes what others write to the objects of its release.",
  },
  clusterSilent: {
    code: "CLI_CLUSTER_SILENT",
    retry: "backoff",
    remedy: `Look at the node pods: ${getNodePods(" -o wide")}. Port 9443 of one must be open to you, and the secrets of the cluster must be readable.`,
  },
  noModule: {
    code: "CLI_NO_MODULE",
    retry: "never",
    remedy: "List the modules: storectl modules list. Give the uid of a module that has several builds.",
  },
  moduleBundled: {
    code: "CLI_MODULE_BUNDLED",
    retry: "never",
    remedy:
      "Use the module that comes with the engine: it is neither deleted nor replaced. A build for another database version can be uploaded.",
  },
  moduleNotSpread: {
    code: "CLI_MODULE_NOT_SPREAD",
    retry: "backoff",
    remedy: "The nodes continue to fetch it. Look for a node that is down: storectl nodes.",
  },
  recoveryFailed: {
    code: "CLI_RECOVERY_FAILED",
    retry: "backoff",
    remedy:
      "`storectl why` shows what changed meanwhile. Later steps were not done; run the same command again to continue.",
  },
  notFetched: {
    code: "CLI_NOT_FETCHED",
    retry: "backoff",
    remedy: "Check the address, and give --ca <file> for a server with an authority of its own; nothing was written.",
  },
  otherContent: {
    code: "CLI_OTHER_CONTENT",
    retry: "never",
    remedy: "Compare the checksum with the one that was published; nothing was written.",
  },
  permissionsMissing: {
    code: "CLI_PERMISSIONS_MISSING",
    retry: "never",
    remedy:
      "Ask a user who may grant permissions to run the line that the message shows; `storectl role` lists the ready Roles. Then give the same command again.",
  },
  unreadable: {
    code: "CLI_UNREADABLE",
    retry: "never",
    remedy: `Correct the field that the message names: ${editObject("rec")}.`,
  },
  notAgreed: {
    code: "CLI_NOT_AGREED",
    retry: "never",
    remedy: "Answer yes at a terminal, or give --yes. `storectl plan --to <release>` shows the plan.",
  },
  interrupted: {
    code: "CLI_INTERRUPTED",
    retry: "backoff",
    remedy:
      "The upgrade goes on without this command. To watch it: `storectl status`. To follow it, run the same command again.",
  },
  notInTime: {
    code: "CLI_NOT_IN_TIME",
    retry: "backoff",
    remedy: "`storectl why` shows what it waits for. Run the same command again to follow it.",
  },
  worldNotUp: {
    code: "CLI_WORLD_NOT_UP",
    retry: "backoff",
    remedy:
      "Read the end of world.log in the folder of the world, put right what it says, and run `storectl local up` again.",
  },
  worldNotDown: {
    code: "CLI_WORLD_NOT_DOWN",
    retry: "backoff",
    remedy: "Run `storectl local down` again; it ends the processes by force.",
  },
} as const satisfies Record<string, FaultSpec>;
