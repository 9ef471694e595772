import { routes } from "../../../../ports/management/routes.ts";

/** The methods that the API has for a path without its query, sorted; empty when it has no such path. */
export function methodsOf(path: string): readonly string[] {
  const methods = PATHS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  // whatever can be read can be asked for without its body
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : [])])].toSorted();
}

const PATHS = Object.values(routes).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`),
}));
