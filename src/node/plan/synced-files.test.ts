import { describe, expect, it } from 'vitest';
import { EMPTY_CONTROLLER_CONFIG_SPEC } from '../../../test/support/controller-config-spec.ts';
import { planSync, type SyncedFile, syncedFiles } from './synced-files.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (content: string) => new TextEncoder().encode(content);

const rows = (files: readonly SyncedFile[]) =>
  files.map(({ path, bytes: content, mode }) => [path, text(content), mode.toString(8)]);

describe('syncedFiles', () => {
  it('has no files without data', () => {
    expect(syncedFiles(EMPTY_CONTROLLER_CONFIG_SPEC)).toEqual({ files: [], problems: [] });
  });

  it('has no file of a required field that is only a newline', () => {
    const spec = { ...EMPTY_CONTROLLER_CONFIG_SPEC, kubeAPIServerServingCAData: btoa('\n') };
    expect(syncedFiles(spec).files).toEqual([]);
  });

  it('has the CAs of kubelet and cloud with a trailing newline, and the pull secret for root alone', () => {
    const { files } = syncedFiles({
      ...EMPTY_CONTROLLER_CONFIG_SPEC,
      kubeAPIServerServingCAData: btoa('kubelet'),
      cloudProviderCAData: btoa('cloud\n'),
      internalRegistryPullSecret: btoa('{}'),
    });
    expect(rows(files)).toEqual([
      ['/etc/mco/internal-registry-pull-secret.json', '{}', '600'],
      ['/etc/kubernetes/kubelet-ca.crt', 'kubelet\n', '644'],
      ['/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem', 'cloud\n', '644'],
    ]);
  });

  it('has a CA for every registry, where the list of users wins', () => {
    const { files } = syncedFiles({
      ...EMPTY_CONTROLLER_CONFIG_SPEC,
      imageRegistryBundleData: [
        { file: 'a.example..5000', data: btoa('cluster') },
        { file: 'b.example', data: btoa('cluster') },
      ],
      imageRegistryBundleUserData: [{ file: 'a.example..5000', data: btoa('user') }],
    });
    expect(rows(files)).toEqual([
      ['/etc/docker/certs.d/a.example:5000/ca.crt', 'user', '644'],
      ['/etc/docker/certs.d/b.example/ca.crt', 'cluster', '644'],
    ]);
  });

  it('never leads out of its folder: a bundle that names no registry is left out, and logged', () => {
    const names = ['../../etc/passwd', 'a/b', '..', ''];
    const imageRegistryBundleUserData = names.map((file) => ({ file, data: btoa('x') }));
    expect(syncedFiles({ ...EMPTY_CONTROLLER_CONFIG_SPEC, imageRegistryBundleUserData })).toEqual({
      files: [],
      problems: names.map((name) => `Ignoring CA bundle ${JSON.stringify(name)}: it names no registry`),
    });
  });
});

const CA = '/etc/docker/certs.d/a.example/ca.crt';
const KUBELET = '/etc/kubernetes/kubelet-ca.crt';
const synced = (path: string, content = 'new', mode = 0o644): SyncedFile => ({
  path,
  bytes: bytes(content),
  mode,
});

type OnDisk = { readonly [path: string]: { readonly content: string; readonly mode: number } };

function planned(
  files: readonly SyncedFile[],
  onDisk: OnDisk = {},
  more: { readonly written?: readonly string[]; readonly configPaths?: readonly string[] } = {},
) {
  const found = (path: string) => onDisk[path];
  const plan = planSync(files, {
    bytesAt: (path) => (found(path) === undefined ? undefined : bytes(found(path)?.content ?? '')),
    modeAt: (path) => found(path)?.mode,
    written: more.written ?? [],
    configPaths: new Set(more.configPaths),
  });
  return { ...plan, writes: rows(plan.writes) };
}

describe('planSync', () => {
  it('writes what is missing or differs, and nothing else', () => {
    const files = [synced(CA), synced(KUBELET)];
    expect(planned(files).writes).toEqual([
      [CA, 'new', '644'],
      [KUBELET, 'new', '644'],
    ]);
    const old = { content: 'old', mode: 0o644 };
    expect(planned(files, { [CA]: old, [KUBELET]: { ...old, content: 'new' } }).writes).toEqual([
      [CA, 'new', '644'],
    ]);
  });

  it('keeps a changed mode of the kubelet CA, but makes the CA of a registry readable again', () => {
    const same = { content: 'new', mode: 0o600 };
    expect(planned([synced(CA), synced(KUBELET)], { [CA]: same, [KUBELET]: same }).writes).toEqual([
      [CA, 'new', '644'],
    ]);
    const old = { content: 'old', mode: 0o600 };
    expect(planned([synced(KUBELET)], { [KUBELET]: old }).writes).toEqual([[KUBELET, 'new', '600']]);
  });

  it('removes files of registries that the daemon wrote and that are no longer synced', () => {
    const other = '/etc/docker/certs.d/b.example/ca.crt';
    const plan = planned([synced(CA)], {}, { written: [other, CA] });
    expect(plan.removals).toEqual([other]);
  });

  it('never removes a file outside of the folders of registries', () => {
    expect(planned([], {}, { written: [KUBELET, '/etc/docker/certs.d.bak/a'] }).removals).toEqual([]);
  });

  it('leaves a path to the config that has it, whether it is synced or no longer', () => {
    const configPaths = [CA, '/etc/docker/certs.d/b.example/ca.crt'];
    expect(planned([synced(CA)], {}, { written: configPaths, configPaths })).toEqual({
      writes: [],
      removals: [],
      log: [`Not syncing "${CA}": the config has this file`],
    });
  });

  it('writes the CA of the kubelet also where a config has one, which is only the first', () => {
    expect(planned([synced(KUBELET)], {}, { configPaths: [KUBELET] }).writes).toHaveLength(1);
  });
});
