import { describe, expect, it } from 'vitest';
import type { LabDeployment } from './deployments.ts';
import { printStatus, statusJson } from './status.ts';

const BOOTED: LabDeployment = {
  commit: 'a'.repeat(64),
  serial: '0',
  isBooted: true,
  isStaged: false,
  version: '1.0',
  timestampSeconds: 1_760_702_948,
  reference: 'ostree-unverified-registry:h/os:1',
  digest: 'sha256:1',
};
const STAGED: LabDeployment = { ...BOOTED, isBooted: false, isStaged: true, reference: '', digest: '' };

describe('rpm-ostree status', () => {
  it('marks the booted deployment, and names one without an image by its commit', () => {
    expect(printStatus([STAGED, BOOTED])).toBe(`State: idle
Deployments:
  ${'a'.repeat(64)}
                  Version: 1.0 (2025-10-17T12:09:08Z)

* ostree-unverified-registry:h/os:1
                   Digest: sha256:1
                  Version: 1.0 (2025-10-17T12:09:08Z)
`);
  });

  it('omits absent fields from its JSON', () => {
    const [staged, booted] = JSON.parse(statusJson([STAGED, BOOTED])).deployments;
    expect(staged).toMatchObject({ staged: true, booted: false, version: '1.0', checksum: 'a'.repeat(64) });
    expect(staged).not.toHaveProperty('container-image-reference');
    expect(booted).toMatchObject({
      booted: true,
      'container-image-reference': 'ostree-unverified-registry:h/os:1',
    });
  });
});
