import { describe, expect, test } from 'vitest';
import { aNodeConfig, COREOS, type NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { aFile } from '../../../test/support/build.ts';
import { describePlan } from '../../../test/support/describe-plan.ts';
import { invalid, ok } from '../../base/errors.ts';
import { mergePolicies } from './disruption-policy.ts';
import { type PlanInput, planUpdate, startText } from './plan-update.ts';
import { withRuntimeFiles } from './runtime-files.ts';

const config = (name: string, parts: NodeConfigParts = {}) => aNodeConfig(`rendered-worker-${name}`, parts);
const unit = (name: string) => ({ name, contents: '[Service]\nExecStart=/bin/true\n', enabled: true });
const before = config('old', {
  storage: { files: [aFile('/etc/a', '1')] },
  systemd: { units: [unit('kept.service'), unit('gone.service')] },
});
const after = config('new', {
  spec: { osImageURL: 'registry.example/os@sha256:1' },
  storage: { files: [aFile('/etc/a', '2')] },
  systemd: { units: [unit('new.service'), unit('kept.service')] },
});

const policies = ok(mergePolicies(undefined));
function plan(input: Partial<PlanInput>) {
  const result = planUpdate({ from: before, to: after, policies, machine: COREOS, ...input });
  if (result.kind !== 'plan') throw new Error(result.error);
  return result.plan;
}

describe('planUpdate', () => {
  test('makes no plan where the node cannot apply the config', () => {
    const to = config('new', { storage: { directories: [{ path: '/d' }] } });
    expect(planUpdate({ from: before, to, policies, machine: COREOS })).toEqual({
      kind: 'unreconcilable',
      error: `can't reconcile config rendered-worker-old with rendered-worker-new: configs rendered-worker-old, rendered-worker-new are not reconcilable: new machineconfig "rendered-worker-new" is not reconcilable against "rendered-worker-old": ignition directories section contains changes`,
      log: ['Checking Reconcilable for config rendered-worker-old to rendered-worker-new'],
    });
  });

  test('makes no plan where the post actions are unknown', () => {
    const to = config('new', { storage: { files: [aFile('/etc/a', '2')] } });
    const result = planUpdate({
      from: before,
      to,
      policies: invalid([{ path: '', message: 'not ready' }]),
      machine: COREOS,
    });
    expect(result).toMatchObject({ kind: 'actions-unknown', error: 'not ready' });
  });
});

test('a plan contains steps, actions and their reasons', () => {
  expect(plan({})).toEqual({
    from: 'rendered-worker-old',
    to: 'rendered-worker-new',
    change: expect.objectContaining({ osImage: true, files: true, units: true }),
    actions: [{ type: 'Reboot' }],
    needsDrain: true,
    needsReboot: true,
    steps: [
      { kind: 'fetch', image: 'registry.example/os@sha256:1' },
      { kind: 'drain' },
      { kind: 'files', units: ['new.service'] },
      { kind: 'os', reasons: ['Upgrading OS'] },
      { kind: 'store-config' },
      { kind: 'post-action', action: { type: 'Reboot' } },
    ],
    log: [
      'Checking Reconcilable for config rendered-worker-old to rendered-worker-new',
      'Calculating node disruption actions',
      'Calculated node disruption actions: [Reboot]',
      'Drain calculated for node disruption: true for config rendered-worker-new',
    ],
  });
});

test('a plan without a drain logs that', () => {
  const to = { ...before, name: 'rendered-worker-same' };
  expect(plan({ to }).log.slice(-2)).toEqual([
    'Drain calculated for node disruption: false for config rendered-worker-same',
    'Changes do not require drain, skipping.',
  ]);
});

test('the same config again needs no drain, and is stored and completed (edge case 2)', () => {
  const { steps, needsDrain, needsReboot } = plan({ to: before });
  expect({ steps, needsDrain, needsReboot }).toEqual({
    steps: [{ kind: 'store-config' }, { kind: 'post-action', action: { type: 'None' } }],
    needsDrain: false,
    needsReboot: false,
  });
});

test('a forced plan writes all units (edge case 16 relies on it)', () => {
  const { steps } = plan({ to: before, isForced: true });
  expect(steps[1]).toEqual({ kind: 'files', units: ['gone.service', 'kept.service'] });
});

test('startText is the first line of an update in the system journal', () => {
  expect(startText(plan({}))).toMatch(
    /^Starting update from rendered-worker-old to rendered-worker-new: &\{osUpdate:true kargs:false /,
  );
});

test('a plan can be described in sentences', () => {
  expect(describePlan(plan({}))).toEqual([
    'rendered-worker-old → rendered-worker-new',
    '  changes: OS image, files (1), units (2)',
    '    file /etc/a',
    '    unit gone.service',
    '    unit new.service',
    '  the node drains and reboots; afterwards: [Reboot]',
    '  1. download the OS image registry.example/os@sha256:1',
    '  2. drain the node',
    '  3. write the files and the units new.service, and remove what is stale',
    '  4. stage the OS for the next boot: Upgrading OS',
    '  5. store the new config as the current one',
    '  6. reboot',
  ]);
  expect(describePlan(plan({ to: before }))).toEqual([
    'rendered-worker-old, once more',
    '  changes: nothing',
    '  the node neither drains nor reboots; afterwards: [None]',
    '  1. store the new config as the current one',
    '  2. nothing more to do',
  ]);
});

describe('the OS image is fetched before the drain', () => {
  const isFetched = (files: readonly string[], units: readonly string[] = []) => {
    const to = config('new', {
      spec: { osImageURL: 'registry.example/os@sha256:1' },
      storage: { files: files.map((path) => aFile(path, '2')) },
      systemd: { units: units.map(unit) },
    });
    const from = config('old', { storage: { files: [] } });
    const result = planUpdate({ from, to, policies, machine: COREOS });
    return result.kind === 'plan' && result.plan.steps.some(({ kind }) => kind === 'fetch');
  };

  test('whatever other files and units change', () => {
    expect(isFetched([])).toBe(true);
    expect(isFetched(['/etc/a', '/var/lib/kubelet/config'], ['app.service'])).toBe(true);
  });

  test.each([
    '/etc/containers/registries.conf',
    '/etc/containers/policy.json',
    '/etc/docker/certs.d/registry.example/ca.crt',
    '/etc/pki/ca-trust/source/anchors/ours.crt',
    '/etc/mco/proxy.env',
    '/var/lib/kubelet/config.json',
  ])('unless the same config changes how it is pulled: %s', (path) => {
    expect(isFetched(['/etc/a', path])).toBe(false);
  });

  test('unless the same config changes the service that pulls it', () => {
    expect(isFetched([], ['rpm-ostreed.service'])).toBe(false);
  });
});

describe('the plan of a node that runs containerd', () => {
  const entry = (mirror: string, use: string) =>
    `[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "${mirror}"\npull-from-mirror = "${use}"\n`;
  const registries = (name: string, text: string) =>
    withRuntimeFiles(
      config(name, { storage: { files: [aFile('/etc/containers/registries.conf', text)] } }),
      'containerd',
    );
  const from = registries('old', '');

  test('follows the policy of registries.conf for its hosts.toml, and reloads no CRI-O', () => {
    const to = registries('new', entry('m.example', 'digest-only'));
    const { actions, needsDrain, steps, change } = plan({ from, to, runtime: 'containerd' });
    expect(change.changedFiles).toContain('/etc/containerd/certs.d/quay.io/hosts.toml');
    expect({ actions, needsDrain }).toEqual({ actions: [{ type: 'None' }], needsDrain: false });
    expect(steps.at(-1)).toEqual({ kind: 'post-action', action: { type: 'None' } });
    const tags = registries('new', entry('m.example', 'tag-only'));
    expect(plan({ from, to: tags, runtime: 'containerd' }).log).toContain(
      'containerd has no mirrors for tags only: it asks the mirror "m.example" of "quay.io" for pulls by digest as well',
    );
    expect(plan({ from, to: tags, runtime: 'containerd' })).toMatchObject({
      actions: [{ type: 'None' }],
      needsDrain: true,
      needsReboot: false,
    });
  });

  test('has the other actions of its policies', () => {
    const path = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt';
    const to = config('new', { storage: { files: [aFile(path, 'x')] } });
    const { actions, log } = plan({ from: config('old'), to, runtime: 'containerd' });
    expect(actions).toEqual([{ type: 'Restart', service: 'coreos-update-ca-trust.service' }]);
    expect(log).toContain(
      'This node runs containerd, which reads its files at every pull: [Restart coreos-update-ca-trust.service, Restart crio.service] becomes [Restart coreos-update-ca-trust.service]',
    );
    expect(plan({ from: config('old'), to, runtime: 'cri-o' }).actions).toHaveLength(2);
  });

  test('follows a policy that users have for hosts.toml', () => {
    const to = registries('new', entry('m.example', 'digest-only'));
    const own = mergePolicies({
      files: [{ path: '/etc/containerd/certs.d', actions: [{ type: 'Reboot' }] }],
    });
    expect(plan({ from, to, runtime: 'containerd', policies: ok(own) })).toMatchObject({ needsReboot: true });
  });
});
