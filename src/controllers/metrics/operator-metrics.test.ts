import { expect, it } from 'vitest';
import type { ControllerConfig } from '../../api/index.ts';
import { certificateExpiry } from './operator-metrics.ts';

function config(certificates: readonly object[]): ControllerConfig {
  return { status: { controllerCertificates: certificates } } as unknown as ControllerConfig;
}

const certificate = (bundleFile: string, subject: string, notAfter: unknown) => ({
  bundleFile,
  subject,
  signer: 's',
  notAfter,
});

it('of certificates with the same subject, the expiry of the first to expire is reported', () => {
  const found = certificateExpiry(
    config([
      certificate('RootCAData', 'CN=a', '2030-01-01T00:00:00Z'),
      certificate('RootCAData', 'CN=a', '2029-01-01T00:00:00Z'),
      certificate('KubeAPIServerServingCAData', 'CN=a', '2031-01-01T00:00:00Z'),
      certificate('RootCAData', 'CN=b', 'soon'),
    ]),
  );
  expect(found).toEqual([
    { labels: { bundle: 'RootCAData', subject: 'CN=a' }, value: Date.UTC(2029, 0) / 1_000 },
    { labels: { bundle: 'KubeAPIServerServingCAData', subject: 'CN=a' }, value: Date.UTC(2031, 0) / 1_000 },
  ]);
  expect(certificateExpiry(undefined)).toEqual([]);
});
