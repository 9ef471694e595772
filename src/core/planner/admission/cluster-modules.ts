import type { ReviewedCluster } from "./reviewed-cluster.ts";
import { duplicateValue, forbiddenValue, invalidValue, requiredValue, type Objection } from "./objection.ts";

type UserModule = NonNullable<ReviewedCluster["spec"]["userDefinedModules"]>[number];

/** A module is listed once. */
export function modulesAreDistinct({ spec }: ReviewedCluster): readonly Objection[] {
  const names = (spec.userDefinedModules ?? []).map(({ name }) => name.toLowerCase());
  return perModule(spec, ({ name }, at) =>
    names.indexOf(name.toLowerCase()) === indexOf(at)
      ? []
      : [duplicateValue(`${at}.name`, name, "a module is listed once", "remove one of the two")],
  );
}

/** Exactly one place to fetch from, and one secret for it. */
export function modulesHaveOneSource({ spec }: ReviewedCluster): readonly Objection[] {
  return perModule(spec, ({ source: { http, https }, credentialsSecret }, at) => {
    if (https === undefined && http === undefined) {
      return [requiredValue(`${at}.source`, "one of https and http", `write ${at}.source.https.url`)];
    }
    if (https !== undefined && http !== undefined) {
      return [forbiddenValue(`${at}.source.http`, "it and source.https are both set", "leave http out")];
    }
    const inner = (https ?? http)?.credentialsSecret;
    if (credentialsSecret === undefined || inner === undefined || credentialsSecret === inner) return [];
    const why = `"${credentialsSecret}" here and "${inner}" in source are two names of one secret and differ`;
    return [forbiddenValue(`${at}.credentialsSecret`, why, "leave it out here")];
  });
}

/** A URL of the scheme that is named, without credentials in it. */
export function modulesHaveUrls({ spec }: ReviewedCluster): readonly Objection[] {
  return perModule(spec, ({ source }, at) =>
    (["https", "http"] as const).flatMap((scheme) => {
      const url = source[scheme]?.url;
      return url === undefined ? [] : urlObjections(`${at}.source.${scheme}.url`, url, scheme);
    }),
  );
}

function urlObjections(field: string, text: string, scheme: "http" | "https"): readonly Objection[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== `${scheme}:`) {
    const shown = url === undefined ? text : withoutCredentials(url);
    return [
      invalidValue(
        field,
        shown,
        `it is no ${scheme} URL`,
        `write for instance "${scheme}://modules.example.com/module.zip"`,
      ),
    ];
  }
  if (url.username === "" && url.password === "") return [];
  const why = "credentials stand in it, where everybody reads them";
  return [
    invalidValue(
      field,
      withoutCredentials(url),
      why,
      "put them into a Secret (username, password) and name it in credentialsSecret",
    ),
  ];
}

function withoutCredentials(url: URL): string {
  return url.href.replace(/\/\/[^@/]*@/, "//");
}

function perModule(
  { userDefinedModules = [] }: ReviewedCluster["spec"],
  look: (module: UserModule, at: string) => readonly Objection[],
): readonly Objection[] {
  return userDefinedModules.flatMap((module, index) => look(module, `spec.userDefinedModules[${index}]`));
}

function indexOf(at: string): number {
  return Number(/\[(\d+)\]$/.exec(at)?.[1] ?? -1);
}
