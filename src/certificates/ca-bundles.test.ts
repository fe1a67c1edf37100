import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../kubernetes/types/index.ts';
import { caBundles, NO_BUNDLE } from './ca-bundles.ts';

const withData = (data: { readonly [key: string]: string }): ConfigMap => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data },
});
const NONE = {
  ...{ kubeletClientCa: undefined, cloudConfig: undefined, userBundle: undefined },
  ...{ clientCa: undefined, rootCa: undefined, isKubeletsOwn: false },
  ...{ serverCa: undefined, kubeconfigData: undefined },
};
const PLAIN = {
  ...NONE,
  clientCa: withData({ 'client-ca-file': 'client' }),
  rootCa: withData({ 'ca.crt': 'root' }),
};

describe('the CA bundles of the ControllerConfig', () => {
  it('are empty without any ConfigMap, and leave optional fields alone', () => {
    expect(caBundles(NONE)).toEqual({ kubeAPIServerServingCAData: NO_BUNDLE, rootCAData: NO_BUNDLE });
  });

  it('are those that every Kubernetes cluster has', () => {
    const expected = { kubeAPIServerServingCAData: btoa('client'), rootCAData: btoa('root') };
    expect(caBundles(PLAIN)).toEqual(expected);
  });

  it('leave the client CA to kubelets that have their own, unless it is given by OpenShift’s name', () => {
    const own = { ...PLAIN, isKubeletsOwn: true };
    expect(caBundles(own).kubeAPIServerServingCAData).toBe(NO_BUNDLE);
    const given = { ...own, kubeletClientCa: withData({ 'ca-bundle.crt': 'rotated' }) };
    expect(caBundles(given).kubeAPIServerServingCAData).toBe(btoa('rotated'));
  });

  it('prefer OpenShift’s names, and fall back where these are empty', () => {
    const given = (text: string) => ({ ...PLAIN, kubeletClientCa: withData({ 'ca-bundle.crt': text }) });
    expect(caBundles(given('rotated')).kubeAPIServerServingCAData).toBe(btoa('rotated'));
    expect(caBundles(given(' \n')).kubeAPIServerServingCAData).toBe(btoa('client'));
  });

  it('know the API server by OpenShift’s name, and by what an administrator adds for load balancers', () => {
    const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
    const rootOf = (given: object) => atob(caBundles({ ...PLAIN, ...given }).rootCAData);
    const serverCa = withData({ 'ca-bundle.crt': pem('MIIA') });
    expect(rootOf({ serverCa })).toBe(pem('MIIA'));
    expect(rootOf({ serverCa: withData({ 'ca-bundle.crt': '\n' }) })).toBe('root');
    const kubeconfigData = { ...withData({}), binaryData: { 'ca-bundle.crt': btoa(pem('MIIB')) } };
    expect(rootOf({ serverCa, kubeconfigData })).toBe(pem('MIIB') + pem('MIIA'));
    expect(rootOf({ rootCa: undefined, kubeconfigData })).toBe(pem('MIIB'));
  });

  it('join those of users with those that the Proxy of the cluster names, each certificate once', () => {
    const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
    const trusted = (given: object) => {
      const found = caBundles({ ...PLAIN, ...given }).additionalTrustBundle;
      return typeof found === 'string' ? atob(found) : found;
    };
    const bundle = (...bodies: readonly string[]) => withData({ 'ca-bundle.crt': bodies.map(pem).join('') });
    const userBundle = bundle('MIIA');
    expect(trusted({ userBundle, proxy: { bundle: bundle('MIIB', 'MIIA') } })).toBe(
      pem('MIIA') + pem('MIIB'),
    );
    expect(trusted({ userBundle, proxy: { bundle: userBundle } })).toBe(pem('MIIA'));
    expect(trusted({ userBundle, proxy: { bundle: undefined } })).toBe(pem('MIIA'));
    expect(trusted({ proxy: { bundle: bundle('MIIB') } })).toBe(pem('MIIB'));
    // A cluster with a Proxy has none that only its ControllerConfig knows.
    expect(trusted({ proxy: { bundle: undefined } })).toBeNull();
    expect(trusted({ userBundle, proxy: { bundle: 'missing' } })).toBeUndefined();
    expect(trusted({})).toBeUndefined();
  });

  it('include those of the cloud and of users, and are cleared by an empty ConfigMap', () => {
    const cloudConfig = withData({ 'ca-bundle.pem': 'cloud' });
    const userBundle = withData({ 'ca-bundle.crt': 'users' });
    expect(caBundles({ ...PLAIN, cloudConfig, userBundle })).toMatchObject({
      cloudProviderCAData: btoa('cloud'),
      additionalTrustBundle: btoa('users'),
    });
    expect(caBundles({ ...PLAIN, cloudConfig: withData({}), userBundle: withData({}) })).toMatchObject({
      cloudProviderCAData: null,
      additionalTrustBundle: null,
    });
  });
});
