/**
 * `manifests/`: the files, their permissions, and requests of the components with their own identities.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, keyRegister, PREFLIGHT_CHECKS } from '../src/api/index.ts';
import { silentLog, systemClock, systemRandom } from '../src/base/env.ts';
import {
  type ApiServer,
  createApiServer,
  createMemoryStore,
  type Store,
} from '../src/embedded/apiserver/index.ts';
import type { User } from '../src/embedded/rbac/index.ts';
import { installManifests } from '../src/embedded/up/install-manifests-node.ts';
import { listOf, looseFrom, textOf } from './contract/loose.ts';
import { files, folder, ofKind, roleOf, textOfFile } from './support/manifests-files.ts';
import { identities } from './support/manifests-identities.ts';
import { rows, scene } from './support/manifests-requests.ts';
import type { Row } from './support/manifests-rows.ts';

const ADMIN: User = { name: 'admin', groups: ['system:masters'] };
const NAMESPACE = 'openshift-machine-config-operator';
const accounts = ofKind('ServiceAccount').map(({ metadata }) => metadata.name);
const bindings = ofKind('RoleBinding', 'ClusterRoleBinding');

describe('each file', () => {
  it.each(files)('begins with a comment: %s', (name) => {
    expect(textOfFile(name)).toMatch(/^# [A-Z]/);
  });

  it('sorts after the file of the namespace', () => {
    expect(files.toSorted()[0]).toBe('namespace.yaml');
  });
});

describe('RBAC', () => {
  const everyRule = ofKind('Role', 'ClusterRole').flatMap(({ metadata, rules: all = [] }) =>
    all.map((rule) => [metadata.name, rule] as const),
  );
  const rules = everyRule.filter(([, { nonResourceURLs }]) => nonResourceURLs === undefined);

  it('grants nothing outside the API but /metrics, in a role for scrapers that is bound to no component', () => {
    expect(everyRule.filter(([, { nonResourceURLs }]) => nonResourceURLs !== undefined)).toEqual([
      ['machine-config-metrics-reader', { nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    ]);
    const bound = bindings.map(({ roleRef }) => roleRef?.name);
    expect(bound).not.toContain('machine-config-metrics-reader');
  });

  it.each(rules)('has no wildcards: %s %j', (_, rule) => {
    const names = [...rule.apiGroups, ...rule.resources, ...rule.verbs, ...(rule.resourceNames ?? [])];
    expect(names.filter((name) => name.includes('*'))).toEqual([]);
    // These grant more than their name suggests.
    expect(rule.verbs).not.toContain('deletecollection');
    for (const verb of ['escalate', 'bind', 'impersonate', 'approve', 'sign'])
      expect(rule.verbs).not.toContain(verb);
  });

  const aboutSecrets = rules.filter(([, { resources }]) => resources.includes('secrets'));

  it('lets only the builder read Secrets without naming them, in its own namespace', () => {
    const unnamed = aboutSecrets.filter(([, { resourceNames = [] }]) => resourceNames.length === 0);
    // The operator creates pointers of pools, whose names policies restrict, and reads none of them.
    const writing = unnamed.filter(([role]) => role === 'machine-config-operator-server');
    expect(writing.map(([, { verbs }]) => verbs)).toEqual([['create', 'patch']]);
    const reading = unnamed.filter(([role]) => role !== 'machine-config-operator-server');
    expect(new Set(reading.map(([role]) => role))).toEqual(new Set(['machine-os-builder']));
    const roles = ofKind('ClusterRole').filter(({ rules: all = [] }) =>
      all.some(
        ({ resources = [], resourceNames = [] }) =>
          resources.includes('secrets') && resourceNames.length === 0,
      ),
    );
    expect(roles).toEqual([]);
  });

  it.each(
    aboutSecrets.filter(([role]) => !['machine-os-builder', 'machine-config-operator-server'].includes(role)),
  )(
    'lets %s read the credentials of nodes and no other Secrets: %j',
    (role, { verbs, resourceNames = [] }) => {
      expect(resourceNames).not.toEqual([]);
      const ofServer = [
        'machine-config-server-tls',
        'machine-config-server-token',
        'node-bootstrapper-token',
      ];
      const known = [
        'machine-os-puller',
        'pull-secret',
        ...(role === 'machine-config-server' ? ofServer : []),
      ];
      expect(resourceNames.filter((name) => !known.includes(name))).toEqual([]);
      expect(verbs.filter((verb) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
    },
  );

  it('binds only roles of the manifests to our service accounts, and one of Kubernetes to that of machines that join', () => {
    for (const binding of bindings) {
      const { metadata, subjects = [], roleRef } = binding;
      if (metadata.name === 'system-bootstrap-node-bootstrapper') {
        expect(subjects.map(({ name }) => name)).toEqual(['node-bootstrapper']);
        expect(roleRef).toMatchObject({ kind: 'ClusterRole', name: 'system:node-bootstrapper' });
      } else {
        expect(roleOf(binding), metadata.name).toBeDefined();
      }
      expect(subjects).toHaveLength(1);
      for (const { kind, name, namespace } of subjects) {
        expect({ kind, namespace }).toEqual({ kind: 'ServiceAccount', namespace: NAMESPACE });
        expect(accounts).toContain(name);
      }
    }
  });

  it('has no role for a component that does not exist', () => {
    const given = new Set(bindings.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name)));
    expect([...given].sort()).toEqual([
      'machine-config-controller',
      'machine-config-daemon',
      'machine-config-operator',
      'machine-config-server',
      'machine-os-build-pod',
      'machine-os-builder',
      'node-bootstrapper',
    ]);
  });
});

describe('each policy', () => {
  const policies = ofKind('ValidatingAdmissionPolicy').map(
    ({ metadata, spec }) => [metadata.name, spec] as const,
  );

  const WARNS = 'skip-preflight-names';
  const wordsIn = (policy: string, variable: string) => {
    const [, spec] = policies.find(([name]) => name === policy) ?? [];
    const { expression } = listOf(spec?.variables).find(({ name }) => textOf(name) === variable) ?? {};
    return [...textOf(expression).matchAll(/^ *'([^']+)',?$/gm)].map(([, word]) => word);
  };

  it.each(policies)(
    'denies on violations and on evaluation errors, unless it only warns: %s',
    (policyName, spec) => {
      const binding = ofKind('ValidatingAdmissionPolicyBinding').find(
        ({ metadata }) => metadata.name === `${policyName}-binding`,
      );
      const [action, failurePolicy] = policyName === WARNS ? ['Warn', 'Ignore'] : ['Deny', 'Fail'];
      expect(binding?.spec).toMatchObject({ policyName, validationActions: [action] });
      expect(spec).toMatchObject({ failurePolicy });
    },
  );

  it('knows exactly the pre-flight checks that there are', () => {
    expect(wordsIn(WARNS, 'checks')).toEqual(PREFLIGHT_CHECKS);
  });

  it('allows exactly the registered annotations of the daemon', () => {
    const keysIn = (variable: string) => wordsIn('node-guards', variable);
    const ofDaemon = Object.values(keyRegister.annotations).filter(
      ({ on, writer }) => writer === 'daemon' && on.some((kind) => kind === 'Node'),
    );
    expect(keysIn('own')).toEqual(ofDaemon.map(({ key }) => key).sort());
    expect(keysIn('atFirst')).toEqual([annotations.desiredConfig, annotations.desiredImage]);
  });
});

describe('each workload', () => {
  const all = ofKind('Deployment', 'DaemonSet').map(({ metadata, spec }) => [metadata.name, spec] as const);

  it.each([
    ['machine-config-operator', 'operator', 'millwright'],
    ['machine-config-controller', 'controller', 'millwright'],
    ['machine-os-builder', 'builder', 'millwright-builder'],
  ])('has upstream’s name: %s', (name, component, ownImage) => {
    const found = ofKind('Deployment').find(({ metadata }) => metadata.name === name);
    const labels = { 'k8s-app': name };
    const image = `registry.millwright.dev/${ownImage}:1.2.3`;
    expect(found?.spec).toMatchObject({
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          containers: [{ name, image, imagePullPolicy: 'IfNotPresent', command: ['millwright', component] }],
        },
      },
    });
  });

  it.each(all)('has probes, requests and a memory limit: %s', (name, spec) => {
    // The server has upstream's paths, and its port is open only while it can answer.
    const ready = name === 'machine-config-server' ? '/healthz' : '/readyz';
    for (const container of listOf(spec?.template?.spec?.containers)) {
      expect(container).toMatchObject({
        livenessProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: ready } },
        resources: {
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        },
      });
    }
  });

  it.each(all)('prefers no deprecated labels: %s', (_, spec) => {
    expect(JSON.stringify(spec?.template?.spec?.affinity ?? {})).not.toMatch(
      /node-role.kubernetes.io\/master|beta.kubernetes.io|failure-domain/,
    );
  });

  it('has probes on the loopback interface alone where it is on the network of the node', () => {
    const [, spec] = all.find(([name]) => name === 'machine-config-daemon') ?? [];
    expect(spec?.template?.spec).toMatchObject({
      hostNetwork: true,
      containers: [
        {
          args: [
            '--root-mount=/rootfs',
            '--metrics-cert-dir=/etc/metrics-tls',
            '--metrics-url=127.0.0.1:8797',
            '--metrics-address=:9001',
          ],
          livenessProbe: { httpGet: { host: '127.0.0.1', port: 8797 } },
          readinessProbe: { httpGet: { host: '127.0.0.1', port: 8797 } },
        },
      ],
    });
  });
});

describe('NetworkPolicies', () => {
  it('have upstream’s names', () => {
    expect(ofKind('NetworkPolicy').map(({ metadata }) => metadata.name)).toEqual([
      'default-deny',
      'allow-all-egress',
      'allow-machine-config-operator',
      'allow-machine-config-controller',
      'allow-machine-os-builder',
    ]);
  });
});

let store: Store;
let server: ApiServer;
beforeAll(async () => {
  store = createMemoryStore();
  const env = { clock: systemClock, random: systemRandom, log: silentLog };
  server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  await install();
  for (const [collection, object, user] of scene) {
    const { status, message } = await ask({ request: `POST ${collection}`, body: object, user });
    expect(status, message).toBe(201);
  }
  const { status, message } = await ask({ request: STREAM_STATUS, body: { status: STREAMS } });
  expect(status, message).toBe(200);
});
afterAll(() => server.close());

const install = () => installManifests({ handle: server.handle, clock: systemClock, directory: folder });
const STREAM_STATUS = 'PATCH /apis/machineconfiguration.openshift.io/v1/osimagestreams/cluster/status';
const image = (digit: string) => `registry.example/os@sha256:${digit.repeat(64)}`;
const STREAMS = {
  defaultStream: 'el9',
  availableStreams: [{ name: 'el9', osImage: image('a'), osExtensionsImage: image('b') }],
};

type Question = Pick<Row, 'request' | 'body'> & {
  readonly user?: User | undefined;
  readonly token?: string;
  readonly isDryRun?: boolean;
};

async function ask({ request, body, user = ADMIN, token, isDryRun = false }: Question) {
  const [method = '', url = ''] = request.split(' ');
  const [path = '', query = ''] = url.split('?');
  const asking = new AbortController();
  const answer = await server.handle({
    ...{ method, path, signal: asking.signal },
    query: isDryRun ? 'dryRun=All' : query,
    headers: {
      accept: 'application/json',
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(body)),
    ...(token === undefined ? { certificateUser: user } : {}),
  });
  // A watch would not end.
  asking.abort();
  const json = looseFrom(answer.body instanceof Uint8Array ? new TextDecoder().decode(answer.body) : '');
  return { status: answer.status, message: String(json.message), json };
}

describe('the API server', () => {
  it('reports no changes when all manifests are applied again', async () => {
    const revision = store.revision();
    await install();
    expect(store.revision()).toBe(revision);
  });

  it.each(rows.filter(({ refusal }) => refusal !== undefined))(
    'refuses $who: $request $body',
    async (row) => {
      const { status, message } = await ask({ ...row, isDryRun: !row.request.startsWith('GET') });
      expect(message).toContain(row.refusal);
      expect([403, 422]).toContain(status);
    },
  );

  it.each(rows.filter(({ refusal }) => refusal === undefined))(
    'answers $who: $request $body',
    async (row) => {
      const { status, message } = await ask({ ...row, isDryRun: !row.request.startsWith('GET') });
      expect(status, message).toBeLessThan(300);
    },
  );

  it('takes the node of a daemon from its token', async () => {
    const pods = `POST /api/v1/namespaces/${NAMESPACE}/pods`;
    const spec = {
      serviceAccountName: 'machine-config-daemon',
      nodeName: 'a',
      containers: [{ name: 'd', image: 'd' }],
    };
    const made = await ask({
      request: pods,
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'daemon-a' }, spec },
    });
    expect(made.status, made.message).toBe(201);
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'daemon-a', uid: made.json.metadata?.uid };
    const given = await ask({
      request: `POST /api/v1/namespaces/${NAMESPACE}/serviceaccounts/machine-config-daemon/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } },
    });
    const token = textOf(given.json.status?.token);
    const body = { metadata: { annotations: { [annotations.state]: 'Working' } } };
    expect(await ask({ request: 'PATCH /api/v1/nodes/b', body, token })).toMatchObject({
      status: 403,
      message: expect.stringContaining('updates to Node b can only be done from that node'),
    });
    expect(await ask({ request: 'PATCH /api/v1/nodes/a', body, token })).toMatchObject({ status: 200 });
  });

  it('lets controllers update a pool that predates the policy it violates', async () => {
    const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';
    const binding = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
    await ask({ request: `DELETE ${binding}/custom-machine-config-pool-selector-binding`, body: undefined });
    const metadata = { name: 'old' };
    const apiVersion = 'machineconfiguration.openshift.io/v1';
    const old = { apiVersion, kind: 'MachineConfigPool', metadata, spec: { machineConfigSelector: {} } };
    expect(await ask({ request: `POST ${pools}`, body: old })).toMatchObject({ status: 201 });
    await install();
    const problem = { metadata: { annotations: { [annotations.renderProblem]: 'it selects all' } } };
    const write = (body: object) => ask({ request: `PATCH ${pools}/old`, body, user: identities.controller });
    expect(await write(problem)).toMatchObject({ status: 200 });
    const other = { spec: { machineConfigSelector: { matchLabels: { any: 'x' } } } };
    expect(await write(other)).toMatchObject({ status: 422 });
  });
});
