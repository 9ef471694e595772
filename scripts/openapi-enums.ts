const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES = ["Block", "Filesystem"];
const MESSAGE_POLICIES = ["FallbackToLogsOnError", "File"];
const SECCOMP_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];
const TAINT_EFFECTS = ["NoExecute", "NoSchedule", "PreferNoSchedule"];

/**
 * The words that a field may hold, by definition and field. A Kubernetes server publishes them in its documents; the
 * checked-in ones are made without.
 */
export const ENUMS: Readonly<Record<string, readonly string[]>> = {
  "admissionregistration.v1.ValidatingWebhook.failurePolicy": ["Fail", "Ignore"],
  "admissionregistration.v1.ValidatingWebhook.matchPolicy": ["Equivalent", "Exact"],
  "admissionregistration.v1.ValidatingWebhook.sideEffects": ["None", "NoneOnDryRun", "Some", "Unknown"],
  "apps.v1.DaemonSetUpdateStrategy.type": ["OnDelete", "RollingUpdate"],
  "apps.v1.DeploymentStrategy.type": ["Recreate", "RollingUpdate"],
  "apps.v1.StatefulSetSpec.podManagementPolicy": ["OrderedReady", "Parallel"],
  "apps.v1.StatefulSetUpdateStrategy.type": ["OnDelete", "RollingUpdate"],
  "batch.v1.CronJobSpec.concurrencyPolicy": ["Allow", "Forbid", "Replace"],
  "batch.v1.JobSpec.completionMode": ["Indexed", "NonIndexed"],
  "batch.v1.JobSpec.podReplacementPolicy": ["Failed", "TerminatingOrFailed"],
  "core.v1.AppArmorProfile.type": SECCOMP_TYPES,
  "core.v1.Container.imagePullPolicy": PULL_POLICIES,
  "core.v1.Container.terminationMessagePolicy": MESSAGE_POLICIES,
  "core.v1.ContainerPort.protocol": PROTOCOLS,
  "core.v1.HTTPGetAction.scheme": ["HTTP", "HTTPS"],
  "core.v1.NamespaceStatus.phase": ["Active", "Terminating"],
  "core.v1.NodeSelectorRequirement.operator": ["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"],
  "core.v1.PersistentVolumeClaimSpec.accessModes": ACCESS_MODES,
  "core.v1.PersistentVolumeClaimSpec.volumeMode": VOLUME_MODES,
  "core.v1.PersistentVolumeClaimStatus.phase": ["Bound", "Lost", "Pending"],
  "core.v1.PersistentVolumeSpec.accessModes": ACCESS_MODES,
  "core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy": ["Delete", "Recycle", "Retain"],
  "core.v1.PersistentVolumeSpec.volumeMode": VOLUME_MODES,
  "core.v1.PersistentVolumeStatus.phase": ["Available", "Bound", "Failed", "Pending", "Released"],
  "core.v1.PodSecurityContext.fsGroupChangePolicy": ["Always", "OnRootMismatch"],
  "core.v1.PodSpec.dnsPolicy": ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
  "core.v1.PodSpec.preemptionPolicy": ["Never", "PreemptLowerPriority"],
  "core.v1.PodSpec.restartPolicy": ["Always", "OnFailure", "Never"],
  "core.v1.PodStatus.phase": ["Failed", "Pending", "Running", "Succeeded", "Unknown"],
  "core.v1.SeccompProfile.type": SECCOMP_TYPES,
  "core.v1.ServicePort.protocol": PROTOCOLS,
  "core.v1.ServiceSpec.externalTrafficPolicy": ["Cluster", "Local"],
  "core.v1.ServiceSpec.internalTrafficPolicy": ["Cluster", "Local"],
  "core.v1.ServiceSpec.ipFamilyPolicy": ["PreferDualStack", "RequireDualStack", "SingleStack"],
  "core.v1.ServiceSpec.sessionAffinity": ["ClientIP", "None"],
  "core.v1.ServiceSpec.type": ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"],
  "core.v1.Taint.effect": TAINT_EFFECTS,
  "core.v1.Toleration.effect": TAINT_EFFECTS,
  "core.v1.Toleration.operator": ["Equal", "Exists"],
  "core.v1.TopologySpreadConstraint.whenUnsatisfiable": ["DoNotSchedule", "ScheduleAnyway"],
  "core.v1.VolumeMount.mountPropagation": ["Bidirectional", "HostToContainer", "None"],
  "discovery.v1.EndpointSlice.addressType": ["FQDN", "IPv4", "IPv6"],
  "networking.v1.HTTPIngressPath.pathType": ["Exact", "ImplementationSpecific", "Prefix"],
  "networking.v1.NetworkPolicyPort.protocol": PROTOCOLS,
  "networking.v1.NetworkPolicySpec.policyTypes": ["Egress", "Ingress"],
  "policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy": ["AlwaysAllow", "IfHealthyBudget"],
  "storage.v1.StorageClass.reclaimPolicy": ["Delete", "Recycle", "Retain"],
  "storage.v1.StorageClass.volumeBindingMode": ["Immediate", "WaitForFirstConsumer"],
};
