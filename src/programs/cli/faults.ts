import { editObject, getNodePods, getObjects } from "../../core/api/kubectl.ts";
import type { FaultSpec } from "../../core/base/fault.ts";

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
    remedy: "Name a file that is there and readable; one that is written must not be there yet.",
  },
  noCluster: {
    code: "CLI_NO_CLUSTER",
    retry: "never",
    remedy: `Look where clusters are: ${getObjects("rec -A")}; then give -n <namespace>, or another --context.`,
  },
  whichCluster: {
    code: "CLI_WHICH_CLUSTER",
    retry: "never",
    remedy: "Name one of them after the command.",
  },
  noDatabase: {
    code: "CLI_NO_DATABASE",
    retry: "never",
    remedy: "Look which databases there are: storectl databases.",
  },
  unknownRelease: {
    code: "CLI_UNKNOWN_RELEASE",
    retry: "never",
    remedy: "Name one of the releases in the message, as operator versions are spelled.",
  },
  byHelm: {
    code: "CLI_BY_HELM",
    retry: "never",
    remedy:
      "Let Helm do it, as docs/helm.md tells: objects of a Helm release that others write are taken back by the next helm upgrade.",
  },
  clusterSilent: {
    code: "CLI_CLUSTER_SILENT",
    retry: "backoff",
    remedy: `Look at the node pods: ${getNodePods(" -o wide")}. Port 9443 of one has to be open to you, and the secrets of the cluster readable.`,
  },
  noModule: {
    code: "CLI_NO_MODULE",
    retry: "never",
    remedy: "Look which modules are installed: storectl modules list; several builds are told apart by their uid.",
  },
  moduleBundled: {
    code: "CLI_MODULE_BUNDLED",
    retry: "never",
    remedy: "Leave it: modules that come with the engines need no room of their own.",
  },
  moduleNotSpread: {
    code: "CLI_MODULE_NOT_SPREAD",
    retry: "backoff",
    remedy: "The nodes go on fetching it by themselves; look for one that is down: storectl nodes.",
  },
  recoveryFailed: {
    code: "CLI_RECOVERY_FAILED",
    retry: "backoff",
    remedy:
      "Ask `storectl why` what came in between; nothing after it was done, and the same command again goes on from there.",
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
  unreadable: {
    code: "CLI_UNREADABLE",
    retry: "never",
    remedy: `Correct the field that the message names: ${editObject("rec")}.`,
  },
  notAgreed: {
    code: "CLI_NOT_AGREED",
    retry: "never",
    remedy:
      "Answer yes at a terminal, or give --yes once the plan is agreed (`storectl plan --to <release>` shows it).",
  },
  interrupted: {
    code: "CLI_INTERRUPTED",
    retry: "never",
    remedy: "What has begun continues: `storectl status` shows it, the same command again follows it.",
  },
  notInTime: {
    code: "CLI_NOT_IN_TIME",
    retry: "backoff",
    remedy: "Ask `storectl why` what it waits for; the same command again follows it.",
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
