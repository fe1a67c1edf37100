import { describe, expect, it } from 'vitest';
import { CERTIFICATE, CERTIFICATE_SUBJECT } from '../../test/support/a-certificate.ts';
import { EMPTY_CONTROLLER_CONFIG_SPEC } from '../../test/support/controller-config-spec.ts';
import { controllerCertificates } from './controller-certificates.ts';

const NONE = btoa('\n');
const read = (spec: object) =>
  controllerCertificates({
    ...EMPTY_CONTROLLER_CONFIG_SPEC,
    kubeAPIServerServingCAData: NONE,
    rootCAData: NONE,
    ...spec,
  });
const ONE = {
  subject: CERTIFICATE_SUBJECT,
  signer: CERTIFICATE_SUBJECT,
  notBefore: '2026-11-17T01:21:05Z',
  notAfter: '2036-11-14T01:21:05Z',
};

describe('certificates of the ControllerConfig', () => {
  it('have subject, signer and validity, as upstream writes them', () => {
    const spec = { kubeAPIServerServingCAData: btoa(`# the old one\n${CERTIFICATE}${CERTIFICATE}`) };
    const bundleFile = 'KubeAPIServerServingCAData';
    expect(read(spec)).toEqual({
      certificates: [
        { ...ONE, bundleFile },
        { ...ONE, bundleFile },
      ],
      problems: [],
    });
  });

  it('are in the order of the bundles: of the cluster, of its registry, of users', () => {
    const data = btoa(CERTIFICATE);
    const { certificates } = read({
      ...{
        imageRegistryBundleUserData: [{ file: 'mine.example', data }],
        imageRegistryBundleData: [{ file: 'svc..5000', data }],
      },
      ...{
        additionalTrustBundle: data,
        rootCAData: data,
        cloudProviderCAData: data,
        kubeAPIServerServingCAData: data,
      },
    });
    expect(certificates.map(({ bundleFile }) => bundleFile)).toEqual([
      ...['KubeAPIServerServingCAData', 'CloudProviderCAData', 'RootCAData', 'AdditionalTrustBundle'],
      ...['svc..5000', 'mine.example'],
    ]);
  });

  it('that cannot be read end their bundle and no other', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const spec = {
      kubeAPIServerServingCAData: btoa(`${CERTIFICATE}${broken}${CERTIFICATE}`),
      rootCAData: btoa(CERTIFICATE),
    };
    const { certificates, problems } = read(spec);
    expect(certificates.map(({ bundleFile }) => bundleFile)).toEqual([
      'KubeAPIServerServingCAData',
      'RootCAData',
    ]);
    expect(problems).toEqual([
      expect.stringContaining('a certificate of KubeAPIServerServingCAData cannot be read: '),
    ]);
  });

  it('may be missing, empty, or no PEM at all', () => {
    for (const data of [null, '', NONE, btoa('text'), '%'])
      expect(read({ additionalTrustBundle: data })).toEqual({ certificates: [], problems: [] });
  });

  it('survive every change of a byte without an exception', () => {
    const [, body = ''] = /-----\n([\s\S]*)\n-----END/.exec(CERTIFICATE) ?? [];
    const bytes = Uint8Array.from(atob(body.replace(/\n/g, '')), (letter) => letter.charCodeAt(0));
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.with(at, (bytes[at] ?? 0) ^ 0x55);
      const pem = `-----BEGIN CERTIFICATE-----\n${btoa(String.fromCharCode(...changed))}\n-----END CERTIFICATE-----\n`;
      const { certificates, problems } = read({ additionalTrustBundle: btoa(pem) });
      expect(certificates.length + problems.length).toBe(1);
    }
  });
});
