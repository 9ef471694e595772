import { isProductKey } from "../../api/names.ts";
import { parseQuantity } from "#kit/base/quantity";
import type { ReviewedCluster } from "./reviewed-cluster.ts";
import { forbiddenValue, invalidValue, type Objection } from "./objection.ts";

/** Each image that is named can be pulled by that name. */
export function imagesAreNamed({ spec }: ReviewedCluster): readonly Objection[] {
  const images = [
    ["spec.storeEnterpriseImageSpec", spec.storeEnterpriseImageSpec],
    ["spec.storeEnterpriseServicesRiggerImageSpec", spec.storeEnterpriseServicesRiggerImageSpec],
    ["spec.bootstrapperImageSpec", spec.bootstrapperImageSpec],
    ["spec.usageMeter.callHomeClient.imageSpec", spec.usageMeter?.callHomeClient?.imageSpec],
  ] as const;
  return images.flatMap(([at, image]) => [
    ...repositoryObjections(`${at}.repository`, image?.repository),
    ...tagObjections(`${at}.versionTag`, image?.versionTag),
  ]);
}

const REPOSITORY = /^([a-z0-9]([-.a-z0-9]*[a-z0-9])?(:\d{1,5})?\/)?[a-z0-9]+([._/-]+[a-z0-9]+)*$/i;

function repositoryObjections(field: string, repository: string | undefined): readonly Objection[] {
  if (repository === undefined || (repository.length <= 255 && REPOSITORY.test(repository))) return [];
  const why = "it is an image name without scheme, tag and digest";
  return [
    invalidValue(
      field,
      repository,
      why,
      'write for instance "registry.example.com/storeenterprise/node"; the tag goes into versionTag',
    ),
  ];
}

function tagObjections(field: string, tag: string | undefined): readonly Objection[] {
  if (tag === undefined || /^\w[\w.-]{0,127}$/.test(tag)) return [];
  return [
    invalidValue(
      field,
      tag,
      "an image tag has letters, digits, dots, hyphens and underscores",
      'write for instance "8.2.0-25.12"',
    ),
  ];
}

/** Quantities, and no request above its limit. */
export function resourcesAreConsistent({ spec }: ReviewedCluster): readonly Objection[] {
  const parts = ["storeEnterpriseNodeResources", "storeEnterpriseServicesRiggerResources"] as const;
  return parts.flatMap((part) => {
    const { requests = {}, limits = {} } = spec[part];
    return [
      ...quantityObjections(`spec.${part}.requests`, requests),
      ...quantityObjections(`spec.${part}.limits`, limits),
      ...Object.entries(requests).flatMap(([name, asked]) =>
        excess(`spec.${part}.requests.${name}`, asked, limits[name]),
      ),
    ];
  });
}

function quantityObjections(at: string, values: Readonly<Record<string, string>>): readonly Objection[] {
  return Object.entries(values)
    .filter(([, value]) => !(parseQuantity(value) >= 0))
    .map(([name, value]) =>
      invalidValue(`${at}.${name}`, value, "it is no quantity", 'write for instance "500m", "2" or "4Gi"'),
    );
}

function excess(field: string, asked: string, limit: string | undefined): readonly Objection[] {
  if (limit === undefined || !(parseQuantity(asked) > parseQuantity(limit))) return [];
  return [invalidValue(field, asked, `it is above the limit, ${limit}`, "raise the limit, or ask for less")];
}

/** What marks objects for the product comes from no spec. A key that an older release took stays in the spec, and is left out. */
export function keysAreOfUsers({ spec, before, nodes }: ReviewedCluster): readonly Objection[] {
  if (before === undefined && nodes > 0) return [];
  return (["extraLabels", "podAnnotations"] as const).flatMap((part) =>
    Object.keys(spec[part] ?? {})
      .filter((key) => isProductKey(key) && before?.[part]?.[key] === undefined)
      .map((key) =>
        forbiddenValue(`spec.${part}["${key}"]`, "keys of this domain mark what the product owns", "use another key"),
      ),
  );
}

const KEY = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[a-z0-9]([\w.-]{0,61}[a-z0-9])?$/i;
const VALUE = /^([a-z0-9]([\w.-]{0,61}[a-z0-9])?)?$/i;

/** Keys and values that Kubernetes takes; annotations have any text for a value. */
export function labelsAreValid({ spec }: ReviewedCluster): readonly Objection[] {
  const labels = (["nodeSelector", "extraLabels"] as const).flatMap((part) =>
    Object.entries(spec[part] ?? {}).flatMap(([key, value]) => [
      ...keyObjections(`spec.${part}`, key),
      ...(VALUE.test(value)
        ? []
        : [invalidValue(`spec.${part}["${key}"]`, value, "it is no label value", LABEL_VALUE)]),
    ]),
  );
  return [
    ...labels,
    ...Object.keys(spec.podAnnotations ?? {}).flatMap((key) => keyObjections("spec.podAnnotations", key)),
  ];
}

const LABEL_VALUE = "write at most 63 letters, digits, dots, hyphens and underscores, a letter or digit first and last";

function keyObjections(field: string, key: string): readonly Objection[] {
  if (key.length <= 317 && KEY.test(key)) return [];
  const why =
    "it is no key: an optional DNS name and a slash, then at most 63 letters, digits, dots, hyphens and underscores";
  return [invalidValue(field, key, why, "correct the key")];
}
