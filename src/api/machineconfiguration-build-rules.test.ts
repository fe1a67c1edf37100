/**
 * What the API takes and refuses in MachineOSConfig and MachineOSBuild.
 */
import { checkFields, type FieldRow, sampleOf } from '../../test/support/field-rows.ts';
import {
  digestRows,
  long,
  many,
  pushSpec,
  pushSpecRows,
  reference,
  referenceRows,
  SUBDOMAIN,
} from '../../test/support/shared-rows.ts';
import { machineOSBuild } from './machine-os-build.ts';
import { machineOSConfig } from './machine-os-config.ts';

const ONE_PER_POOL =
  'MachineOSConfig name must match the referenced MachineConfigPool name; can only have one MachineOSConfig per MachineConfigPool';

const osConfigSpec = {
  machineConfigPool: { name: 'worker' },
  imageBuilder: { imageBuilderType: 'Job' },
  renderedImagePushSecret: { name: 'push' },
  renderedImagePushSpec: pushSpec,
};
const file = (containerfileArch: string) => ({ containerfileArch, content: 'FROM configs AS final' });

checkFields(machineOSConfig, sampleOf(machineOSConfig, { name: 'worker', spec: osConfigSpec }), [
  { at: 'spec.machineConfigPool.name', good: ['worker'], bad: ['infra'], path: '', message: ONE_PER_POOL },
  {
    at: 'spec.machineConfigPool.name',
    from: 'infra',
    good: ['infra', 'worker'],
    bad: ['other'],
    path: '',
    message: ONE_PER_POOL,
  },
  { at: 'spec.machineConfigPool.name', good: ['worker'], bad: ['Worker'], message: SUBDOMAIN },
  {
    at: 'spec.imageBuilder.imageBuilderType',
    good: ['Job'],
    bad: ['PodImageBuilder'],
    message: 'Unsupported value: "PodImageBuilder": supported values: "Job"',
  },
  { at: 'spec.renderedImagePushSecret.name', good: ['a.b'], bad: ['', 'A'], message: SUBDOMAIN },
  {
    at: 'spec.baseImagePullSecret',
    good: [undefined, { name: 'a' }],
    bad: [{ name: 'A' }],
    path: 'spec.baseImagePullSecret.name',
    message: SUBDOMAIN,
  },
  ...pushSpecRows('spec.renderedImagePushSpec'),
  {
    at: 'spec.containerFile',
    good: [[], [file('ARM64'), file('AMD64'), file('PPC64LE'), file('S390X')], [file('NoArch')]],
    bad: [[file('arm64')]],
    path: 'spec.containerFile[0].containerfileArch',
    message: 'Unsupported value: "arm64": supported values: "ARM64", "AMD64", "PPC64LE", "S390X", "NoArch"',
  },
  {
    at: 'spec.containerFile',
    good: [[file('ARM64'), file('NoArch')]],
    bad: [[file('NoArch'), file('NoArch')]],
    path: 'spec.containerFile[1]',
    message: 'Duplicate value',
  },
  {
    at: 'spec.containerFile',
    good: [[file('ARM64')]],
    bad: [['ARM64', 'AMD64', 'PPC64LE', 'S390X', 'NoArch'].map(file)],
    message: 'Too many: 5: must have at most 4 items',
  },
  {
    at: 'spec.containerFile',
    good: [[{ containerfileArch: 'NoArch', content: long(4096) }]],
    bad: [[{ containerfileArch: 'NoArch', content: long(4097) }]],
    path: 'spec.containerFile[0].content',
    message: 'Too long',
  },
  {
    at: 'status.observedGeneration',
    from: 2,
    good: [2, 3, undefined],
    bad: [1],
    message: 'observedGeneration must not move backwards',
  },
  { at: 'status.observedGeneration', good: [0], bad: [-1], message: 'should be greater than or equal to 0' },
  ...digestRows('status.currentImagePullSpec'),
]);
checkFields(
  machineOSConfig,
  sampleOf(machineOSConfig, { name: 'worker', spec: osConfigSpec, status: { machineOSBuild: reference } }),
  referenceRows('status.machineOSBuild'),
);

const buildSpec = {
  machineConfig: { name: 'rendered-worker-0123' },
  machineOSConfig: { name: 'worker' },
  renderedImagePushSpec: pushSpec,
};
const condition = (type: string, status: string) => ({
  type,
  status,
  reason: type,
  message: `Build ${type}`,
  lastTransitionTime: '2025-01-01T00:00:00Z',
});
const frozenRow = (type: string, message: string): FieldRow => ({
  at: 'status.conditions',
  from: [condition(type, 'True'), condition('Building', 'False')],
  good: [
    [condition(type, 'True'), condition('Building', 'False')],
    [condition('Building', 'False'), condition(type, 'True')],
  ],
  bad: [[condition(type, 'False'), condition('Building', 'False')], [condition(type, 'True')]],
  message,
});
const start = '2025-01-01T10:00:00Z';
const end = '2025-01-01T10:05:00Z';

checkFields(machineOSBuild, sampleOf(machineOSBuild, { name: 'worker-0', spec: buildSpec }), [
  {
    at: 'spec.machineOSConfig.name',
    from: 'worker',
    good: ['worker'],
    bad: ['infra'],
    path: 'spec',
    message: 'machineOSBuildSpec is immutable once set',
  },
  {
    at: 'spec.machineConfig.name',
    good: [long(10)],
    bad: [long(9)],
    message: 'should be at least 10 chars long',
  },
  { at: 'spec.machineConfig.name', good: [long(253)], bad: ['Rendered-worker'], message: SUBDOMAIN },
  { at: 'spec.machineOSConfig.name', good: ['a'], bad: ['A'], message: SUBDOMAIN },
  { at: 'spec.machineOSConfig.name', good: ['a'], bad: [''], message: 'should be at least 1 chars long' },
  ...pushSpecRows('spec.renderedImagePushSpec'),
  {
    at: 'status',
    good: [{}, { buildStart: start }, { buildStart: start, buildEnd: end }],
    bad: [{ buildEnd: end }, { buildStart: end, buildEnd: start }, { buildStart: start, buildEnd: start }],
    message: 'buildEnd must be after buildStart',
  },
  {
    at: 'status.buildStart',
    from: start,
    good: [start, undefined],
    bad: [end],
    message: 'buildStart is immutable once set',
  },
  {
    at: 'status.builder',
    good: [{ imageBuilderType: 'Job', job: reference }, { imageBuilderType: 'Other' }],
    bad: [{ imageBuilderType: 'Job' }, { imageBuilderType: 'Other', job: reference }],
    message: 'job is required when imageBuilderType is Job, and forbidden otherwise',
  },
  frozenRow('Failed', 'once a Failed condition is set, conditions are immutable'),
  frozenRow('Interrupted', 'once an Interrupted condition is set, conditions are immutable'),
  frozenRow('Succeeded', 'once an Succeeded condition is set, conditions are immutable'),
  {
    at: 'status.conditions',
    from: [condition('Failed', 'False'), condition('Building', 'True')],
    good: [[condition('Failed', 'True'), condition('Building', 'False')]],
    bad: [many(9, (index) => condition(`T${index}`, 'False'))],
    message: 'Too many: 9: must have at most 8 items',
  },
  ...digestRows('status.digestedImagePushSpec'),
  {
    at: 'status.relatedObjects',
    good: [[reference, { ...reference, resource: 'secrets' }, { ...reference, name: 'other' }]],
    bad: [[reference, { ...reference, group: 'apps' }]],
    path: 'status.relatedObjects[1]',
    message: 'Duplicate value',
  },
  ...referenceRows('').map((row) => {
    const field = row.at.slice(1);
    const listOf = (value: unknown) => [{ ...reference, [field]: value }];
    return {
      at: 'status.relatedObjects',
      good: row.good.filter((value) => value !== undefined).map(listOf),
      bad: row.bad.map(listOf),
      path: `status.relatedObjects[0].${field}`,
      message: row.message,
    };
  }),
  {
    at: 'status.relatedObjects',
    good: [many(10, (index) => ({ ...reference, name: `n${index}` }))],
    bad: [many(11, (index) => ({ ...reference, name: `n${index}` }))],
    message: 'Too many: 11: must have at most 10 items',
  },
]);
checkFields(
  machineOSBuild,
  sampleOf(machineOSBuild, {
    name: 'worker-0',
    spec: buildSpec,
    status: { buildStart: start, buildEnd: end, builder: { imageBuilderType: 'Job', job: reference } },
  }),
  [
    {
      at: 'status.buildEnd',
      from: end,
      good: [end, undefined],
      bad: ['2025-01-01T11:00:00Z'],
      message: 'buildEnd is immutable once set',
    },
    ...referenceRows('status.builder.job'),
  ],
);
