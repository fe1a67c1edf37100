import { describe, expect, it } from 'vitest';
import { aPod } from '../../../test/support/a-pod.ts';
import { annotations, labels, type MachineOSBuild, NAMESPACE } from '../../api/index.ts';
import type { Job, Pod } from '../../kubernetes/types/index.ts';
import { buildPodOf, filesFor, objectNamesFor } from './build-pod.ts';

const build: MachineOSBuild = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineOSBuild',
  metadata: {
    name: 'infra-1',
    uid: 'uid-of-build',
    labels: { [labels.targetMachineConfigPool]: 'infra' },
    annotations: { [annotations.jobUid]: 'uid-of-job' },
  },
  spec: {
    machineConfig: { name: 'rendered-infra-1' },
    machineOSConfig: { name: 'infra' },
    renderedImagePushSpec: 'quay.io/a/os:infra-1',
  },
};

const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'build-infra-1',
    namespace: NAMESPACE,
    uid: 'uid-of-job',
    ownerReferences: [owner('MachineOSBuild', 'infra-1', 'uid-of-build')],
  },
  spec: { template: { spec: { containers: [] } } },
} as unknown as Job;

function owner(kind: string, name: string, uid: string) {
  return { apiVersion: 'v1', kind, name, uid, controller: true };
}

function buildPod(metadata: Partial<Pod['metadata']> = {}): Pod {
  return aPod(
    'build-infra-1-x',
    { initContainers: [{ name: 'image-build', image: 'any' }] },
    {
      namespace: NAMESPACE,
      ownerReferences: [owner('Job', 'build-infra-1', 'uid-of-job')],
      ...metadata,
    },
  );
}

function kindOf(pod: Pod, known: { readonly job?: Job; readonly build?: MachineOSBuild } = { job, build }) {
  return buildPodOf(pod, {
    job: (name) => (name === 'build-infra-1' ? known.job : undefined),
    build: (name) => (name === 'infra-1' ? known.build : undefined),
  }).kind;
}

describe('a pod of the embedded cluster is run as a process', () => {
  it('when pod, Job and MachineOSBuild name one another', () => {
    expect(kindOf(buildPod())).toBe('build');
  });

  const withUid = (uid: string) => ({ ...job, metadata: { ...job.metadata, uid } });
  it.each<[string, Pod, { readonly job?: Job; readonly build?: MachineOSBuild }, string]>([
    ['it is in another namespace', buildPod({ namespace: 'default' }), { job, build }, 'other'],
    ['it belongs to no Job', buildPod({ ownerReferences: [] }), { job, build }, 'other'],
    [
      'it belongs to a ReplicaSet',
      buildPod({ ownerReferences: [owner('ReplicaSet', 'build-infra-1', 'uid-of-job')] }),
      { job, build },
      'other',
    ],
    [
      'it claims a Job by name alone',
      buildPod({ ownerReferences: [owner('Job', 'build-infra-1', 'invented')] }),
      { job, build },
      'unproven',
    ],
    ['its Job is gone', buildPod(), { build }, 'unproven'],
    ['its Job was created again', buildPod(), { job: withUid('another'), build }, 'unproven'],
    [
      'its Job belongs to no build',
      buildPod(),
      { job: { ...job, metadata: { ...job.metadata, ownerReferences: [] } }, build },
      'unproven',
    ],
    ['the build is gone', buildPod(), { job }, 'unproven'],
    [
      'the build does not name the Job',
      buildPod(),
      { job, build: { ...build, metadata: { ...build.metadata, annotations: {} } } },
      'unproven',
    ],
    [
      'the build was created again',
      buildPod(),
      { job, build: { ...build, metadata: { ...build.metadata, uid: 'another' } } },
      'unproven',
    ],
  ])('but not when %s', (_, pod, known, expected) => {
    expect(kindOf(pod, known)).toBe(expected);
  });
});

describe('a container of a build gets', () => {
  const text = (content: string) => Buffer.from(content).toString('base64');
  const objects = {
    configMap: (name: string) => ({
      apiVersion: 'v1' as const,
      kind: 'ConfigMap' as const,
      metadata: { name },
      data: { [`of-${name}`]: name, '../escape': 'x' },
    }),
    secret: (name: string) => ({
      apiVersion: 'v1' as const,
      kind: 'Secret' as const,
      metadata: { name },
      data: { '.dockerconfigjson': text(name) },
    }),
  };

  it('the inputs of the build, without the credentials for pushing, to build', () => {
    const { files, environment } = filesFor('image-build', build, objects);
    expect(files.map(({ path }) => path)).toEqual([
      '/tmp/containerfile/of-containerfile-infra-1',
      '/tmp/machineconfig/of-mc-infra-1',
      '/tmp/additionaltrustbundle/of-additionaltrustbundle-infra-1',
      '/etc/containers/of-etc-registries-infra-1',
      '/etc/containers/of-etc-policy-infra-1',
      '/tmp/base-image-pull-creds/config.json',
      '/etc/pki/entitlement/.dockerconfigjson',
      '/etc/yum.repos.d/of-etc-yum-repos-d',
      '/etc/pki/rpm-gpg/.dockerconfigjson',
    ]);
    expect(files.filter(({ content }) => content === text('final-infra-1'))).toEqual([]);
    expect(objectNamesFor('image-build', build).secrets).not.toContain('final-infra-1');
    expect(environment).toEqual({
      ETC_PKI_ENTITLEMENT_MOUNTPOINT: '/etc/pki/entitlement',
      ETC_YUM_REPOS_D_MOUNTPOINT: '/etc/yum.repos.d',
      ETC_PKI_RPM_GPG_MOUNTPOINT: '/etc/pki/rpm-gpg',
    });
  });

  it('the credentials for pushing, and no others, to push', () => {
    const { files } = filesFor('image-push', build, objects);
    expect(files.map(({ path, content }) => [path, content])).toEqual([
      ['/etc/containers/of-etc-policy-infra-1', 'etc-policy-infra-1'],
      ['/tmp/additionaltrustbundle/of-additionaltrustbundle-infra-1', 'additionaltrustbundle-infra-1'],
      ['/tmp/final-image-push-creds/config.json', text('final-infra-1')],
    ]);
  });

  it('nothing, to report the digest', () => {
    expect(filesFor('create-digest-configmap', build, objects).files).toEqual([]);
  });
});
