/**
 * What the API takes and refuses in the kinds that configure registries.
 */
import { describe } from 'vitest';
import { checkFields, type FieldRow, sampleOf } from '../../test/support/field-rows.ts';
import { long, many } from '../../test/support/shared-rows.ts';
import { image } from './image.ts';
import { imageContentSourcePolicy } from './image-content-source-policy.ts';
import { imageDigestMirrorSet } from './image-digest-mirror-set.ts';
import { imageTagMirrorSet } from './image-tag-mirror-set.ts';

const mirrorEntry = { source: 'registry.example.com/team' };

describe.each([
  [imageTagMirrorSet, 'imageTagMirrors'],
  [imageDigestMirrorSet, 'imageDigestMirrors'],
] as const)('$0.kind', (kind, list) => {
  const at = `spec.${list}`;
  checkFields(kind, sampleOf(kind, { name: 'mirrors', spec: { [list]: [mirrorEntry] } }), [
    { at: 'spec', good: [{}], bad: [undefined], message: 'Required value' },
    {
      at,
      good: [[], [{ source: 'a' }, { source: 'a' }]],
      bad: [[{ mirrors: ['b'] }]],
      path: `${at}[0].source`,
      message: 'Required value',
    },
    {
      at,
      good: ['a', 'A-b.io:5000', 'a.io/b/c__d/e---f', 'localhost:1/x', '*.example.com', '*.a'].map(
        (source) => [{ source }],
      ),
      bad: [
        '',
        '*',
        '*.a/b',
        'a.*.io',
        'a.io/B',
        'a.io/b:tag',
        'a.io/b@sha256:0',
        'http://a.io',
        '-a.io',
      ].map((source) => [{ source }]),
      path: `${at}[0].source`,
      message: 'should match',
    },
    {
      at,
      good: [[{ ...mirrorEntry, mirrors: ['m.io:5000/a', 'b'] }], [{ ...mirrorEntry, mirrors: [] }]],
      bad: [[{ ...mirrorEntry, mirrors: ['*.m.io'] }], [{ ...mirrorEntry, mirrors: ['m.io/a:tag'] }]],
      path: `${at}[0].mirrors[0]`,
      message: 'should match',
    },
    {
      at,
      good: [[{ ...mirrorEntry, mirrors: ['a', 'b'] }]],
      bad: [[{ ...mirrorEntry, mirrors: ['a', 'a'] }]],
      path: `${at}[0].mirrors[1]`,
      message: 'Duplicate value: "a"',
    },
    {
      at,
      good: [[{ ...mirrorEntry, mirrorSourcePolicy: 'NeverContactSource' }]],
      bad: [[{ ...mirrorEntry, mirrorSourcePolicy: '' }]],
      path: `${at}[0].mirrorSourcePolicy`,
      message: 'Unsupported value: "": supported values: "NeverContactSource", "AllowContactingSource"',
    },
  ]);
});

checkFields(imageContentSourcePolicy, sampleOf(imageContentSourcePolicy, { name: 'old', spec: {} }), [
  { at: 'spec', good: [{}], bad: [undefined], message: 'Required value' },
  {
    at: 'spec.repositoryDigestMirrors',
    good: [[{ source: 'any thing', mirrors: ['*', '*'] }]],
    bad: [[{ mirrors: [] }]],
    path: 'spec.repositoryDigestMirrors[0].source',
    message: 'Required value',
  },
  { at: 'status', good: [{}, undefined], bad: ['done'], message: 'must be of type object' },
]);

const REGISTRY_SCOPE =
  'each registry must be a valid hostname[:port][/path] or wildcard *.hostname format without tags or digests';
const registries = (count: number) => many(count, (index) => `r${index}.io`);
const registryRows = (name: string): readonly FieldRow[] => {
  const at = `spec.registrySources.${name}`;
  return [
    {
      at,
      good: [['a.io', '*.b.io', 'c.io:5000/d/e'], ['a.io', 'a.io'], []],
      bad: [['a.io/b:tag'], ['a.io/b@sha256:0'], ['*'], ['https://a.io'], ['a.io/']],
      path: `${at}[0]`,
      message: REGISTRY_SCOPE,
    },
    { at, good: [['a']], bad: [['']], path: `${at}[0]`, message: 'should be at least 1 chars long' },
    { at, good: [[long(256)]], bad: [[long(257)]], path: `${at}[0]`, message: 'Too long' },
    {
      at,
      good: [registries(1024)],
      bad: [registries(1025)],
      message: 'Too many: 1025: must have at most 1024 items',
    },
  ];
};

checkFields(image, sampleOf(image, { name: 'cluster', spec: {} }), [
  { at: 'spec', good: [{}], bad: [undefined], message: 'Required value' },
  ...registryRows('insecureRegistries'),
  ...registryRows('blockedRegistries'),
  ...registryRows('allowedRegistries'),
  {
    at: 'spec.registrySources',
    good: [{ blockedRegistries: ['a.io'], insecureRegistries: ['b.io'] }, { allowedRegistries: [] }],
    bad: [
      { blockedRegistries: ['a.io'], allowedRegistries: ['b.io'] },
      { blockedRegistries: [], allowedRegistries: [] },
    ],
    message: 'Only one of blockedRegistries or allowedRegistries may be set',
  },
  {
    at: 'spec.registrySources.containerRuntimeSearchRegistries',
    good: [['docker.io', 'any thing']],
    bad: [[]],
    message: 'should have at least 1 items',
  },
  {
    at: 'spec.registrySources.containerRuntimeSearchRegistries',
    good: [['a', 'b']],
    bad: [['a', 'b', 'a']],
    path: 'spec.registrySources.containerRuntimeSearchRegistries[2]',
    message: 'Duplicate value: "a"',
  },
  {
    at: 'spec.additionalTrustedCA',
    good: [{ name: '' }, undefined],
    bad: [{}],
    path: 'spec.additionalTrustedCA.name',
    message: 'Required value',
  },
  {
    at: 'spec.imageStreamImportMode',
    good: ['', 'Legacy', 'PreserveOriginal'],
    bad: ['legacy'],
    message: 'Unsupported value: "legacy": supported values: "", "Legacy", "PreserveOriginal"',
  },
]);
