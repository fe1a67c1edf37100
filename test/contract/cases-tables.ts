/** Tables: what `kubectl get` shows. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { listOf, textOf } from './loose.ts';
import { essence, normalised } from './normalised.ts';
import { configMap, deployment, type Fields, node, pod } from './objects.ts';
import { badRequest, expectFailure } from './statuses.ts';
import { AGE, cellsOf, columnsOf, TABLE, tableOf } from './table.ts';

export const tableCases = topic('tables', {
  'a table says what its columns are and carries the metadata of its rows': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    await scene.make(path, configMap('a', { x: '', y: '' }, { labels: { set: 'x' } }));
    const table = await tableOf(scene, `${path}?labelSelector=set`);
    expect(essence(table)).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '<version>' },
      columnDefinitions: [
        {
          name: 'Name',
          type: 'string',
          format: 'name',
          description: expect.stringMatching(/^Name must be unique within a namespace\. /),
          priority: 0,
        },
        {
          name: 'Data',
          type: 'string',
          format: '',
          description: expect.stringMatching(/^Data contains the configuration data\. /),
          priority: 0,
        },
        {
          name: 'Age',
          type: 'string',
          format: '',
          description: expect.stringMatching(
            /^CreationTimestamp is a timestamp representing the server time/,
          ),
          priority: 0,
        },
      ],
      rows: [
        {
          cells: ['a', 2, AGE],
          object: {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: {
              name: 'a',
              namespace: path.split('/')[4],
              uid: '<uid>',
              resourceVersion: '<version>',
              creationTimestamp: '<time>',
              labels: { set: 'x' },
            },
          },
        },
      ],
    });
  },

  'includeObject chooses what a row carries': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
    await scene.make(path, { metadata: { name: 'a' }, data: { k: 'dg==' } });
    const rowWith = async (include: string) =>
      listOf((await tableOf(scene, `${path}?includeObject=${include}`)).rows)[0];
    expect((await rowWith('None'))?.object).toBeNull();
    expect((await rowWith('Metadata'))?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { name: 'a' },
    });
    expect((await rowWith('Object'))?.object).toMatchObject({
      kind: 'Secret',
      apiVersion: 'v1',
      data: { k: 'dg==' },
    });
    expectFailure(
      await scene.get(`${path}?includeObject=Some`, { accept: TABLE }),
      badRequest(
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Some\": must be 'Metadata', 'Object', 'None', or empty",
      ),
    );
  },

  'one object is a table of one row, and no object is an empty table': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
    await scene.make(path, { metadata: { name: 'a' } });
    const one = await tableOf(scene, `${path}/a`);
    expect(cellsOf(one)).toEqual([['a', 'Opaque', 0, AGE]]);
    expect(normalised(one.metadata)).toEqual({ resourceVersion: '<version>' });
    const none = await tableOf(scene, `${path}?labelSelector=none`);
    expect(none.rows).toEqual([]);
    expect(columnsOf(none)).toEqual(['Name', 'Type', 'Data', 'Age']);
  },

  'a table is cut by a limit as a list is': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
    for (const name of ['a', 'b', 'c']) await scene.make(path, { metadata: { name } });
    const table = await tableOf(scene, `${path}?limit=2`);
    expect(table.metadata).toMatchObject({ remainingItemCount: 1 });
    const rest = await tableOf(scene, `${path}?limit=2&continue=${textOf(table.metadata?.continue)}`);
    expect(cellsOf(rest)).toEqual([['c', 'Opaque', 0, AGE]]);
  },

  'an error is a Status, also where a table was asked for': async (scene) => {
    const answer = await scene.get('/api/v1/namespaces/default/secrets/none', { accept: TABLE });
    expect([answer.status, answer.json.kind]).toEqual([404, 'Status']);
  },

  'the table of an old version is still served, an unknown one is not': async (scene) => {
    const old = await scene.get('/api/v1/namespaces', { accept: TABLE.replace('v=v1', 'v=v1beta1') });
    expect(old.json.apiVersion).toBe('meta.k8s.io/v1beta1');
    const unknown = await scene.get('/api/v1/namespaces', { accept: TABLE.replace('v=v1', 'v=v9') });
    expect(unknown.status).toBe(406);
    const fallback = await scene.get('/api/v1/namespaces', {
      accept: `${TABLE.replace('v=v1', 'v=v9')},application/json`,
    });
    expect([fallback.status, fallback.json.kind]).toEqual([200, 'NamespaceList']);
  },

  'pods show readiness, state, restarts and where they are': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/pods`;
    await scene.make(path, pod('pending'));
    await scene.make(path, pod('running', { nodeName: 'n1' }));
    await scene.make(path, pod('stuck', { nodeName: 'n1' }));
    await scene.make(path, pod('ending', { nodeName: 'n1' }));
    const container = (state: Fields, more: Fields = {}) => ({
      name: 'main',
      image: 'example.com/main',
      imageID: '',
      ready: false,
      restartCount: 0,
      state,
      ...more,
    });
    const status = (name: string, value: Fields) =>
      scene.patch(`${path}/${name}/status`, 'merge', { status: value });
    await status('running', {
      phase: 'Running',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [container({ running: {} }, { ready: true })],
    });
    await status('stuck', {
      phase: 'Pending',
      containerStatuses: [container({ waiting: { reason: 'ImagePullBackOff' } }, { restartCount: 2 })],
    });
    await status('ending', {
      phase: 'Running',
      containerStatuses: [container({ running: {} }, { ready: true })],
    });
    await scene.delete(`${path}/ending`);
    const table = await tableOf(scene, path);
    expect(columnsOf(table)).toEqual([
      'Name',
      'Ready',
      'Status',
      'Restarts',
      'Age',
      'IP+',
      'Node+',
      'Nominated Node+',
      'Readiness Gates+',
    ]);
    expect(cellsOf(table)).toEqual([
      ['ending', '1/1', 'Terminating', '0', AGE, '<none>', 'n1', '<none>', '<none>'],
      ['pending', '0/1', 'Pending', '0', AGE, '<none>', '<none>', '<none>', '<none>'],
      ['running', '1/1', 'Running', '0', AGE, '10.0.0.1', 'n1', '<none>', '<none>'],
      ['stuck', '0/1', 'ImagePullBackOff', '2', AGE, '<none>', 'n1', '<none>', '<none>'],
    ]);
  },

  'nodes show state, roles and what they run': async (scene) => {
    const name = scene.name('node');
    const labels = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/infra': '' };
    await scene.make('/api/v1/nodes', node(name, { unschedulable: true }, { labels }));
    await scene.patch(`/api/v1/nodes/${name}/status`, 'merge', {
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.1.1.1' }],
        nodeInfo: {
          kubeletVersion: 'v1.33.0',
          osImage: 'Some OS',
          kernelVersion: '6.1',
          containerRuntimeVersion: 'cri-o://1',
        },
      },
    });
    const table = await tableOf(scene, `/api/v1/nodes/${name}`);
    expect(columnsOf(table)).toEqual([
      'Name',
      'Status',
      'Roles',
      'Age',
      'Version',
      'Internal-IP+',
      'External-IP+',
      'OS-Image+',
      'Kernel-Version+',
      'Container-Runtime+',
    ]);
    expect(cellsOf(table)).toEqual([
      [
        name,
        'Ready,SchedulingDisabled',
        'infra,worker',
        AGE,
        'v1.33.0',
        '10.1.1.1',
        '<none>',
        'Some OS',
        '6.1',
        'cri-o://1',
      ],
    ]);
  },

  'namespaces, leases and service accounts': async (scene) => {
    const space = await scene.namespace();
    const spaces = await tableOf(scene, `/api/v1/namespaces/${space}`);
    expect([columnsOf(spaces), cellsOf(spaces)]).toEqual([
      ['Name', 'Status', 'Age'],
      [[space, 'Active', AGE]],
    ]);
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${space}/leases`;
    await scene.make(leases, { metadata: { name: 'a' }, spec: { holderIdentity: 'me' } });
    const lease = await tableOf(scene, leases);
    expect([columnsOf(lease), cellsOf(lease)]).toEqual([['Name', 'Holder', 'Age'], [['a', 'me', AGE]]]);
    const accounts = await tableOf(scene, `/api/v1/namespaces/${space}/serviceaccounts`);
    expect([columnsOf(accounts), cellsOf(accounts)]).toEqual([
      ['Name', 'Secrets', 'Age'],
      [['default', 0, AGE]],
    ]);
  },

  'deployments and daemon sets show what is wanted and what is there': async (scene) => {
    const space = await scene.namespace();
    const deployments = `/apis/apps/v1/namespaces/${space}/deployments`;
    await scene.make(deployments, deployment('a', { replicas: 3 }));
    const table = await tableOf(scene, deployments);
    expect(columnsOf(table)).toEqual([
      'Name',
      'Ready',
      'Up-to-date',
      'Available',
      'Age',
      'Containers+',
      'Images+',
      'Selector+',
    ]);
    expect(cellsOf(table)).toEqual([['a', '0/3', 0, 0, AGE, 'main', 'example.com/main', 'app=a']]);
    const sets = `/apis/apps/v1/namespaces/${space}/daemonsets`;
    await scene.make(sets, { ...deployment('a'), kind: 'DaemonSet' });
    const set = await tableOf(scene, sets);
    expect(columnsOf(set)).toEqual([
      'Name',
      'Desired',
      'Current',
      'Ready',
      'Up-to-date',
      'Available',
      'Node Selector',
      'Age',
      'Containers+',
      'Images+',
      'Selector+',
    ]);
    expect(cellsOf(set)).toEqual([['a', 0, 0, 0, 0, 0, '<none>', AGE, 'main', 'example.com/main', 'app=a']]);
  },

  'events show when, what and about what': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/events`;
    await scene.make(path, {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: space },
      reason: 'Made',
      message: 'It was made.  ',
      type: 'Normal',
      count: 3,
      source: { component: 'me', host: 'n1' },
    });
    const table = await tableOf(scene, path);
    expect(columnsOf(table)).toEqual([
      'Last Seen',
      'Type',
      'Reason',
      'Object',
      'Subobject+',
      'Source+',
      'Message',
      'First Seen+',
      'Count+',
      'Name+',
    ]);
    expect(cellsOf(table)).toEqual([
      ['<unknown>', 'Normal', 'Made', 'pod/p', '', 'me, n1', 'It was made.', '<unknown>', 3, 'a'],
    ]);
  },

  'disruption budgets show what they allow': async (scene) => {
    const path = `/apis/policy/v1/namespaces/${await scene.namespace()}/poddisruptionbudgets`;
    await scene.make(path, {
      metadata: { name: 'a' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
    });
    const table = await tableOf(scene, path);
    expect(columnsOf(table)).toEqual([
      'Name',
      'Min Available',
      'Max Unavailable',
      'Allowed Disruptions',
      'Age',
    ]);
    expect(cellsOf(table)).toEqual([['a', '1', 'N/A', 0, AGE]]);
  },
});
