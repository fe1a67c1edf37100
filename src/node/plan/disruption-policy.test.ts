import { describe, expect, test } from 'vitest';
import { aNodeConfig } from '../../../test/support/a-node-config.ts';
import { aFile } from '../../../test/support/build.ts';
import { type ClusterDisruptionPolicies, defaultDisruptionPolicies } from '../../api/index.ts';
import { invalid, ok } from '../../base/errors.ts';
import { configChange } from './config-change.ts';
import { actionsText, mergePolicies, policiesInForce, postActions } from './disruption-policy.ts';

const empty = aNodeConfig('empty');
const fileChange = (...paths: readonly string[]) =>
  configChange(empty, aNodeConfig('new', { storage: { files: paths.map((path) => aFile(path, 'x')) } }));

describe('policiesInForce', () => {
  const policies = { files: [] };
  const status = { observedGeneration: 3, nodeDisruptionPolicyStatus: { clusterPolicies: policies } };

  test.each([
    [undefined, 'MachineConfiguration/cluster has not been created yet'],
    [null, 'MachineConfiguration/cluster has not been created yet'],
    [{ metadata: { generation: 4 }, status }, 'NodeDisruptionPolicyStatus is not up to date'],
    [{ metadata: { generation: 3 } }, 'NodeDisruptionPolicyStatus is not up to date'],
    [
      { metadata: { generation: 3 }, status: { observedGeneration: 3 } },
      'NodeDisruptionPolicyStatus is not up to date',
    ],
  ])('reports why %j has no merged policies', (object, why) => {
    const read = policiesInForce(object);
    expect(read.kind === 'invalid' && read.problems.map(({ message }) => message)).toEqual([
      `NodeDisruptionPolicyStatus was not ready: ${why}`,
    ]);
  });

  test('returns the policies of a status that observed the current spec', () => {
    expect(policiesInForce({ metadata: { generation: 3 }, status })).toEqual(ok(policies));
  });
});

describe('mergePolicies', () => {
  test('returns the defaults where users have no policies', () => {
    expect(mergePolicies(undefined)).toEqual(defaultDisruptionPolicies);
    expect(mergePolicies({})).toEqual(defaultDisruptionPolicies);
  });

  test("overrides defaults with the users' policies, and appends the others", () => {
    const merged = mergePolicies({
      files: [
        { path: '/etc/new', actions: [{ type: 'None' }] },
        { path: '/etc/crio/policies/', actions: [{ type: 'Drain' }] },
      ],
      units: [{ name: 'x.service', actions: [{ type: 'None' }] }],
    });
    const paths = defaultDisruptionPolicies.files.map(({ path }) => path);
    expect(merged.files?.map(({ path }) => path)).toEqual([
      ...paths.map((path) => (path === '/etc/crio/policies' ? '/etc/crio/policies/' : path)),
      '/etc/new',
    ]);
    expect(merged.units?.map(({ name }) => name)).toEqual(['iri-registry.service', 'x.service']);
  });

  test('keeps the default for SSH keys unless users set an action', () => {
    expect(mergePolicies({ sshkey: { actions: [] } }).sshkey).toEqual(defaultDisruptionPolicies.sshkey);
    const reboot = { actions: [{ type: 'Reboot' as const }] };
    expect(mergePolicies({ sshkey: reboot }).sshkey).toEqual(reboot);
  });
});

describe('postActions', () => {
  const notReady = invalid([{ path: '', message: 'not ready' }]);

  test('fails where the change depends on unknown policies', () => {
    expect(postActions(fileChange('/etc/a'), notReady)).toMatchObject({
      kind: 'unknown',
      error: 'not ready',
    });
  });

  test('does not need policies that do not matter', () => {
    const os = configChange(empty, aNodeConfig('new', { spec: { osImageURL: 'x' } }));
    expect(postActions(os, notReady)).toMatchObject({ actions: [{ type: 'Reboot' }] });
    expect(postActions(configChange(empty, empty), notReady)).toMatchObject({ actions: [{ type: 'None' }] });
    expect(postActions(fileChange('/etc/a'), notReady, { isForced: true })).toMatchObject({
      actions: [{ type: 'Reboot' }],
    });
  });

  test('reboots for a policy with an unknown action', () => {
    const odd = [
      { type: 'Reload' },
      { type: 'Restart', restart: { serviceName: '' } },
      { type: 'Explode' },
      {},
    ];
    for (const action of odd) {
      const policies = { files: [{ path: '/etc/a', actions: [action] }] } as ClusterDisruptionPolicies;
      expect(postActions(fileChange('/etc/a'), ok(policies))).toMatchObject({
        actions: [{ type: 'Reboot' }],
      });
    }
  });

  // biome-ignore format: a table.
  test.each([
    ['/opt/x', 'None'], ['/opt/./x', 'None'], ['/opt//x/', 'None'], ['/opt/y/../x', 'None'], ['/./opt', 'None'],
    ['/', 'Reboot'], ['/opt/..', 'Reboot'], ['opt/x', 'Reboot'], ['/opt/xx', 'Reboot'], ['', 'Reboot'],
  ])('reads the policy path %j as the path that it leads to', (path, type) => {
    const policies: ClusterDisruptionPolicies = { ...mergePolicies({}), files: [{ path, actions: [{ type: 'None' }] }] };
    expect(postActions(fileChange('/opt/x'), ok(policies))).toMatchObject({ actions: [{ type }] });
  });

  test('replaces a default policy by one whose path leads to the same file', () => {
    const actions = [{ type: 'None' as const }];
    const { files } = mergePolicies({ files: [{ path: '/etc/./containers//policy.json', actions }] });
    expect(files).toHaveLength(defaultDisruptionPolicies.files.length);
    expect(
      postActions(
        fileChange('/etc/containers/policy.json'),
        ok({ ...mergePolicies({}), files: files ?? [] }),
      ),
    ).toMatchObject({
      actions: [{ type: 'None' }],
    });
  });

  test('tolerates policies of any shape', () => {
    for (const odd of [{ files: 5 }, { files: [null, 'x', { path: 3 }] }, { units: {} }, { sshkey: [] }]) {
      const actions = postActions(fileChange('/etc/a'), ok(odd as unknown as ClusterDisruptionPolicies));
      expect(actions).toMatchObject({ actions: [{ type: 'Reboot' }] });
    }
  });

  test('logs the policy that applies', () => {
    const { log } = postActions(fileChange('/etc/containers/policy.json', '/etc/z'), ok(mergePolicies({})));
    expect(log).toEqual([
      'Calculating node disruption actions',
      'NodeDisruptionPolicy [Reload crio.service] found for diff file /etc/containers/policy.json',
      'No NodeDisruptionPolicy found for diff file /etc/z, the node has to reboot',
      'Calculated node disruption actions: [Reboot]',
    ]);
    expect(postActions(configChange(empty, empty), ok(mergePolicies({}))).log).toContain(
      'No changes in files, units or SSH keys, no NodeDisruptionPolicies are in effect',
    );
    const keys = aNodeConfig('new', { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['a'] }] } });
    expect(postActions(configChange(empty, keys), ok(mergePolicies({}))).log).toContain(
      'SSH diff detected, applying SSH policy [None]',
    );
  });

  test('keeps the order of each policy, and drops duplicates', () => {
    const restart = (service: string) => ({ type: 'Restart' as const, restart: { serviceName: service } });
    const reload = { type: 'DaemonReload' as const };
    const of = (...lists: readonly (readonly object[])[]) => {
      const files = lists.map((actions, index) => ({ path: `/etc/${index}`, actions }));
      const policies = { files } as unknown as ClusterDisruptionPolicies;
      const actions = postActions(fileChange(...files.map(({ path }) => path)), ok(policies));
      return actions.kind === 'known' ? actionsText(actions.actions) : actions.error;
    };
    expect(of([reload, restart('a')], [reload, restart('b')])).toBe('[DaemonReload, Restart a, Restart b]');
    expect(of([restart('a'), reload], [reload, restart('a')])).toBe('[Restart a, DaemonReload, Restart a]');
    expect(of([restart('a')], [reload, restart('a')])).toBe('[DaemonReload, Restart a]');
    expect(of([restart('a'), restart('a')])).toBe('[Restart a, Restart a]');
  });
});
