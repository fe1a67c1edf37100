import { describe, expect, it } from 'vitest';
import { Fleet } from '../../test/support/a-fleet.ts';
import type { DaemonSet, Deployment, Lease } from '../kubernetes/types/index.ts';
import { absentComponents, absentText } from './absent-components.ts';
import { statusText } from './status-text.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');

function lease(name: string, renewedAgoMs: number, holderIdentity: string | undefined = 'pod_1'): Lease {
  const renewTime = new Date(NOW_MS - renewedAgoMs).toISOString();
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'mco' },
    spec: { ...(holderIdentity === '' ? {} : { holderIdentity }), renewTime, leaseDurationSeconds: 137 },
  };
}
const [CONTROLLER, OPERATOR] = ['machine-config-controller', 'machine-config'];
const absent = (...leases: readonly Lease[]) =>
  absentComponents({ namespace: 'mco', leases, readMs: NOW_MS })?.components.map(({ name }) => name);

describe('components', () => {
  it.each<[string, readonly Lease[], readonly string[] | undefined]>([
    ['that renew their Leases run', [lease(CONTROLLER, 20_000), lease(OPERATOR, 20_000)], undefined],
    [
      'are not reported for clocks that differ a little',
      [lease(CONTROLLER, 250_000), lease(OPERATOR, -250_000)],
      undefined,
    ],
    [
      'whose Lease expired long ago do not run',
      [lease(CONTROLLER, 260_000), lease(OPERATOR, 20_000)],
      ['machine-config-controller'],
    ],
    [
      'that are being restarted count as running',
      [lease(CONTROLLER, 170_000, ''), lease(OPERATOR, 0)],
      undefined,
    ],
    [
      'that have released their Lease and not come back do not run',
      [lease(CONTROLLER, 190_000, ''), lease(OPERATOR, 0)],
      ['machine-config-controller'],
    ],
    ['without Leases do not run', [], ['machine-config-controller', 'machine-config-operator']],
  ])('%s', (_, leases, expected) => {
    expect(absent(...leases)).toEqual(expected);
  });
});

describe('workloads', () => {
  // Only these fields are read.
  const scaled = (name: string, replicas: number, readyReplicas: number) =>
    ({
      metadata: { name },
      spec: { replicas },
      status: { observedGeneration: 1, readyReplicas },
    }) as unknown as Deployment;
  const daemons = (desiredNumberScheduled: number, numberReady: number) =>
    ({
      metadata: { name: 'd' },
      status: { observedGeneration: 1, desiredNumberScheduled, numberReady },
    }) as unknown as DaemonSet;
  const operator = scaled('machine-config-operator', 2, 2);
  const running = scaled('machine-config-controller', 2, 1);
  const fresh = [lease(CONTROLLER, 0), lease(OPERATOR, 0)];

  it.each<[string, readonly Lease[], readonly Deployment[], DaemonSet | undefined, string]>([
    ['run', fresh, [operator, running], daemons(3, 3), 'all run'],
    [
      'that are scaled to 0 do not run, although their Lease is fresh',
      fresh,
      [operator, scaled('machine-config-controller', 0, 0)],
      daemons(3, 3),
      'nobody acts on this cluster: machine-config-controller is scaled to 0',
    ],
    [
      'without a ready pod do not run',
      fresh,
      [operator, scaled('machine-config-controller', 2, 0)],
      daemons(3, 3),
      'nobody acts on this cluster: machine-config-controller has no ready pod',
    ],
    [
      'miss daemons',
      fresh,
      [operator, running],
      daemons(3, 1),
      'machine-config-daemon is ready on 1 of 3 nodes',
    ],
    [
      'have no daemon at all',
      fresh,
      [operator, running],
      daemons(0, 0),
      'machine-config-daemon runs on no node: see daemon.nodeSelector',
    ],
    [
      'and Leases are all gone after an uninstallation',
      [],
      [],
      undefined,
      'Millwright is not installed here: its pools and configs are, and nobody acts on them',
    ],
    [
      'that no controller has seen yet say nothing',
      fresh,
      [{ ...running, status: {} } as Deployment],
      { ...daemons(0, 0), status: {} } as unknown as DaemonSet,
      'all run',
    ],
    ['are not needed by processes outside of the cluster', fresh, [], undefined, 'all run'],
  ])('%s', (_, leases, deployments, daemonSet, expected) => {
    const read = { namespace: 'mco', leases, readMs: NOW_MS, workloads: { deployments, daemonSet } };
    const found = absentComponents(read);
    expect(found === undefined ? 'all run' : absentText(found, '2026-01-01T12:00:00Z')).toBe(expected);
  });
});

describe('the status of a fleet', () => {
  const textOf = (...leases: readonly Lease[]) => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.nowMs = NOW_MS;
    const absence = absentComponents({ namespace: 'mco', leases, readMs: NOW_MS });
    const status = { ...fleet.status(), ...(absence === undefined ? {} : { absent: absence }) };
    return statusText(status, { width: 120, hasColors: false });
  };

  it('begins with one line where nobody acts on the cluster, and shows where to look', () => {
    const lines = textOf(lease(OPERATOR, 0), lease(CONTROLLER, 14 * 60_000));
    expect(lines[0]).toBe('nobody acts on this cluster: machine-config-controller has not run for 14m');
    expect(lines[1]).toMatch(/^worker/);
    expect(lines.at(-1)).toBe(
      'kubectl -n mco get deployment machine-config-controller  # installed and available?',
    );
    expect(textOf()[0]).toBe(
      'nobody acts on this cluster: machine-config-controller has never run, machine-config-operator has never run',
    );
  });

  it('names the consequence where only the operator is missing', () => {
    expect(textOf(lease(CONTROLLER, 0))[0]).toBe(
      'machine-config-operator has never run: new nodes and changes of the cluster are not noticed',
    );
  });

  it('says nothing while all components run, and where Leases cannot be read', () => {
    expect(textOf(lease(CONTROLLER, 0), lease(OPERATOR, 0))[0]).toMatch(/^worker/);
    expect(new Fleet().pool('worker', 1).status()).not.toHaveProperty('absent');
  });
});
