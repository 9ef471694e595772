import { routes, type RouteName } from "../../../../ports/management/routes.ts";
import { refusals, refuse } from "./refusals.ts";

/**
 * The parameters of a query that the route has. A read ignores any other; a write with one is refused, because it would do
 * something else than what was asked.
 */
export function parseQuery(name: RouteName, sent: unknown): Readonly<Record<string, string>> {
  const { method, path, query } = routes[name];
  const given = Object.entries(sent ?? {});
  const isKnown = (parameter: string): boolean => Object.hasOwn(query, parameter);
  const unknown = given.find(([parameter]) => !isKnown(parameter));
  if (unknown !== undefined && method !== "GET") {
    throw refuse(refusals.notOffered, `the parameter ${unknown[0]} is not offered by ${method} ${path}`);
  }
  const known = given.filter(([parameter]) => isKnown(parameter));
  const twice = known.find(([, value]) => typeof value !== "string");
  if (twice !== undefined) throw refuse(refusals.badRequest, `the parameter ${twice[0]} is given more than once`);
  return Object.fromEntries(known);
}

/** The members that `fields` names, of an object or of each object of a list; everything without `fields`. */
export function onlyFields(answer: unknown, fields: string | undefined): unknown {
  if (fields === undefined) return answer;
  if (Array.isArray(answer)) return answer.map((each: unknown) => onlyFields(each, fields));
  const names = fields.split(",");
  return Object.fromEntries(Object.entries(answer ?? {}).filter(([name]) => names.includes(name)));
}
