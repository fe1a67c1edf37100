import { describe, expect, it } from 'vitest';
import { formatYaml, parseYaml } from '../../base/yaml/index.ts';
import { authorityChange } from './kubeconfig-authority.ts';

const pem = (name: string) =>
  `-----BEGIN CERTIFICATE-----\n${btoa(`0 ${name}`)}\n-----END CERTIFICATE-----\n`;
const [OLD, NEW, LOCAL] = [pem('old'), pem('new'), pem('CN kube-apiserver-localhost-signer')];

const kubeconfig = (cluster: object, more: object = {}) => ({
  apiVersion: 'v1',
  clusters: [{ cluster: { server: 'https://api-int:6443', ...cluster }, name: 'local' }],
  contexts: [{ context: { cluster: 'local', user: 'kubelet' }, name: 'kubelet' }],
  'current-context': 'kubelet',
  kind: 'Config',
  users: [{ name: 'kubelet', user: { token: '0123' } }],
  ...more,
});
const withCa = (bundle: string, more: object = {}) =>
  kubeconfig({ 'certificate-authority-data': btoa(bundle) }, more);
const parsed = (text: string) => {
  const outcome = parseYaml(text);
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome.value[0]?.value;
};

describe('the CAs of the API server in a kubeconfig', () => {
  it('get those of the bundle that they lack, and keep all others', () => {
    const change = authorityChange(formatYaml(withCa(OLD)), NEW);
    if (change.kind !== 'change') throw new Error(change.kind);
    expect(parsed(change.text)).toEqual(withCa(NEW + OLD));
    expect(change.isUsed).toBe(true);
  });

  it.each([
    ['the bundle is the same', OLD, OLD],
    ['the bundle is the same in another order', OLD + NEW, NEW + OLD],
    ['the bundle has fewer', OLD + NEW, NEW],
    ['the bundle is empty', OLD, '\n'],
    ['the bundle has no certificate', OLD, 'mistyped'],
  ])('stay as they are where %s', (_, present, bundle) => {
    expect(authorityChange(formatYaml(withCa(present)), bundle)).toEqual({ kind: 'none' });
  });

  it('are written to a file in JSON, too', () => {
    expect(authorityChange(JSON.stringify(withCa(OLD)), NEW)).toMatchObject({ kind: 'change' });
  });

  it('are those of the cluster of the current context', () => {
    const other = {
      cluster: { 'certificate-authority-data': btoa(OLD), server: 'https://x' },
      name: 'other',
    };
    const file = withCa(OLD, { clusters: [other, ...withCa(OLD).clusters] });
    const change = authorityChange(formatYaml(file), NEW);
    if (change.kind !== 'change') throw new Error(change.kind);
    expect(parsed(change.text)).toEqual({ ...file, clusters: [other, ...withCa(NEW + OLD).clusters] });
  });

  it('are those of the only cluster where there is no context', () => {
    const file = withCa(OLD, { contexts: [], 'current-context': '' });
    expect(authorityChange(formatYaml(file), NEW)).toMatchObject({ kind: 'change' });
  });

  it('do not concern a running kubelet where they are for addresses that it does not use', () => {
    expect(authorityChange(formatYaml(withCa(OLD)), OLD + LOCAL)).toMatchObject({ isUsed: false });
    expect(authorityChange(formatYaml(withCa(OLD)), NEW + LOCAL)).toMatchObject({ isUsed: true });
  });

  const NO_DATA = 'its current cluster has no certificate-authority-data';
  it.each([
    ['of another program', kubeconfig({ 'certificate-authority': '/etc/kubernetes/pki/ca.crt' }), NO_DATA],
    ['that verifies nothing', kubeconfig({ 'insecure-skip-tls-verify': true }), NO_DATA],
    ['without clusters', { kind: 'Config' }, NO_DATA],
    ['with clusters of another form', { kind: 'Config', clusters: 'x' }, NO_DATA],
  ])('are left alone in a file %s', (_, file, why) => {
    expect(authorityChange(formatYaml(file), NEW)).toEqual({ kind: 'left', why });
  });

  it.each(['', 'text', '- a', 'a: [', `${formatYaml(withCa(OLD))}---\n${formatYaml(withCa(OLD))}`])(
    'are left alone in what is no kubeconfig: %j',
    (text) => {
      expect(authorityChange(text, NEW)).toEqual({ kind: 'left', why: 'it is no kubeconfig' });
    },
  );
});
