import { describe, expect, test } from 'vitest';
import {
  annotations,
  labels,
  type MachineConfig,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
} from '../../api/index.ts';
import type { Job, Node, Secret } from '../../kubernetes/types/index.ts';
import type { BuildState } from '../../rollout/index.ts';
import { buildName, imageInputsDigest } from './build-name.ts';
import { type BuildSnapshot, DEFAULT_BUILD_LIMITS, type ImageState } from './build-snapshot.ts';
import { buildConditions } from './build-state.ts';
import { type BuildAction, credentialsMark, decideBuild } from './decide-build.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const DIGEST = `sha256:${'d'.repeat(64)}`;
const IMAGE = `quay.io/example/os@${DIGEST}`;
const OLD_IMAGE = `quay.io/example/os@sha256:${'e'.repeat(64)}`;
const MINUTE = 60_000;

const rendered = {
  metadata: { name: 'rendered-infra-1', annotations: { [annotations.releaseImageVersion]: '4.22.0' } },
  spec: { osImageURL: `quay.io/rel/os@sha256:${'a'.repeat(64)}` },
} as unknown as MachineConfig;
const pool = {
  metadata: { name: 'infra' },
  spec: { configuration: { name: 'rendered-infra-1' } },
} as unknown as MachineConfigPool;
const secret = (name: string, resourceVersion = '1') =>
  ({
    metadata: { name, namespace: 'openshift-machine-config-operator', uid: `${name}-uid`, resourceVersion },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': btoa('{"auths":{}}') },
  }) as unknown as Secret;

type ConfigChange = {
  readonly annotations?: { readonly [key: string]: string };
  readonly status?: object;
  readonly spec?: object;
  readonly name?: string;
};

function config(change: ConfigChange = {}): MachineOSConfig {
  const { name = 'infra' } = change;
  return {
    metadata: { name, annotations: change.annotations ?? {} },
    spec: {
      machineConfigPool: { name: 'infra' },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: 'push' },
      renderedImagePushSpec: 'quay.io/example/os:latest',
      containerFile: [{ containerfileArch: 'NoArch', content: 'FROM configs AS final\nRUN true' }],
      ...change.spec,
    },
    ...(change.status === undefined ? {} : { status: change.status }),
  } as unknown as MachineOSConfig;
}

const NAME = buildName({ config: config(), pool, rendered });
const INPUTS = imageInputsDigest({ config: config(), rendered });

type BuildChange = {
  readonly name?: string;
  readonly image?: string;
  readonly annotations?: { readonly [key: string]: string };
  readonly labels?: { readonly [key: string]: string };
  readonly isDeleting?: boolean;
  readonly isBlank?: boolean;
  readonly created?: string;
  readonly cause?: string;
  readonly buildEnd?: string;
  readonly owner?: string;
};

function build(state: BuildState, change: BuildChange = {}): MachineOSBuild {
  const { name = NAME, image = '' } = change;
  const bare = { metadata: { name } } as unknown as MachineOSBuild;
  return {
    metadata: {
      name,
      uid: `${name}-uid`,
      creationTimestamp: change.created ?? '2026-01-01T10:00:00Z',
      annotations: { [annotations.imageInputs]: INPUTS, ...change.annotations },
      labels: change.labels ?? {},
      ...(change.owner === undefined
        ? {}
        : { ownerReferences: [{ kind: 'MachineOSConfig', uid: change.owner, controller: true }] }),
      ...(change.isDeleting ? { deletionTimestamp: '2026-01-01T11:00:00Z' } : {}),
    },
    spec: { renderedImagePushSpec: `quay.io/example/os:${name}` },
    status: {
      ...(change.isBlank
        ? {}
        : {
            conditions: buildConditions(bare, state, {
              now: '2026-01-01T11:00:00Z',
              ...(change.cause === undefined ? {} : { cause: change.cause }),
            }),
          }),
      ...(image === '' ? {} : { digestedImagePushSpec: image }),
      ...(change.buildEnd === undefined ? {} : { buildEnd: change.buildEnd }),
    },
  } as unknown as MachineOSBuild;
}

const started = { [annotations.jobUid]: 'job-uid' };
const ended = {
  ...started,
  [annotations.credentials]: credentialsMark({ secrets: { push: secret('push') } }),
};
const job = (status: object, uid = 'job-uid') =>
  ({ metadata: { name: `build-${NAME}`, uid }, status }) as unknown as Job;
const follows = (image = IMAGE, name = NAME) => ({
  annotations: { [annotations.currentMachineOSBuild]: name },
  status: { currentImagePullSpec: image, machineOSBuild: { name } },
});
const node = (change: { image?: string; os?: string; architecture?: string } = {}) =>
  ({
    metadata: {
      name: 'worker-0',
      annotations: change.image === undefined ? {} : { [annotations.currentImage]: change.image },
    },
    status: {
      nodeInfo: { osImage: change.os ?? 'Fedora CoreOS 41', architecture: change.architecture ?? 'amd64' },
    },
  }) as unknown as Node;

type SnapshotChange = Omit<Partial<BuildSnapshot>, 'imageState'> & {
  readonly job?: Job;
  readonly digest?: string;
  readonly images?: { readonly [image: string]: ImageState };
};

function snapshot({ job: one, digest, images = {}, ...change }: SnapshotChange = {}): BuildSnapshot {
  return {
    namespace: 'openshift-machine-config-operator',
    config: config(),
    pool,
    rendered,
    builds: [],
    jobs: new Map(one === undefined ? [] : [[NAME, one]]),
    failures: new Map(),
    digests: new Map(digest === undefined ? [] : [[NAME, digest]]),
    confirmed: new Set([NAME]),
    recorded: new Set([NAME, 'infra-old']),
    attempts: new Map([[NAME, 9]]),
    withObjects: new Set(),
    secrets: { push: secret('push') },
    nodes: [node()],
    imageState: (image) => images[image],
    pushState: { kind: 'allowed' },
    hasTrustBundle: false,
    nowMs: NOW,
    limits: DEFAULT_BUILD_LIMITS,
    ...change,
  };
}

/** An action in short, with what tells it from others of its kind. */
function short(action: BuildAction): string {
  switch (action.kind) {
    case 'wait':
      return action.afterMs === undefined ? 'wait' : `wait ${action.afterMs / MINUTE} min`;
    case 'create':
      return `create${action.isPreBuilt ? ' pre-built' : ''}`;
    case 'delete':
      return `delete ${action.build.metadata?.name === NAME ? 'it' : action.build.metadata?.name}: ${action.why}`;
    case 'report':
      return `report ${action.build.metadata?.name === NAME ? '' : `${action.build.metadata?.name} `}${action.state}${action.image === undefined ? '' : ' with image'}`;
    case 'follow':
      return `follow${action.image === undefined ? '' : ' with image'}${action.endsRebuild ? ', rebuild begun' : ''}`;
    case 'inspect':
      return 'inspect';
    case 'begin-rebuild':
      return `rebuild ${action.replaces === `${NAME}-uid` ? 'it' : action.replaces}`;
    default:
      return action.kind;
  }
}

const PRESENT = { kind: 'present' } as const;
const MISSING = { kind: 'missing' } as const;
const DENIED = { kind: 'error', message: 'unauthorized' } as const;
const rebuild = { [annotations.rebuild]: '' };
const rebuilding = { ...rebuild, [annotations.rebuilds]: `${NAME}-uid` };
const preBuilt = { [annotations.preBuiltImage]: IMAGE };
const seen = { [annotations.imageSize]: '7' };
const seeded = { [labels.preBuiltImageBuild]: 'true' };
const failingSince = (time: string) => ({
  ...follows(),
  status: {
    conditions: [{ type: 'Degraded', status: 'True', reason: 'BuildFailed', lastTransitionTime: time }],
  },
});
const old = (state: BuildState, change: BuildChange = {}) => build(state, { name: 'infra-old', ...change });
const other = { [annotations.imageInputs]: 'other' };

// biome-ignore format: a table, one row per line
const ROWS: readonly (readonly [situation: string, change: SnapshotChange, expected: string])[] = [
  // Which build should exist.
  ['no build', {}, 'create'],
  ['the pool is unknown', { pool: undefined as never }, 'wait'],
  ['the pool has not been rendered', { rendered: undefined as never }, 'wait'],
  ['the push secret is missing', { secrets: {} }, 'wait'],
  ['another config is for the pool', { rival: 'a' }, 'wait'],
  ['the build is of a former config with the same name', { builds: [build('Succeeded', { image: IMAGE, owner: 'former' })] }, 'wait'],
  ['the build is being deleted', { builds: [build('Succeeded', { isDeleting: true })] }, 'wait'],
  ['only a build of other inputs', { builds: [old('Succeeded', { annotations: other })] }, 'create'],
  ['only a running build of other inputs', { builds: [old('Building')] }, 'create'],
  ['the pool is gone while its image is built', { pool: undefined as never, builds: [build('Building', { annotations: started })], job: job({ active: 1 }) }, 'delete it: superseded'],
  ['the pool is gone before its build was started', { pool: undefined as never, rendered: undefined as never, builds: [build('Initial')] }, 'delete it: superseded'],
  ['the pool is gone, and its build is being deleted', { pool: undefined as never, builds: [build('Building', { isDeleting: true })] }, 'wait'],
  ['the pool is gone after its build has succeeded', { pool: undefined as never, config: config(follows()), builds: [build('Succeeded', { image: IMAGE })] }, 'wait'],
  ['the pool is gone after its build has failed', { pool: undefined as never, builds: [build('Failed', { annotations: ended })] }, 'wait'],
  ['the pool has not been rendered while an image is built', { rendered: undefined as never, builds: [build('Building', { annotations: started })], job: job({ active: 1 }) }, 'wait'],
  ['a running build of other inputs, while the push secret is missing', { secrets: {}, builds: [old('Building', { annotations: { ...started, ...other } })] }, 'delete infra-old: superseded'],
  ['a failed build of other inputs, while the push secret is missing', { secrets: {}, builds: [old('Failed', { annotations: { ...ended, ...other } })] }, 'wait'],
  ['a successful build of other inputs, while the push secret is missing', { secrets: {}, builds: [old('Succeeded', { image: OLD_IMAGE, annotations: other })] }, 'wait'],
  ['a running build of other inputs, while another config is for the pool', { rival: 'a', builds: [old('Building', { annotations: { ...started, ...other } })] }, 'delete infra-old: superseded'],
  ['a running build of the same image, while the push secret is missing', { secrets: {}, builds: [old('Building', { annotations: started })] }, 'create'],
  ['a pre-built image', { config: config({ annotations: preBuilt }) }, 'create pre-built'],
  ['a pre-built image that is not by digest', { config: config({ annotations: { [annotations.preBuiltImage]: 'quay.io/a/b:c' } }) }, 'wait'],
  ['a pre-built image beside a current build', { config: config({ annotations: { ...preBuilt, ...follows().annotations } }) }, 'create'],

  // A build that has not been started.
  ['a new build without conditions', { config: config(follows()), builds: [build('Initial', { isBlank: true })] }, 'report Initial'],
  ['a new build without conditions whose secret is missing', { builds: [build('Initial', { isBlank: true })], secrets: {} }, 'report Initial'],
  ['a new build', { config: config(follows()), builds: [build('Initial')] }, 'start'],
  ['a new build beside a running one', { config: config(follows()), builds: [build('Initial'), old('Building')] }, 'delete infra-old: superseded'],
  ['a new build beside a failed one', { config: config(follows()), builds: [build('Initial'), old('Failed')] }, 'delete infra-old: superseded'],
  ['a new build beside one that is being deleted', { config: config(follows()), builds: [build('Initial'), old('Building', { isDeleting: true })] }, 'start'],
  ['a new build before the registry was asked', { config: config(follows()), builds: [build('Initial')], pushState: undefined }, 'check-push'],
  ['a new build whose image cannot be pushed', { config: config(follows()), builds: [build('Initial')], pushState: { kind: 'error', message: 'denied' } }, 'wait 0.5 min'],
  ['a new build without its secret', { config: config(follows()), builds: [build('Initial')], secrets: {} }, 'wait'],
  ['an image of the same inputs, not looked at', { config: config(follows()), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE })] }, 'inspect'],
  ['an image of the same inputs, present', { config: config(follows()), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE })], images: { [OLD_IMAGE]: PRESENT } }, 'report Succeeded with image'],
  ['an image of the same inputs, gone', { config: config(follows()), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE })], images: { [OLD_IMAGE]: MISSING } }, 'start'],
  ['an image of the same inputs, unreadable', { config: config(follows()), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE })], images: { [OLD_IMAGE]: DENIED } }, 'report Succeeded with image'],
  ['an image of the same inputs, though the secret is gone', { secrets: {}, config: config(follows()), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE })], images: { [OLD_IMAGE]: PRESENT } }, 'report Succeeded with image'],
  ['no build, and an image of the same inputs, though the secret is gone', { secrets: {}, builds: [old('Succeeded', { image: OLD_IMAGE })] }, 'create'],
  ['an image of the same inputs, but another config is for the pool', { rival: 'a', config: config(follows()), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE })] }, 'wait'],
  ['a running build of the same image', { config: config(follows()), builds: [build('Initial'), old('Building', { annotations: started })], jobs: new Map([['infra-old', job({ active: 1 })]]) }, 'wait'],
  ['a complete build of the same image', { config: config(follows()), builds: [build('Initial'), old('Building', { annotations: started })], jobs: new Map([['infra-old', job({ succeeded: 1 })]]), digests: new Map([['infra-old', DIGEST]]) }, 'report infra-old Succeeded with image'],
  ['a running build of another image', { config: config(follows()), builds: [build('Initial'), old('Building', { annotations: { ...started, ...other } })], jobs: new Map([['infra-old', job({ active: 1 })]]) }, 'delete infra-old: superseded'],
  ['a new build that the config does not follow', { builds: [build('Initial')] }, 'follow'],
  ['a new build before the annotation of a pre-built image', { config: config({ annotations: preBuilt }), builds: [build('Initial')] }, 'delete it: superseded'],
  ['a running build of another image, while the push secret is missing', { secrets: {}, config: config(follows()), builds: [build('Initial'), old('Building', { annotations: { ...started, ...other } })] }, 'delete infra-old: superseded'],
  ['a running build of the same image, while the push secret of the new build is missing', { secrets: {}, config: config(follows()), builds: [build('Initial'), old('Building', { annotations: started })], jobs: new Map([['infra-old', job({ active: 1 })]]) }, 'wait'],
  ['an image of other inputs', { config: config(follows()), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE, annotations: other })] }, 'start'],
  ['an image of the same inputs that is being deleted', { config: config(follows()), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE, isDeleting: true })] }, 'start'],
  ['the build of a pre-built image', { config: config({ annotations: preBuilt }), builds: [build('Initial', { labels: seeded })] }, 'report Succeeded with image'],
  ['the build of a pre-built image that was withdrawn', { builds: [build('Initial', { labels: seeded })] }, 'delete it: superseded'],

  // The Job of a build.
  ['a Job without pods', { builds: [build('Initial', { annotations: started })], job: job({}) }, 'report Prepared'],
  ['a Job with a pod', { builds: [build('Initial', { annotations: started })], job: job({ active: 1 }) }, 'report Building'],
  ['a prepared build whose Job has a pod', { builds: [build('Prepared', { annotations: started })], job: job({ active: 1 }) }, 'report Building'],
  ['a building build that the config does not follow', { builds: [build('Building', { annotations: started })], job: job({ active: 1 }) }, 'follow'],
  ['a building build', { config: config(follows()), builds: [build('Building', { annotations: started })], job: job({ active: 1 }) }, 'wait'],
  ['a building build between two pods', { config: config(follows()), builds: [build('Building', { annotations: started })], job: job({ failed: 1 }) }, 'wait'],
  ['a building build whose Job counts from zero', { config: config(follows()), builds: [build('Building', { annotations: started })], job: job({}) }, 'wait'],
  ['a Job that has used its attempts', { builds: [build('Building', { annotations: started })], job: job({ failed: 4 }) }, 'report Failed'],
  ['a Job beyond its deadline', { builds: [build('Building', { annotations: started })], job: job({ failed: 1, conditions: [{ type: 'Failed', status: 'True' }] }) }, 'report Failed'],
  ['a running build whose pod has failed', { attempts: new Map(), builds: [build('Building', { annotations: started })], job: job({ active: 1, failed: 1 }) }, 'note-attempts'],
  ['a running build whose record was deleted', { recorded: new Set(), builds: [build('Building', { annotations: started })], job: job({ active: 1 }) }, 'record'],
  ['a Job that the cache does not show', { confirmed: new Set(), builds: [build('Building', { annotations: started })] }, 'confirm'],
  ['a Job that is complete, without a digest in the cache', { confirmed: new Set(), builds: [build('Building', { annotations: started })], job: job({ succeeded: 1 }) }, 'confirm'],
  ['a Job that was deleted', { builds: [build('Building', { annotations: started })] }, 'report Interrupted'],
  ['a Job that was replaced', { builds: [build('Building', { annotations: started })], job: job({ active: 1 }, 'another') }, 'report Interrupted'],
  ['a Job that is complete', { builds: [build('Building', { annotations: started })], job: job({ succeeded: 1 }), digest: DIGEST }, 'report Succeeded with image'],
  ['a Job that is complete at first sight', { builds: [build('Initial', { annotations: started })], job: job({ succeeded: 1 }), digest: DIGEST }, 'report Succeeded with image'],
  ['a Job that is complete without a digest', { builds: [build('Building', { annotations: started })], job: job({ succeeded: 1 }) }, 'report Interrupted'],
  ['a Job that is complete with a wrong digest', { builds: [build('Building', { annotations: started })], job: job({ succeeded: 1 }), digest: 'x' }, 'report Failed'],
  ['a running build whose secret was deleted', { config: config(follows()), builds: [build('Building', { annotations: started })], job: job({ active: 1 }), secrets: {} }, 'wait'],

  // A successful build.
  ['a built image that the config does not name', { builds: [build('Succeeded', { image: IMAGE })] }, 'follow with image'],
  ['a config that names another image', { config: config(follows(OLD_IMAGE)), builds: [build('Succeeded', { image: IMAGE })] }, 'follow with image'],
  ['a Job of a successful build', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE })], job: job({ succeeded: 1 }) }, 'clean'],
  ['objects of a successful build', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE })], withObjects: new Set([NAME]) }, 'clean'],
  ['a failed build beside a successful one', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE }), old('Failed')] }, 'delete infra-old: superseded'],
  ['an image that was not looked at', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE })] }, 'inspect'],
  ['an image that is gone from the registry', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE, annotations: seen })], images: { [IMAGE]: MISSING } }, 'delete it: image-missing'],
  ['an image that the registry has never shown: the credentials may only push', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE })], images: { [IMAGE]: MISSING } }, 'wait'],
  ['an image that is gone and was seen with the build before', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE }), old('Succeeded', { image: IMAGE, annotations: seen })], images: { [IMAGE]: MISSING } }, 'delete it: image-missing'],
  ['a pre-built image that is not there', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE, labels: seeded })], images: { [IMAGE]: MISSING } }, 'delete it: image-missing'],
  ['a registry that does not answer', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE })], images: { [IMAGE]: DENIED } }, 'wait'],
  ['an image that is not on record', { config: config(follows()), recorded: new Set(), builds: [build('Succeeded', { image: IMAGE, annotations: started })] }, 'record'],
  ['an image that was taken over and is on the record of another build', { config: config(follows()), recorded: new Set(), builds: [build('Succeeded', { image: IMAGE })], images: { [IMAGE]: PRESENT } }, 'wait'],
  ['an image whose size is not noted', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE })], images: { [IMAGE]: { kind: 'present', bytes: 7 } } }, 'note-size'],
  ['an image whose size is noted', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE, annotations: { [annotations.imageSize]: '7' } })], images: { [IMAGE]: { kind: 'present', bytes: 7 } } }, 'wait'],
  ['everything done', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE })], images: { [IMAGE]: PRESENT } }, 'wait'],
  ['a pre-built image that is in use', { config: config({ ...follows(), annotations: { ...follows().annotations, ...preBuilt } }), builds: [build('Succeeded', { image: IMAGE, labels: seeded })] }, 'forget-pre-built'],
  ['as many older images as are kept', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE }), ...[1, 2].map((n) => old('Succeeded', { name: `infra-o${n}`, image: `i${n}` }))], images: { [IMAGE]: PRESENT } }, 'wait'],
  ['an older image too many', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE }), ...[1, 2, 3].map((n) => old('Succeeded', { name: `infra-o${n}`, image: `i${n}`, created: `2026-01-01T0${n}:00:00Z` }))], images: { [IMAGE]: PRESENT } }, 'delete infra-o1: pruned'],
  ['an older image too many that a node runs', { config: config(follows()), nodes: [node({ image: 'i1' })], builds: [build('Succeeded', { image: IMAGE }), ...[1, 2, 3].map((n) => old('Succeeded', { name: `infra-o${n}`, image: `i${n}`, created: `2026-01-01T0${n}:00:00Z` }))], images: { [IMAGE]: PRESENT } }, 'wait'],
  ['older builds of the same image, as after changes of files', { config: config(follows()), builds: [build('Succeeded', { image: IMAGE }), ...[1, 2, 3].map((n) => old('Succeeded', { name: `infra-o${n}`, image: IMAGE, created: `2026-01-01T0${n}:00:00Z` }))], images: { [IMAGE]: PRESENT } }, 'delete infra-o1: pruned'],

  // A failed or interrupted build.
  ['a failed build that the config does not follow', { builds: [build('Failed', { annotations: ended })] }, 'follow'],
  ['a build that has just failed', { config: config(follows()), builds: [build('Failed', { annotations: ended, buildEnd: '2026-01-01T12:00:00Z' })] }, 'wait 10 min'],
  ['a build that failed ten minutes ago', { config: config(follows()), builds: [build('Failed', { annotations: ended, buildEnd: '2026-01-01T11:50:00Z' })] }, 'delete it: retry'],
  ['a build that fails for two hours', { config: config(failingSince('2026-01-01T10:00:00Z')), builds: [build('Failed', { annotations: ended, buildEnd: '2026-01-01T12:00:00Z' })] }, 'wait 60 min'],
  ['a build that fails for days', { config: config(failingSince('2025-12-01T10:00:00Z')), builds: [build('Failed', { annotations: ended, buildEnd: '2026-01-01T12:00:00Z' })] }, 'wait 360 min'],
  ['a failed build whose secret was edited', { config: config(follows()), secrets: { push: secret('push', '2') }, builds: [build('Failed', { annotations: ended, buildEnd: '2026-01-01T12:00:00Z' })] }, 'delete it: retry'],
  ['a failed build whose secret was deleted', { config: config(follows()), secrets: {}, builds: [build('Failed', { annotations: ended })] }, 'wait'],
  ['a Containerfile that is valid since nodes of another architecture have left', { config: config(follows()), builds: [build('Failed')] }, 'delete it: retry'],
  ['an interrupted build', { config: config(follows()), builds: [build('Interrupted', { annotations: ended })] }, 'delete it: retry'],

  // A requested rebuild.
  ['a rebuild of a successful build', { config: config({ annotations: rebuild }), builds: [build('Succeeded', { image: IMAGE })] }, 'rebuild it'],
  ['a rebuild without a build', { config: config({ annotations: rebuild }) }, 'rebuild none'],
  ['the build that is replaced', { config: config({ annotations: rebuilding }), builds: [build('Succeeded', { image: IMAGE })] }, 'delete it: rebuild'],
  ['the build that is replaced, while the push secret is missing', { secrets: {}, config: config({ ...follows(), annotations: { ...follows().annotations, ...rebuilding } }), builds: [build('Succeeded', { image: IMAGE })], images: { [IMAGE]: PRESENT } }, 'wait'],
  ['the build that is replaced, before the registry was asked', { pushState: undefined, config: config({ annotations: rebuilding }), builds: [build('Succeeded', { image: IMAGE })] }, 'check-push'],
  ['the build that is replaced, while the registry refuses', { pushState: { kind: 'error', message: 'denied' }, config: config({ annotations: rebuilding }), builds: [build('Succeeded', { image: IMAGE })] }, 'wait 0.5 min'],
  ['the running build that is replaced', { config: config({ annotations: rebuilding }), builds: [build('Building', { annotations: started })], job: job({ active: 1 }) }, 'delete it: rebuild'],
  ['the replaced build is gone', { config: config({ annotations: rebuilding }) }, 'create'],
  ['the new build of a rebuild, though an image would fit', { config: config({ annotations: { ...follows().annotations, ...rebuild, [annotations.rebuilds]: 'x' } }), builds: [build('Initial'), old('Succeeded', { image: OLD_IMAGE })], images: { [OLD_IMAGE]: PRESENT } }, 'start'],
  ['the new build of a rebuild has begun', { config: config({ annotations: { ...rebuild, [annotations.rebuilds]: 'x' } }), builds: [build('Initial', { annotations: started })], job: job({}) }, 'follow, rebuild begun'],
];

describe('decideBuild', () => {
  test.each(ROWS)('%s', (_, change, expected) => {
    expect(short(decideBuild(snapshot(change)).action)).toBe(expected);
  });

  test('has at least sixty rows', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(60);
  });

  // biome-ignore format: a table, one row per line
  test.each([
    [{ rival: 'a-infra' }, 'AnotherMachineOSConfig', 'MachineOSConfig a-infra is already for pool infra: delete one of the two'],
    [{ pool: undefined as never }, 'PoolNotFound', 'could not get layered MachineConfigPools: machineconfigpools.machineconfiguration.openshift.io "infra" not found'],
    [{ config: config({ spec: { renderedImagePushSpec: 'quay.io/A/os:latest' } }) }, 'InvalidPushSpec', 'invalid renderedImagePushSpec for MachineOSConfig infra: '],
    [{ secrets: {} }, 'SecretNotFound', 'could not validate renderedImagePushSecret "push" for MachineOSConfig infra: secret push from infra is not found. Did you use the right secret name? It must be in namespace openshift-machine-config-operator'],
    [{ secrets: { push: { ...secret('push'), type: 'Opaque' } as Secret } }, 'InvalidSecret', "could not validate renderedImagePushSecret \"push\" for MachineOSConfig infra: secret 'push/openshift-machine-config-operator' invalid secret key type Opaque"],
    [{ config: config({ spec: { baseImagePullSecret: { name: 'base' } } }) }, 'SecretNotFound', 'could not validate baseImagePullSecret "base" for MachineOSConfig infra'],
    [{ nodes: [node({ os: 'Ubuntu 24.04' })] }, 'NotCoreOS', 'on-cluster layering is only supported on CoreOS-based nodes: non-CoreOS OS "Ubuntu 24.04" detected on node "worker-0" in MachineConfigPool(s) [infra]'],
    [{ config: config({ name: 'a-name-of-twenty-five-chars' }) }, 'NameTooLong', 'names of pools that build OS images have at most 24 characters'],
  ] as const)('reports %j as %s', (change, reason, message) => {
    const { problem } = decideBuild(snapshot(change as SnapshotChange));
    expect(problem?.reason).toBe(reason);
    expect(problem?.message).toContain(message);
  });

  test('reports the cause of a failed build', () => {
    const failed = build('Failed', {
      annotations: ended,
      cause: 'pushing: denied',
      buildEnd: '2026-01-01T12:00:00Z',
    });
    expect(decideBuild(snapshot({ config: config(follows()), builds: [failed] })).problem).toEqual({
      reason: 'BuildFailed',
      message: `MachineOSBuild ${NAME}: Build Failed: pushing: denied`,
    });
  });

  test('waits for the OS image of a new MachineOSConfig, and asks for one only when none was rendered in time', () => {
    const bare = { ...rendered, spec: { osImageURL: '' } } as unknown as MachineConfig;
    const created = (ageMs: number, given = config()) => ({
      ...given,
      metadata: { ...given.metadata, creationTimestamp: new Date(NOW - ageMs).toISOString() },
    });
    const decide = (ageMs: number, given?: MachineOSConfig) =>
      decideBuild(snapshot({ config: created(ageMs, given), rendered: bare }));
    expect(decide(5_000)).toMatchObject({
      action: { kind: 'wait', afterMs: 25_000, why: 'the pool has no OS image yet' },
      name: expect.any(String),
    });
    expect(decide(5_000)).not.toHaveProperty('problem');
    expect(decide(30_000)).toMatchObject({
      action: { kind: 'wait' },
      problem: {
        reason: 'NoOSImage',
        message:
          'rendered-infra-1 of pool infra has no OS image to build on: set spec.osImageURL in a MachineConfig of the pool',
      },
    });
    const seeded = config({ annotations: { [annotations.preBuiltImage]: IMAGE } });
    expect(decide(5_000, seeded).action).toMatchObject({ kind: 'create', isPreBuilt: true });
  });

  test('fails a build with a wrong Containerfile without a Job, with the line, until the config changes', () => {
    const wrong = config({ spec: { containerFile: [{ content: 'FROM configs AS final\nRUM x' }] } });
    const name = buildName({ config: wrong, pool, rendered });
    const followed = { ...wrong, metadata: { ...wrong.metadata, ...follows(IMAGE, name) } };
    const { action, problem } = decideBuild(
      snapshot({ config: followed, builds: [build('Initial', { name })] }),
    );
    const text = 'Containerfile validation failed: line 2: unknown Dockerfile instruction: rum';
    expect(action).toMatchObject({ kind: 'report', state: 'Failed', cause: text });
    expect(problem).toEqual({ reason: 'InvalidContainerfile', message: text });
    const failed = build('Failed', { name, cause: text });
    expect(decideBuild(snapshot({ config: followed, builds: [failed] }))).toMatchObject({
      action: { kind: 'wait' },
      problem: { reason: 'InvalidContainerfile', message: text },
    });
  });

  test('lists only the first of many wrong lines: conditions have a limit', () => {
    const wrong = config({ spec: { containerFile: [{ content: 'x\n'.repeat(2000) }] } });
    const name = buildName({ config: wrong, pool, rendered });
    const followed = { ...wrong, metadata: { ...wrong.metadata, ...follows(IMAGE, name) } };
    const { problem } = decideBuild(snapshot({ config: followed, builds: [build('Initial', { name })] }));
    expect(problem?.message).toContain('line 5: unknown Dockerfile instruction: x; and 1995 more');
  });

  test.each([
    [{ activeDeadlineSeconds: 5_400 }, ' after 90 minutes'],
    [{}, ''],
  ])(
    'reports the deadline of a Job with the spec %j rather than the failure of an earlier pod',
    (spec, after) => {
      const conditions = [
        { type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'too long' },
      ];
      const { action } = decideBuild(
        snapshot({
          builds: [build('Building', { annotations: started })],
          job: { ...job({ failed: 2, conditions }), spec } as Job,
          failures: new Map([[NAME, 'RUN x: exit status 1']]),
        }),
      );
      const advice = `it was stopped${after} (change the limit with --build-timeout of \`millwright builder\` or \`millwright up\`)`;
      expect(action).toMatchObject({ state: 'Failed', cause: `DeadlineExceeded: too long: ${advice}` });
    },
  );
});
