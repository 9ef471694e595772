/** The Kubernetes minor inside each OpenShift minor. */
const KUBERNETES_OF: Readonly<Record<string, string>> = {
  "4.12": "1.25",
  "4.13": "1.26",
  "4.14": "1.27",
  "4.15": "1.28",
  "4.16": "1.29",
  "4.17": "1.30",
  "4.18": "1.31",
  "4.19": "1.32",
  "4.20": "1.33",
  "4.21": "1.34",
  "4.22": "1.35",
};

/** The OpenShift minor that carries a Kubernetes minor; undefined when none is known. */
export function openShiftOf(kubernetes: string): string | undefined {
  return Object.entries(KUBERNETES_OF).find(([, minor]) => minor === kubernetes)?.[0];
}
