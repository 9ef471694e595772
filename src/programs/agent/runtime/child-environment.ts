/**
 * The whole environment of a proxy or a link: where its mounts are, and where Node keeps what it compiles, if anywhere; a program
 * that finds itself there starts in a third of the time. Nothing else of the node is their business.
 */
export function childEnvironment(
  root: string,
  { NODE_COMPILE_CACHE: cache }: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return { CONTAINER_ROOT: root, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) };
}
