import { describe, expect, it } from 'vitest';
import { type Kube, KubeError } from '../kubernetes/client/index.ts';
import { installedNamespace } from './installed-namespace.ts';

const USUAL = 'openshift-machine-config-operator';
const kubeWith = (...names: readonly string[]) =>
  ({ list: async () => ({ items: names.map((name) => ({ metadata: { name } })) }) }) as unknown as Kube;

describe('installedNamespace', () => {
  it.each([
    ['the usual one where none has the label', {}, [], USUAL],
    ['the one that has the label', {}, ['machines'], 'machines'],
    ['that of the flag where none has the label', { namespace: 'machines' }, [], 'machines'],
    ['that of the flag where several have the label', { namespace: 'b' }, ['a', 'b'], 'b'],
  ])('is %s', async (_, options, labelled, expected) => {
    expect(await installedNamespace(options, kubeWith(...labelled))).toBe(expected);
  });

  it.each([
    [
      {},
      ['a', 'b'],
      'have the label app.kubernetes.io/part-of=millwright: a, b: choose one with --namespace',
    ],
    [{ namespace: 'c' }, ['a'], '--namespace: Millwright is installed in a, not in c'],
  ])('of %j where %j have the label is refused', async (options, labelled, message) => {
    await expect(installedNamespace(options, kubeWith(...labelled))).rejects.toThrow(message);
  });
});

describe('a user who may not list namespaces', () => {
  const failing = (code: number) => {
    const error = new KubeError({ code, reason: '', message: 'no' } as never);
    return { list: () => Promise.reject(error) } as unknown as Kube;
  };

  it('means the usual namespace, or that of the flag', async () => {
    expect(await installedNamespace({}, failing(403))).toBe(USUAL);
    expect(await installedNamespace({ namespace: 'a' }, failing(403))).toBe('a');
  });

  it('is told about every other failure', async () => {
    await expect(installedNamespace({}, failing(500))).rejects.toThrow('no');
  });
});
