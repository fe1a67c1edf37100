/**
 * The rights of each component on a real server with the manifests. The files in `golden` are the exact rights: whoever widens
 * them changes a file that is reviewed (`npx vitest run --project kubernetes --update test/kubernetes/rbac`).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEachAtOnce } from '../../../src/base/at-once.ts';
import { ofKind } from '../../support/manifests-files.ts';
import { startKubernetes } from '../kubernetes.ts';
import { type InstalledCluster, installOn, NS } from './installed-cluster.ts';
import {
  isAllowed,
  type Question,
  type Resource,
  resourcesOf,
  resourceText,
  rightsText,
  rulesOf,
  VERBS,
} from './rights.ts';

const ACCOUNTS = ofKind('ServiceAccount').map(({ metadata }) => metadata.name);
/** Enough to keep the server busy. */
const AT_ONCE = 16;

/** What no component may do in any namespace: the ways to everything else. */
const DANGEROUS: readonly (readonly [verbs: string, ...resources: string[]])[] = [
  ['get list watch create update patch delete deletecollection', 'secrets'],
  ['create get', 'pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy', 'services/proxy'],
  ['create update patch delete deletecollection', 'pods', 'pods/ephemeralcontainers', 'pods/binding'],
  ['create update delete deletecollection', 'nodes'],
  ['create get update patch delete', 'nodes/proxy'],
  ['update patch', 'nodes/status'],
  ['create', 'serviceaccounts/token'],
  ['impersonate', 'users', 'groups', 'serviceaccounts'],
  ['create update patch delete', 'serviceaccounts', 'namespaces', 'persistentvolumes'],
  [
    'create update patch delete bind escalate',
    'clusterroles.rbac.authorization.k8s.io',
    'roles.rbac.authorization.k8s.io',
  ],
  [
    'create update patch delete',
    'clusterrolebindings.rbac.authorization.k8s.io',
    'rolebindings.rbac.authorization.k8s.io',
  ],
  ['create update patch', 'daemonsets.apps', 'deployments.apps', 'statefulsets.apps', 'cronjobs.batch'],
  [
    'create update patch delete',
    'customresourcedefinitions.apiextensions.k8s.io',
    'apiservices.apiregistration.k8s.io',
    'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    'validatingwebhookconfigurations.admissionregistration.k8s.io',
    'validatingadmissionpolicies.admissionregistration.k8s.io',
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  ],
];

const cluster = await startKubernetes();
if ('unavailable' in cluster) {
  describe.skip(`the rights of components (${cluster.unavailable})`, () =>
    it('have no server to be asked on', () => undefined));
} else {
  let installed: InstalledCluster;
  let resources: readonly Resource[];
  let everyones: ReadonlySet<string>;
  beforeAll(async () => {
    installed = await installOn(cluster);
    resources = await resourcesOf(installed.client);
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'no-rights' } };
    await installed.client.request('POST', `/api/v1/namespaces/${NS}/serviceaccounts`, { body });
    everyones = await rulesOf(installed.client, await installed.tokenOf('no-rights'));
  });
  afterAll(() => installed.stop());

  const allowedOf = async (questions: readonly Question[]): Promise<ReadonlySet<string>> => {
    const found = new Set<string>();
    await forEachAtOnce(questions, AT_ONCE, async (question) => {
      if (await isAllowed(installed.client, question))
        found.add(`${question.verb} ${resourceText(question.resource)}`);
    });
    return found;
  };

  describe.each(ACCOUNTS)('the account %s on a real server', (account) => {
    it('has the rights of its golden file and no others', async () => {
      const rules = await rulesOf(installed.client, await installed.tokenOf(account));
      await expect(rightsText(rules, everyones)).toMatchFileSnapshot(`golden/${account}.txt`);
    });

    it('is allowed, of every verb of every resource, what its rules say', async () => {
      const rules = await rulesOf(installed.client, await installed.tokenOf(account));
      const questions = resources.flatMap((resource) =>
        VERBS.map((verb): Question => ({ account, namespace: NS, verb, resource })),
      );
      const expected = questions
        .map(({ verb, resource }) => `${verb} ${resourceText(resource)}`)
        .filter((line) => rules.has(`${NS}: ${line}`));
      expect([...(await allowedOf(questions))].sort()).toEqual(expected.sort());
    });

    it('may do nothing in all namespaces that leads to more rights', async () => {
      const questions = DANGEROUS.flatMap(([verbs, ...names]) =>
        verbs.split(' ').flatMap((verb) =>
          names.map((text): Question => {
            const [, name = '', group = ''] = /^([^.]+)\.?(.*)$/.exec(text) ?? [];
            return { account, namespace: '', verb, resource: { group, name } };
          }),
        ),
      );
      expect([...(await allowedOf(questions))]).toEqual([]);
    });
  });

  it('the cluster has as many resources as are worth asking about', () => {
    const names = resources.map(resourceText);
    expect(names).toContain('pods/exec');
    expect(names).toContain('machineconfignodes/status.machineconfiguration.openshift.io');
    expect(names.length).toBeGreaterThan(120);
  });
}
