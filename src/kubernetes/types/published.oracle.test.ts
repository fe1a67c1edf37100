/**
 * Compares the schemas of built-in kinds with the OpenAPI documents of Kubernetes.
 */
import { describe, expect, it } from 'vitest';
import { differences } from '../../../test/support/compare-published.ts';
import { findPublished, type Published, type PublishedResource } from '../../../test/support/published.ts';
import type { AnyBuiltin } from './builtin.ts';
import { deleteOptions } from './delete-options.ts';
import { bodies, builtins } from './kinds.ts';

const found = await findPublished();
const isMissing = 'unavailable' in found;
const because = isMissing ? ` (skipped: ${found.unavailable})` : '';

function published(): Published {
  if ('unavailable' in found) throw new Error(found.unavailable);
  return found;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const CRD = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** Where kube-apiserver differs from its documents. */
const deliberate: readonly string[] = [
  // JSON schemas are recursive, which a structural schema cannot express.
  `${CRD}.CustomResourceValidation.openAPIV3Schema: left open here`,
  // Go marshals nil lists, maps and pointers as null, unless they have omitempty.
  'io.k8s.api.authentication.v1.TokenRequestSpec.audiences: nullable true here, null there',
  'io.k8s.api.authentication.v1.TokenRequestSpec.boundObjectRef: nullable true here, null there',
  'io.k8s.api.authentication.v1.TokenRequestSpec.expirationSeconds: nullable true here, null there',
  'io.k8s.api.core.v1.ContainerImage.names: nullable true here, null there',
  'io.k8s.api.core.v1.ProjectedVolumeSource.sources: nullable true here, null there',
  'io.k8s.api.core.v1.TypedLocalObjectReference.apiGroup: nullable true here, null there',
  'io.k8s.api.core.v1.TypedObjectReference.apiGroup: nullable true here, null there',
  'io.k8s.api.rbac.v1.ClusterRole.rules: nullable true here, null there',
  'io.k8s.api.rbac.v1.Role.rules: nullable true here, null there',
  `${CRD}.CustomResourceDefinitionStatus.conditions: nullable true here, null there`,
  `${CRD}.CustomResourceDefinitionStatus.storedVersions: nullable true here, null there`,
  // A request without audiences gets a token for the server itself.
  'io.k8s.api.authentication.v1.TokenRequestSpec.audiences: required there only',
  // The server writes the whole status of these; an empty one would lack required fields.
  'io.k8s.api.authentication.v1.TokenRequest.status: default null here, {} there',
  'io.k8s.api.authorization.v1.SelfSubjectRulesReview.status: default null here, {} there',
  // Required by the documents, but defaulted in code.
  'io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern.status: default "True" here, "" there',
  'io.k8s.api.rbac.v1.RoleRef.apiGroup: default "rbac.authorization.k8s.io" here, "" there',
];

describe.skipIf(isMissing)(`the published documents${because}`, () => {
  it.each([...builtins, ...bodies])('match the schema of $group $kind', async (kind) => {
    const definition = await published().kindOf(kind);
    const different = differences(kind.schema, definition, published().enumOf);
    expect(different.filter((one) => !deliberate.includes(one))).toEqual([]);
  });

  it('match the schema of DeleteOptions', async () => {
    const definition = await published().definition(`${META}.DeleteOptions`);
    expect(differences(deleteOptions, definition, published().enumOf)).toEqual([]);
  });

  it('differ only where the differences are listed', async () => {
    const all = new Set<string>();
    for (const kind of [...builtins, ...bodies]) {
      const definition = await published().kindOf(kind);
      for (const one of differences(kind.schema, definition, published().enumOf)) all.add(one);
    }
    expect([...all].sort()).toEqual([...deliberate].sort());
  });
});

describe.skipIf(isMissing)(`the published list of resources${because}`, () => {
  it.each(builtins)('matches the resources of $group $kind', async (kind) => {
    const resources = await published().resourcesOf(kind.group);
    const ofThis = resources.filter(({ name }) => name.split('/')[0] === kind.plural);
    expect(ofThis).not.toEqual([]);
    expect(resourcesOf(kind)).toEqual(byName(ofThis.map(withoutHash)));
  });

  const resourcesOf = (kind: AnyBuiltin): readonly PublishedResource[] => {
    const { plural, singular, group, version, shortNames, categories, verbs } = kind;
    const namespaced = kind.scope === 'Namespaced';
    return byName([
      {
        name: plural,
        singularName: singular,
        namespaced,
        kind: kind.kind,
        verbs,
        ...(shortNames.length === 0 ? {} : { shortNames }),
        ...(categories.length === 0 ? {} : { categories }),
      },
      ...kind.subresources.map(({ name, takes, verbs }) => ({
        name: `${plural}/${name}`,
        singularName: '',
        namespaced,
        kind: takes.kind,
        verbs,
        ...(takes.group === group && takes.version === version
          ? {}
          : { group: takes.group, version: takes.version }),
      })),
    ]);
  };

  const byName = (resources: readonly PublishedResource[]) =>
    resources.toSorted((a, b) => (a.name < b.name ? -1 : 1));

  const withoutHash = ({ storageVersionHash: _, ...resource }: PublishedResource) => resource;
});

describe.skipIf(isMissing)(`the field selector conversions of kube-apiserver${because}`, () => {
  it.each(builtins)('match the selectable fields of $group $kind', async (kind) => {
    const ours = kind.selectableFields.map(({ name }) => name);
    const theirs = await labelsOf(kind);
    expect(ours.toSorted()).toEqual((theirs ?? ['metadata.name', 'metadata.namespace']).toSorted());
  });

  /** Undefined if the kind has no conversion function of its own. */
  const labelsOf = async (kind: AnyBuiltin): Promise<readonly string[] | undefined> => {
    const folder = kind.group === '' ? 'core' : kind.group.split('.')[0];
    const text = await published()
      .source(`pkg/apis/${folder}/v1/conversion.go`)
      .catch(() => '');
    const at = text.indexOf(`AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind("${kind.kind}")`);
    if (at < 0) return undefined;
    const table = /mapping := map\[string\]string\{([^}]*)\}/.exec(text)?.[1];
    if (table !== undefined) return [...table.matchAll(/^\s*"([\w.]+)":/gm)].map(([, label = '']) => label);
    const cases = text.slice(at, text.indexOf('default:', at)).matchAll(/case ([^:]*):/g);
    return [...cases].flatMap(([, labels = '']) =>
      [...labels.matchAll(/"([\w.]+)"/g)].map(([, label = '']) => label),
    );
  };
});
