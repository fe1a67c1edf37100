import { describe, expect, it } from 'vitest';
import { Fleet, NEW, OLD } from '../../../../test/support/a-fleet.ts';
import { foundIn, texts } from '../../../../test/support/doctor-facts.ts';
import { nodeFailed } from './node-failed.ts';

const IMAGE = `r.example/os@sha256:${'0'.repeat(64)}`;
const pull = (last: string) =>
  `Failed to update OS to ${IMAGE} after retries: timed out waiting for the condition; last error: ${last}`;

/** A node whose daemon reports the error. */
function failed(error: string): Fleet {
  const fleet = new Fleet().pool('worker', 2);
  fleet.send('worker-0');
  fleet.report('worker-0', { kind: 'update-found' }, { kind: 'failed', error });
  return fleet;
}

describe('a degraded node is named by the error of its daemon', () => {
  it.each([
    [pull('reading manifest x: manifest unknown'), 'OSImageNotFound'],
    [pull('unauthorized: access to the requested resource is not authorized'), 'OSImageUnauthorized'],
    [pull('dial tcp: lookup r.example: no such host'), 'OSRegistryUnreachable'],
    [
      pull('tls: failed to verify certificate: x509: certificate signed by unknown authority'),
      'OSRegistryNotTrusted',
    ],
    [pull('Source image rejected: A signature was required, but no signature exists'), 'OSImageRejected'],
    [pull('writing blob: no space left on device'), 'DiskFull'],
    [pull('Digest did not match, expected sha256:0, got sha256:1'), 'OSImageNotPulled'],
    // Upstream gives no error.
    [
      `failed to update OS to ${IMAGE} after retries: timed out waiting for the condition`,
      'OSImageNotPulled',
    ],
    ['open /etc/x: no space left on device', 'DiskFull'],
    [
      `unexpected on-disk state validating against ${NEW}: content mismatch for file "/etc/kept"`,
      'ConfigDrift',
    ],
    ['content mismatch for file "/etc/kept"', 'ConfigDrift'],
    ['mode mismatch for file: "/etc/kept"; expected: -rw-r--r--; received: -rw-------', 'ConfigDrift'],
    [
      `unexpected on-disk state validating against ${NEW}: missing expected kernel arguments: [nosmt]`,
      'ConfigDrift',
    ],
    [
      `unexpected on-disk state validating against ${NEW}: expected target osImageURL "a", have "b"`,
      'UnexpectedOSImage',
    ],
    [
      `unexpected on-disk state validating against ${NEW}: expected target osImageURL "a", have "b"; possible root cause: error: Installing kernel`,
      'OSNotFinalized',
    ],
    ['extension package verification failed: extension "usbguard" verification failed', 'ExtensionsMissing'],
    [
      'the following extension packages are missing from the staged deployment: [usbguard]',
      'ExtensionsMissing',
    ],
    ['/etc/machine-config-daemon/currentconfig cannot be read: it is not JSON', 'StateDamaged'],
    ['which config the node has is unknown; write /run/machine-config-daemon-force', 'StateDamaged'],
    [
      'pre-flight refuses this config, and the node is not drained: kubelet.service: it requires x; to update anyway, annotate',
      'PreflightRefused',
    ],
    ['machineconfig.machineconfiguration.openshift.io "rendered-worker-1" not found', 'MissingMachineConfig'],
    [`refusing OS image ${IMAGE}: its os-release has ID="fedora"`, 'OSImageRefused'],
    ["can't reconcile config a with b: FIPS", 'ConfigNotReconcilable'],
    ['could not apply update: reloading crio.service configuration failed. Error: x', 'ServiceActionFailed'],
    ['could not apply update: restarting chronyd.service service failed. Error: x', 'ServiceActionFailed'],
    ['reboot command failed, something is seriously wrong', 'RebootFailed'],
    ['error rolling back files writes: [unlink /etc/b: input/output error, rename]', 'RollbackFailed'],
    ['rename /etc/.x1 /etc/x: file exists', 'NodeDegraded'],
  ])('%s', (error, code) => {
    const [finding] = foundIn(nodeFailed, failed(error));
    expect(finding).toMatchObject({ code, about: { kind: 'Node', name: 'worker-0' }, pools: ['worker'] });
    expect(finding?.cause).not.toMatch(/undefined|timed out waiting/);
    expect(finding?.next.length).toBeGreaterThan(0);
  });

  it('with the part of it that matters', () => {
    expect(texts(foundIn(nodeFailed, failed(pull('manifest unknown'))))).toEqual([
      `OSImageNotFound: node worker-0 cannot pull its OS image ${IMAGE}, which does not exist`,
    ]);
    const refused =
      'pre-flight refuses this config, and the node is not drained: a: b; c: d; to update anyway, annotate x';
    expect(texts(foundIn(nodeFailed, failed(refused)))).toEqual([
      'PreflightRefused: node worker-0 refuses its config before the drain, since the update would lose the node: a: b; c: d',
    ]);
  });

  it('also where its state alone says that it cannot follow', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.send('worker-0');
    fleet.report(
      'worker-0',
      { kind: 'update-found' },
      { kind: 'unreconcilable', from: OLD, to: NEW, error: 'disks' },
    );
    expect(foundIn(nodeFailed, fleet)).toMatchObject([{ code: 'ConfigNotReconcilable' }]);
  });

  it('is left to the drain that it reports, while that is under way', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.send('worker-0');
    fleet.report('worker-0', { kind: 'update-found' });
    fleet.drain('worker-0');
    fleet.report('worker-0', {
      kind: 'failed',
      error: 'failed to drain node: worker-0 after 1 hour. Please see logs',
    });
    expect(foundIn(nodeFailed, fleet)).toEqual([]);
  });

  it('is none where nothing is degraded', () => {
    expect(foundIn(nodeFailed, new Fleet().pool('worker', 2))).toEqual([]);
  });
});
