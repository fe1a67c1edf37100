/**
 * What the API takes and refuses in MachineConfigNode.
 */
import { checkFields, type FieldRow, sampleOf } from '../../test/support/field-rows.ts';
import {
  DIGEST,
  digest,
  digestRows,
  IMAGE_NAME,
  image,
  long,
  many,
  objectNames,
  SUBDOMAIN,
} from '../../test/support/shared-rows.ts';
import { machineConfigNode } from './machine-config-node.ts';

const condition = {
  type: 'Updated',
  status: 'True',
  reason: 'Updated',
  message: '',
  lastTransitionTime: '2025-01-01T00:00:00Z',
};
const pinned = { name: 'edge', currentGeneration: 2, desiredGeneration: 3 };
const pinnedRow = (row: Omit<FieldRow, 'at' | 'path'> & { readonly field?: string }): FieldRow => {
  const { field, ...rest } = row;
  const path = `status.pinnedImageSets[0]${field === undefined ? '' : `.${field}`}`;
  return { ...rest, at: 'status.pinnedImageSets', path };
};
const generationRow = (field: string): FieldRow => {
  const others = { name: 'edge', lastFailedGenerationError: 'no route' };
  return pinnedRow({
    field,
    from: [{ ...others, [field]: 2 }],
    good: [[{ ...others, [field]: 2 }], [{ ...others, [field]: 3 }], [others]],
    bad: [[{ ...others, [field]: 1 }]],
    message: `${field} must not decrease`,
  });
};
const changeRow = (row: {
  readonly good: readonly string[];
  readonly bad: readonly string[];
  message: string;
}): FieldRow => ({
  at: 'status.irreconcilableChanges',
  good: row.good.map((fieldPath) => [{ fieldPath, diff: '-' }]),
  bad: row.bad.map((fieldPath) => [{ fieldPath, diff: '-' }]),
  path: 'status.irreconcilableChanges[0].fieldPath',
  message: row.message,
});
const bundle = 'ocp-release-bundle-4.20.1-x86_64';
const releaseRow = (row: {
  readonly field: string;
  readonly good: readonly object[];
  readonly bad: readonly object[];
  message: string;
}): FieldRow => ({
  at: 'status.internalReleaseImage.releases',
  good: row.good.map((release) => [{ name: bundle, ...release }]),
  bad: row.bad.map((release) => [{ name: bundle, ...release }]),
  path: `status.internalReleaseImage.releases[0].${row.field}`,
  message: row.message,
});

checkFields(
  machineConfigNode,
  sampleOf(machineConfigNode, {
    name: 'worker-0',
    spec: { node: { name: 'worker-0' }, pool: { name: 'worker' }, configVersion: { desired: 'not-yet-set' } },
  }),
  [
    {
      at: 'metadata.name',
      good: ['worker-0'],
      bad: ['worker-1'],
      path: '',
      message: 'spec.node.name should match metadata.name',
    },
    { at: 'spec.node.name', good: ['worker-0'], bad: ['Worker-0'], message: SUBDOMAIN },
    ...objectNames('spec.pool.name'),
    ...objectNames('spec.configVersion.desired'),
    ...digestRows('spec.configImage.desiredImage'),
    {
      at: 'spec.configImage',
      good: [undefined],
      bad: [{}],
      path: 'spec.configImage.desiredImage',
      message: 'Required value',
    },
    {
      at: 'status.configVersion',
      good: [{ desired: 'a', current: 'b' }],
      bad: [{ desired: 'a', current: '' }],
      path: 'status.configVersion.current',
      message: SUBDOMAIN,
    },
    ...objectNames('status.configVersion.desired'),
    ...digestRows('status.configImage.currentImage'),
    ...digestRows('status.configImage.desiredImage'),
    {
      at: 'status.configImage',
      good: [{ currentImage: image }],
      bad: [{}],
      message: 'should have at least 1 properties',
    },
    {
      at: 'status.observedGeneration',
      from: 3,
      good: [3, 4, undefined],
      bad: [2],
      message: 'observedGeneration must not decrease',
    },
    { at: 'status.observedGeneration', good: [1], bad: [0], message: 'should be greater than or equal to 1' },
    {
      at: 'status.conditions',
      good: [[condition, { ...condition, type: 'Drained' }]],
      bad: [[condition, condition]],
      path: 'status.conditions[1]',
      message: 'Duplicate value',
    },
    {
      at: 'status.conditions',
      good: [[{ ...condition, status: 'Unknown' }]],
      bad: [[{ ...condition, status: 'Maybe' }]],
      path: 'status.conditions[0].status',
      message: 'Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
    },
    {
      at: 'status.conditions',
      good: [[{ ...condition, reason: 'A_b:c' }]],
      bad: [[{ ...condition, reason: 'two words' }]],
      path: 'status.conditions[0].reason',
      message: 'should match',
    },
    {
      at: 'status.conditions',
      good: [many(20, (index) => ({ ...condition, type: `T${index}` }))],
      bad: [many(21, (index) => ({ ...condition, type: `T${index}` }))],
      message: 'Too many: 21: must have at most 20 items',
    },
    pinnedRow({
      good: [[pinned], [{ ...pinned, currentGeneration: 3 }], [{ name: 'edge', currentGeneration: 9 }]],
      bad: [[{ ...pinned, currentGeneration: 4 }]],
      message: 'desired generation must be greater than or equal to the current generation',
    }),
    pinnedRow({
      good: [[{ ...pinned, lastFailedGeneration: 3, lastFailedGenerationError: '' }]],
      bad: [[{ ...pinned, lastFailedGeneration: 4, lastFailedGenerationError: 'no route' }]],
      message: 'desired generation must be greater than or equal to the last failed generation',
    }),
    pinnedRow({
      good: [[{ ...pinned, lastFailedGeneration: 3, lastFailedGenerationError: 'no route' }]],
      bad: [[{ ...pinned, lastFailedGeneration: 3 }]],
      message: 'last failed generation error must be defined on image pull and pin failure',
    }),
    pinnedRow({ field: 'name', good: [[pinned]], bad: [[{ ...pinned, name: 'Edge' }]], message: SUBDOMAIN }),
    generationRow('currentGeneration'),
    generationRow('desiredGeneration'),
    generationRow('lastFailedGeneration'),
    pinnedRow({
      field: 'currentGeneration',
      good: [[{ name: 'edge', currentGeneration: 1 }]],
      bad: [[{ name: 'edge', currentGeneration: 0 }]],
      message: 'should be greater than or equal to 1',
    }),
    changeRow({
      good: ['spec.config'],
      bad: ['config.spec.a', 'spec'],
      message: 'The fieldPath must start with `spec.`',
    }),
    changeRow({
      good: ['spec.config.storage.disks[0].device'],
      bad: ['spec.a-b', 'spec.a b', 'spec.a/b'],
      message: "The fieldPath must consist only of alphanumeric characters, brackets [] and dots ('.').",
    }),
    changeRow({ good: [`spec.${long(65)}`], bad: [`spec.${long(66)}`], message: 'Too long' }),
    {
      at: 'status.irreconcilableChanges',
      good: [undefined],
      bad: [[]],
      message: 'should have at least 1 items',
    },
    releaseRow({
      field: 'name',
      good: [{}, { name: 'ocp-release-bundle-4.20.1-stream_a.b-c' }],
      bad: [
        { name: 'bundle-4.20.1-x86_64' },
        { name: 'ocp-release-bundle-4.20-x86_64' },
        { name: 'ocp-release-bundle-4.20.1-' },
      ],
      message: 'must be ocp-release-bundle-<version>-<arch|stream> and <= 64 chars',
    }),
    releaseRow({ field: 'name', good: [{}], bad: [{ name: `${bundle}${long(33)}` }], message: 'Too long' }),
    releaseRow({
      field: 'image',
      good: [{ image }],
      bad: [{ image: 'localhost:5000/a/b:latest' }],
      message: DIGEST,
    }),
    releaseRow({
      field: 'image',
      good: [{ image: `localhost:22625/a/b@${digest}` }, { image }],
      bad: [{ image: `elsewhere:22625/a/b@${digest}` }],
      message: `${IMAGE_NAME}; host must be either 'localhost' or a dot-qualified domain name`,
    }),
    releaseRow({
      field: 'conditions',
      good: [{ conditions: [condition] }],
      bad: [{ conditions: [] }],
      message: 'should have at least 1 items',
    }),
  ],
);
