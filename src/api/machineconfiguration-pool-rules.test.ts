/**
 * What the API takes and refuses in MachineConfig, MachineConfigPool, PinnedImageSet and OSImageStream.
 */
import { checkFields, type FieldRow, sampleOf } from '../../test/support/field-rows.ts';
import {
  digest,
  digestRows,
  image,
  long,
  many,
  STREAM,
  streamNames,
} from '../../test/support/shared-rows.ts';
import { machineConfig } from './machine-config.ts';
import { machineConfigPool } from './machine-config-pool.ts';
import { osImageStream } from './os-image-stream.ts';
import { pinnedImageSet } from './pinned-image-set.ts';

checkFields(machineConfig, sampleOf(machineConfig, { name: '99-worker-a' }), [
  { at: 'spec', good: [undefined, {}], bad: ['text'], message: 'must be of type object' },
  {
    at: 'spec.kernelArguments',
    good: [null, [], ['quiet', 'quiet']],
    bad: ['quiet'],
    message: 'must be of type array',
  },
  { at: 'spec.extensions', good: [['usbguard']], bad: [null], message: 'must be of type array' },
  { at: 'spec.fips', good: [true], bad: ['true'], message: 'must be of type boolean' },
  { at: 'spec.kernelType', good: ['', 'realtime', 'anything'], bad: [1], message: 'must be of type string' },
  { at: 'spec.config', good: [{ any: { thing: 1 } }], bad: [[]], message: 'must be of type object' },
]);

const synchronizer = {
  poolSynchronizerType: 'PinnedImageSets',
  machineCount: 4,
  updatedMachineCount: 2,
  readyMachineCount: 2,
  availableMachineCount: 3,
  unavailableMachineCount: 1,
};
const synchronizerRow = (
  changes: { readonly good: object; readonly bad: object },
  message: string,
): FieldRow => ({
  at: 'status.poolSynchronizersStatus',
  good: [[{ ...synchronizer, ...changes.good }]],
  bad: [[{ ...synchronizer, ...changes.bad }]],
  path: 'status.poolSynchronizersStatus[0]',
  message,
});

checkFields(machineConfigPool, sampleOf(machineConfigPool, { name: 'worker', spec: {} }), [
  { at: 'spec', good: [{}], bad: [undefined], message: 'Required value' },
  { at: 'spec.maxUnavailable', good: [0, 3, '10%', 'many'], bad: [true], message: 'must be of type' },
  {
    at: 'spec.pinnedImageSets',
    good: [[{ name: 'A.b-c' }], many(100, (index) => ({ name: `s${index}` }))],
    bad: [many(101, (index) => ({ name: `s${index}` }))],
    message: 'Too many: 101: must have at most 100 items',
  },
  {
    at: 'spec.pinnedImageSets',
    good: [[{ name: 'a' }, { name: 'b' }]],
    bad: [[{ name: 'a' }, { name: 'a' }]],
    path: 'spec.pinnedImageSets[1]',
    message: 'Duplicate value',
  },
  {
    at: 'spec.pinnedImageSets',
    good: [[{ name: 'A.b-c' }]],
    bad: [[{ name: 'a_b' }], [{ name: 'a.' }], [{ name: long(64) }]],
    path: 'spec.pinnedImageSets[0].name',
    message: 'should match',
  },
  ...streamNames('spec.osImageStream.name'),
  ...streamNames('status.osImageStream.name'),
  {
    at: 'status.conditions',
    good: [[{ type: 'Updated' }, { type: 'Updated', status: 'maybe', lastTransitionTime: null }]],
    bad: [[{ type: 'Updated', lastTransitionTime: 'now' }]],
    path: 'status.conditions[0].lastTransitionTime',
    message: 'must be of type date-time',
  },
  synchronizerRow(
    { good: { updatedMachineCount: 4 }, bad: { updatedMachineCount: 5 } },
    'machineCount must be greater than or equal to updatedMachineCount',
  ),
  synchronizerRow(
    { good: { availableMachineCount: 4 }, bad: { availableMachineCount: 5 } },
    'machineCount must be greater than or equal to availableMachineCount',
  ),
  synchronizerRow(
    { good: { unavailableMachineCount: 4 }, bad: { unavailableMachineCount: 5 } },
    'machineCount must be greater than or equal to unavailableMachineCount',
  ),
  synchronizerRow(
    { good: { availableMachineCount: 4, readyMachineCount: 4 }, bad: { readyMachineCount: 5 } },
    'machineCount must be greater than or equal to readyMachineCount',
  ),
  synchronizerRow(
    { good: { readyMachineCount: 3 }, bad: { readyMachineCount: 4 } },
    'availableMachineCount must be greater than or equal to readyMachineCount',
  ),
  {
    at: 'status.poolSynchronizersStatus',
    from: [{ ...synchronizer, observedGeneration: 5 }],
    good: [5, 6, 0].map((observedGeneration) => [{ ...synchronizer, observedGeneration }]),
    bad: [[{ ...synchronizer, observedGeneration: 4 }]],
    path: 'status.poolSynchronizersStatus[0].observedGeneration',
    message: 'observedGeneration must not move backwards except to zero',
  },
  {
    at: 'status.poolSynchronizersStatus',
    good: [[synchronizer]],
    bad: [[{ ...synchronizer, poolSynchronizerType: 'Other' }]],
    path: 'status.poolSynchronizersStatus[0].poolSynchronizerType',
    message: 'Unsupported value: "Other": supported values: "PinnedImageSets"',
  },
  {
    at: 'status.poolSynchronizersStatus',
    good: [[{ ...synchronizer, machineCount: 4 }]],
    bad: [[{ ...synchronizer, updatedMachineCount: -1 }]],
    path: 'status.poolSynchronizersStatus[0].updatedMachineCount',
    message: 'should be greater than or equal to 0',
  },
]);

checkFields(
  pinnedImageSet,
  sampleOf(pinnedImageSet, { name: 'edge', spec: { pinnedImages: [{ name: image }] } }),
  [
    ...digestRows('name').map((row) => ({
      ...row,
      at: 'spec.pinnedImages',
      good: row.good.map((name) => [{ name }]),
      bad: row.bad.map((name) => [{ name }]),
      path: 'spec.pinnedImages[0].name',
    })),
    {
      at: 'spec.pinnedImages',
      good: [[{ name: image }]],
      bad: [[]],
      message: 'should have at least 1 items',
    },
    {
      at: 'spec.pinnedImages',
      good: [many(500, (index) => ({ name: `a.b/n${index}@${digest}` }))],
      bad: [many(501, (index) => ({ name: `a.b/n${index}@${digest}` }))],
      message: 'Too many: 501: must have at most 500 items',
    },
  ],
);

const stream = (name: string) => ({ name, osImage: image, osExtensionsImage: image });
/** The same rows for a field of an available stream. */
const streamFieldRows = (field: string, rows: readonly FieldRow[]): readonly FieldRow[] => {
  const offer = (value: unknown) => {
    const changed = { ...stream('a'), [field]: value };
    return { defaultStream: changed.name, availableStreams: [changed] };
  };
  return rows.map((row) => ({
    at: 'status',
    good: row.good.map(offer),
    bad: row.bad.map(offer),
    path: `status.availableStreams[0].${field}`,
    message: row.message,
  }));
};
const UNKNOWN_STREAM =
  'spec.defaultStream must reference an existing stream name from status.availableStreams';

checkFields(osImageStream, sampleOf(osImageStream, { name: 'cluster', spec: { defaultStream: 'rhel-9' } }), [
  {
    at: 'metadata.name',
    good: ['cluster'],
    bad: ['other'],
    path: '',
    message: "osimagestream is a singleton, .metadata.name must be 'cluster'",
  },
  ...streamNames('spec.defaultStream'),
  { at: 'spec.defaultStream', from: 'rhel-9', good: ['anything'], bad: ['Any'], message: STREAM },
  {
    at: 'status',
    good: [{ defaultStream: 'a', availableStreams: [stream('b'), stream('a')] }],
    bad: [{ defaultStream: 'c', availableStreams: [stream('b'), stream('a')] }],
    message: 'defaultStream must reference a stream name from availableStreams',
  },
  {
    at: 'status',
    good: [undefined],
    bad: [{ defaultStream: 'a', availableStreams: [] }],
    path: 'status.availableStreams',
    message: 'should have at least 1 items',
  },
  ...streamFieldRows('name', streamNames('')),
  ...streamFieldRows('osImage', digestRows('')),
  ...streamFieldRows('osExtensionsImage', digestRows('')),
  {
    at: 'status',
    good: [undefined],
    bad: [{ defaultStream: 'A', availableStreams: [stream('a')] }],
    path: 'status.defaultStream',
    message: STREAM,
  },
]);

const offering = { defaultStream: 'rhel-9', availableStreams: [stream('rhel-9'), stream('rhel-10')] };
checkFields(
  osImageStream,
  sampleOf(osImageStream, { name: 'cluster', spec: { defaultStream: 'rhel-9' }, status: offering }),
  [
    {
      at: 'spec.defaultStream',
      from: 'gone',
      good: ['gone', 'rhel-10'],
      bad: ['rhel-11'],
      path: '',
      message: UNKNOWN_STREAM,
    },
  ],
);
