/**
 * Changes of objects from which MachineConfigs are generated: each is applied, and then deleted.
 */
import type { SnapshotObject } from '../../src/insight/index.ts';

type SettingsChange = { readonly what: string; readonly objects: readonly SnapshotObject[] };

const WORKERS = { matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' } };

const an = (apiVersion: string, kind: string, name: string, spec: object) =>
  ({ apiVersion, kind, metadata: { name }, spec }) as unknown as SnapshotObject;
const kubelet = (name: string, kubeletConfig: object, more: object = {}) =>
  an('machineconfiguration.openshift.io/v1', 'KubeletConfig', name, {
    ...{ machineConfigPoolSelector: WORKERS, kubeletConfig },
    ...more,
  });
const runtime = (name: string, containerRuntimeConfig: object) =>
  an('machineconfiguration.openshift.io/v1', 'ContainerRuntimeConfig', name, {
    ...{ machineConfigPoolSelector: WORKERS, containerRuntimeConfig },
  });
const tags = (name: string, source: string, ...mirrors: readonly string[]) =>
  an('config.openshift.io/v1', 'ImageTagMirrorSet', name, { imageTagMirrors: [{ source, mirrors }] });
const digests = (name: string, source: string, ...mirrors: readonly string[]) =>
  an('config.openshift.io/v1', 'ImageDigestMirrorSet', name, { imageDigestMirrors: [{ source, mirrors }] });

// biome-ignore format: a table, one change a line.
export const SETTINGS_CHANGES: readonly SettingsChange[] = [
  { what: 'a KubeletConfig with another number of pods', objects: [kubelet('pods', { maxPods: 321 })] },
  { what: 'a KubeletConfig with a log level', objects: [kubelet('verbose', {}, { logLevel: 6 })] },
  { what: 'two KubeletConfigs at once', objects: [kubelet('a', { maxPods: 111 }), kubelet('b', { podPidsLimit: 2048 })] },
  { what: 'a ContainerRuntimeConfig with a limit of processes', objects: [runtime('pids', { pidsLimit: 2048 })] },
  { what: 'two ContainerRuntimeConfigs with different settings', objects: [runtime('pids', { pidsLimit: 2048 }), runtime('log', { logLevel: 'debug' })] },
  { what: 'a mirror for digests', objects: [digests('d', 'registry.example/a', 'mirror.example/a')] },
  { what: 'a mirror for tags', objects: [tags('t', 'registry.example/b', 'mirror.example/b')] },
  { what: 'mirrors for tags and digests of one source', objects: [tags('t', 'registry.example/c', 'mirror.example/c'), digests('d', 'registry.example/c', 'mirror.example/c')] },
  { what: 'a mirror and a KubeletConfig', objects: [digests('d', 'registry.example/d', 'mirror.example/d'), kubelet('pods', { maxPods: 99 })] },
];
