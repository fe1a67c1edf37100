/**
 * Mirror sets, image policies and registry settings that have no effect, or only part of it. Computed as the controller does:
 * mirror sets have no status, and events expire.
 */
import {
  clusterImagePolicy,
  image,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imagePolicy,
  imageTagMirrorSet,
} from '../../../api/index.ts';
import { type Finding as RegistryFinding, readRegistries } from '../../../config/registries/index.ts';
import { validate } from '../../../kubernetes/validation/index.ts';
import type { SnapshotKind, SnapshotObject } from '../../snapshot/cluster-snapshot.ts';
import type { Found } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

/** By reason; others are no refusals. */
const CODES: { readonly [reason: string]: string } = {
  InvalidMirrorSet: 'MirrorSetRefused',
  ConflictingMirrorSets: 'MirrorSetRefused',
  RegistriesTooLarge: 'MirrorSetRefused',
  InvalidImageConfig: 'ImageConfigRefused',
  ConflictScopes: 'ImagePolicyRefused',
};

export const registriesRefused: Rule = {
  codes: ['MirrorSetRefused', 'ImagePolicyRefused', 'ImageConfigRefused'],
  stage: 'other',
  find({ snapshot }) {
    // Those of a dump may have any shape; the API server stores none that is invalid.
    const all = <T extends SnapshotObject>(kind: SnapshotKind<T>) =>
      snapshot.all(kind).filter((object) => validate(kind.schema, object).length === 0);
    const [cluster] = all(image).filter(({ metadata }) => metadata.name === 'cluster');
    const { findings } = readRegistries({
      ...(cluster && { image: cluster }),
      digestMirrorSets: all(imageDigestMirrorSet),
      tagMirrorSets: all(imageTagMirrorSet),
      contentSourcePolicies: all(imageContentSourcePolicy),
      clusterImagePolicies: all(clusterImagePolicy),
      imagePolicies: all(imagePolicy),
    });
    return findings.flatMap(findingOf);
  },
};

function findingOf({ about, reason, message }: RegistryFinding): readonly Found[] {
  const code = CODES[reason];
  if (code === undefined) return [];
  const { kind, name, namespace } = about;
  const object = { kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const scope = namespace === undefined ? [] : ['-n', namespace];
  return [
    {
      code,
      cause: `${kind} ${name} has no effect, or only part of it: ${message}`,
      about: object,
      pools: [],
      evidence: [{ object, field: 'spec', value: `${reason}: ${message}` }],
      next: [
        {
          command: shell`kubectl ${[...scope, 'edit', kind.toLowerCase(), name]}`,
          why: 'correct it; the others still apply',
        },
      ],
    },
  ];
}
