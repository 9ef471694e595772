import { z } from "zod";
import { dnsLabel, imageSpec, passedThrough, resourceRequirements, textMap } from "./parts.ts";

/** How long data that no record asks for is kept where no release says it, in days. */
export const SET_ASIDE_RETENTION_DAYS = 7;

/** How long what is replaced stays in use besides what replaces it, in seconds: a day, in which people and Secret stores catch up. */
const ROTATION_OVERLAP_SECONDS = 86_400;

/** A week: many programs read an authority once, at their start, and are started anew with the next version of an application. */
const AUTHORITY_OVERLAP_SECONDS = 7 * 86_400;

const httpSource = z.object({
  url: z.string().min(1).max(2048).describe("URL of the module archive (§2.2)."),
  credentialsSecret: z
    .string()
    .optional()
    .describe(
      "Secret with `username` and `password` for the URL (§2.2). Its annotation `storeenterprise.io/module-hosts` lists the host.",
    ),
});

const userDefinedModule = z.object({
  name: z.string().min(1).describe("`module_name` or `display_name` of the module's manifest (§2.2)."),
  source: z
    .object({
      https: httpSource.optional().describe("Archive fetched over HTTPS (§2.2)."),
      http: httpSource.optional().describe("Archive fetched over HTTP."),
    })
    .describe("Where the module comes from (§2.2)."),
  credentialsSecret: z.string().optional().describe("The same as `source.https.credentialsSecret` (§2.2)."),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe(
      "SHA-256 of the archive, hexadecimal: `sha256sum module.zip`. An archive with another one is not installed.",
    ),
});

const persistentSpec = z.object({
  enabled: z.boolean().default(true).describe("Whether nodes keep their data on volumes."),
  storageClassName: z.string().optional().describe("Storage class; the default class when absent."),
  volumeSize: z.string().default("20Gi").describe("Size of each node's volume."),
});

const networkPolicy = z.object({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Whether the operator keeps a NetworkPolicy on the nodes: clients reach the endpoints, and only the cluster and the operator reach engines and management API. A policy of your own lets others in besides.",
    ),
});

/** An image that is not run: what is said of it has to be consistent, and counts for the rules on digests (§3). */
const validatedImage = imageSpec.extend({
  repository: imageSpec.shape.repository.describe("Image repository (§2.2). It only takes part in validation."),
  versionTag: imageSpec.shape.versionTag.describe("Image tag (§2.2). It only takes part in validation."),
  digestHash: imageSpec.shape.digestHash.describe(
    "Digest; not together with automatic upgrade (§3). It only takes part in validation.",
  ),
  imagePullPolicy: imageSpec.shape.imagePullPolicy.describe(
    "When the image is pulled. It only takes part in validation.",
  ),
});

/** `spec` of a StoreEnterpriseCluster: the one source of its type, defaults, validation and documentation. */
export const clusterSpec = z.object({
  nodes: z.int().min(3).max(35).default(3).describe("Number of nodes: odd, at least 3, never lowered (§2.4)."),
  autoUpgradeStoreEnterprise: z
    .boolean()
    .optional()
    .describe("True: the cluster is upgraded automatically after the operator. False or unset: by hand (§2.2)."),
  upgradeSpec: z
    .object({
      autoUpgradeStoreEnterprise: z.boolean().optional().describe("Alias of `spec.autoUpgradeStoreEnterprise`."),
      acceptUnknownVersion: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .describe(
          "Node tag that the nodes run and that is in no release: the upgrade then goes on without the prerequisites of that tag.",
        ),
    })
    .optional()
    .describe(
      "Another place for `autoUpgradeStoreEnterprise`, and consent. Different values in the two places are an error.",
    ),
  storeEnterpriseImageSpec: imageSpec
    .optional()
    .describe("Image of the nodes; changing `versionTag` starts the rolling upgrade (§2.2)."),
  storeEnterpriseServicesRiggerImageSpec: imageSpec
    .optional()
    .describe("Image of the services rigger; its tag is the operator version (§2.2)."),
  bootstrapperImageSpec: validatedImage
    .optional()
    .describe("Image of the bootstrapper, which has no container of its own (§2.2). It only takes part in validation."),
  usageMeter: z
    .object({
      callHomeClient: z
        .object({
          imageSpec: validatedImage
            .optional()
            .describe("Image of the usage reporter (§2.2). It only takes part in validation."),
        })
        .optional()
        .describe("Usage reporter. It only takes part in validation."),
    })
    .optional()
    .describe("Usage reporting, which is not sent. It only takes part in validation: its `digestHash` is read (§3)."),
  userDefinedModules: z
    .array(userDefinedModule)
    .max(64)
    .optional()
    .describe("Modules that are not bundled. With them, the cluster is upgraded by hand (§2.2)."),
  storeUpgradePolicy: z
    .enum(["major", "latest"])
    .optional()
    .describe("`major`: databases cannot move to minor versions (§2.2)."),
  persistentSpec: persistentSpec.prefault({}).describe("Volumes of the nodes."),
  networkPolicy: networkPolicy.prefault({}).describe("Who reaches the nodes over the network."),
  storeEnterpriseNodeResources: resourceRequirements
    .prefault({ requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "2", memory: "4Gi" } })
    .describe(
      "Resources of a node, divided among its containers. Equal requests and limits give it the quality of service Guaranteed.",
    ),
  storeEnterpriseServicesRiggerResources: resourceRequirements
    .prefault({ requests: { cpu: "500m", memory: "512Mi" }, limits: { cpu: "500m", memory: "512Mi" } })
    .describe("Resources of the services rigger."),
  clusterRecovery: z
    .boolean()
    .optional()
    .describe(
      "True: consent to bring the cluster back after most of its nodes were lost. Their pods are deleted and made again over the same volumes, and databases come back with what is left. The operator sets it to false at the end.",
    ),
  setAsideRetentionDays: z
    .int()
    .min(1)
    .max(3650)
    .default(SET_ASIDE_RETENTION_DAYS)
    .describe(
      "How long nodes keep data that no record asks for, in days. Data of databases that are deleted is not kept.",
    ),
  license: z
    .string()
    .max(16_384)
    .optional()
    .describe("The signed licence; the operator installs it. Not together with `licenseSecretName`."),
  licenseSecretName: dnsLabel
    .optional()
    .describe(
      "Secret with the signed licence under the key `license`, and nothing else unless its annotation `storeenterprise.io/clusters` lists the cluster.",
    ),
  clusterCredentialSecretName: dnsLabel
    .optional()
    .describe(
      "Secret with the admin's `username` and `password`, whose annotation `storeenterprise.io/clusters` lists the cluster; named as the cluster when absent.",
    ),
  username: z
    .string()
    .min(1)
    .max(128)
    .default("admin@storeenterprise.io")
    .describe("Name of the admin when the operator creates the credentials."),
  rotationOverlapSeconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(ROTATION_OVERLAP_SECONDS)
    .describe("How long a former password of the cluster is accepted besides the new one, in seconds."),
  authorityOverlapSeconds: z
    .int()
    .min(0)
    .max(90 * 86_400)
    .default(AUTHORITY_OVERLAP_SECONDS)
    .describe(
      "How long clients are given the next authority of the cluster besides the present one before it is used, in seconds.",
    ),
  createServiceAccount: z
    .boolean()
    .default(true)
    .describe("Whether the operator creates the service account of the nodes."),
  serviceAccountName: dnsLabel.optional().describe("Service account of the nodes; named as the cluster when absent."),
  pullSecrets: z
    .array(z.object({ name: z.string().describe("Name of the secret.") }))
    .optional()
    .describe("Secrets for private registries, for nodes and services rigger."),
  nodeSelector: textMap.optional().describe("Labels of the workers that may run nodes and services rigger."),
  podAntiAffinity: passedThrough
    .optional()
    .describe(
      "Anti-affinity of the node pods alone. When absent, each node runs on a worker of its own; `{}` turns that off.",
    ),
  podTolerations: z.array(passedThrough).optional().describe("Tolerations of the pods of nodes and services rigger."),
  podAnnotations: textMap.optional().describe("Annotations of the node pods."),
  extraLabels: textMap.optional().describe("Labels on all objects that the operator creates for the cluster."),
  priorityClassName: z.string().optional().describe("Priority class of the pods of nodes and services rigger."),
  storeEnterpriseTerminationGracePeriodSeconds: z
    .int()
    .min(0)
    .default(31_536_000)
    .describe("How long a node may take to stop. The default is a year, so that a hand-over is never interrupted."),
});
/** A spec with every default filled in. */
export type ClusterSpec = z.output<typeof clusterSpec>;
