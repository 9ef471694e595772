import type { Kubectl } from "../kit/kubernetes/kubectl.ts";

/** The namespace of the rules about writing. */
export const WRITING = "writing";

/** Arguments of an apply of standard input. */
export const APPLY = `apply -n ${WRITING} -f -`;

/** Reads one field of an object by its JSON path. */
export function fieldReader(kubectl: Kubectl): (what: string, path: string) => Promise<string> {
  return (what, path) => kubectl(`get ${what} -n ${WRITING} -o jsonpath={${path}}`);
}
