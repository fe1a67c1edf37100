/** Label selectors and field selectors. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { namesOf } from './loose.ts';
import { node, pod } from './objects.ts';
import type { Scene } from './scene.ts';
import { badRequest, expectFailure } from './statuses.ts';

async function labelled(scene: Scene): Promise<string> {
  const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
  const make = (name: string, labels: Record<string, string>) =>
    scene.make(path, { metadata: { name, labels } });
  await make('a', { tier: 'front', 'example.com/n': '5' });
  await make('b', { tier: 'back', 'example.com/n': '10' });
  await make('c', { tier: '' });
  await make('d', {});
  return path;
}

export const selectorCases = topic('selectors', {
  'labels are selected by equality, sets and presence': async (scene) => {
    const path = await labelled(scene);
    const table: readonly [string, readonly string[]][] = [
      ['tier=front', ['a']],
      ['tier==front', ['a']],
      ['tier!=front', ['b', 'c', 'd']],
      ['tier', ['a', 'b', 'c']],
      ['!tier', ['d']],
      ['tier=', ['c']],
      ['tier in (front,back)', ['a', 'b']],
      ['tier in (front, )', ['a', 'c']],
      ['tier notin (front,back)', ['c', 'd']],
      ['tier in ()', ['c']],
      ['tier,tier!=back', ['a', 'c']],
      ['example.com/n>6', ['b']],
      ['example.com/n<6', ['a']],
      [' tier = front ', ['a']],
      ['', ['a', 'b', 'c', 'd']],
    ];
    for (const [selector, names] of table) {
      const list = await scene.get(`${path}?labelSelector=${encodeURIComponent(selector)}`);
      expect([selector, list.status, list.status === 200 ? namesOf(list.json) : list.json.message]).toEqual([
        selector,
        200,
        names,
      ]);
    }
  },

  'label selectors that make no sense are refused with the parser’s words': async (scene) => {
    const table: readonly [string, string][] = [
      ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
      ['a in x', "unable to parse requirement: found 'x' expected: '('"],
      ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
      ['=a', "found '=', expected: !, identifier, or 'end of string'"],
      ['a=b=c', "found '=', expected: ',' or 'end of string'"],
      ['a b/c/d', "unable to parse requirement: found 'b/c/d', expected: in, notin, =, ==, !=, gt, lt"],
      [
        '_a=b',
        `unable to parse requirement: <nil>: Invalid value: "_a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
      [
        'a=-b-',
        `unable to parse requirement: values[0][a]: Invalid value: "-b-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ],
      [
        'a>b',
        `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
      ],
      [',', "found ',', expected: !, identifier, or 'end of string'"],
      ['!', "unable to parse requirement: found '', expected: identifier"],
    ];
    const found: [string, number, unknown][] = [];
    for (const [selector] of table) {
      const list = await scene.get(`/api/v1/secrets?labelSelector=${encodeURIComponent(selector)}`);
      found.push([selector, list.status, list.json.message]);
    }
    expect(found).toEqual(table.map(([selector, message]) => [selector, 400, message]));
  },

  'every kind is selected by name and namespace': async (scene) => {
    const path = await labelled(scene);
    const space = path.split('/')[4] ?? '';
    const select = async (fields: string) =>
      namesOf((await scene.get(`/api/v1/secrets?fieldSelector=${encodeURIComponent(fields)}`)).json);
    expect(await select(`metadata.namespace=${space}`)).toEqual(['a', 'b', 'c', 'd']);
    expect(await select(`metadata.namespace=${space},metadata.name=b`)).toEqual(['b']);
    expect(await select(`metadata.namespace==${space},metadata.name!=b`)).toEqual(['a', 'c', 'd']);
  },

  'secrets are selected by type': async (scene) => {
    const path = await labelled(scene);
    await scene.make(path, { metadata: { name: 'typed' }, type: 'example.com/mine' });
    const list = await scene.get(`${path}?fieldSelector=type=example.com/mine`);
    expect(namesOf(list.json)).toEqual(['typed']);
  },

  'pods are selected by node, phase, address, account, scheduler and restart policy': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/pods`;
    await scene.make(path, pod('a', { nodeName: 'n1', restartPolicy: 'Never', schedulerName: 'mine' }));
    await scene.make(path, pod('b'));
    await scene.patch(`${path}/a/status`, 'merge', {
      status: { phase: 'Running', podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] },
    });
    const select = async (fields: string) => {
      const list = await scene.get(`${path}?fieldSelector=${encodeURIComponent(fields)}`);
      return list.status === 200 ? namesOf(list.json) : list.json.message;
    };
    const table: readonly [string, readonly string[]][] = [
      ['spec.nodeName=n1', ['a']],
      ['spec.nodeName=', ['b']],
      ['spec.nodeName!=n1', ['b']],
      ['status.phase=Running', ['a']],
      ['status.phase!=Running', ['b']],
      ['status.podIP=10.1.2.3', ['a']],
      ['status.nominatedNodeName=', ['a', 'b']],
      ['spec.restartPolicy=Never', ['a']],
      ['spec.schedulerName=mine', ['a']],
      ['spec.serviceAccountName=default', ['a', 'b']],
      ['spec.hostNetwork=false', ['a', 'b']],
      ['spec.nodeName=n1,status.phase!=Succeeded', ['a']],
    ];
    for (const [fields, names] of table) expect([fields, await select(fields)]).toEqual([fields, names]);
  },

  'nodes are selected by whether they can be scheduled': async (scene) => {
    const name = scene.name('node');
    await scene.make('/api/v1/nodes', node(name, { unschedulable: true }));
    const list = await scene.get(`/api/v1/nodes?fieldSelector=spec.unschedulable=true,metadata.name=${name}`);
    expect(namesOf(list.json)).toEqual([name]);
    const none = await scene.get(
      `/api/v1/nodes?fieldSelector=spec.unschedulable=false,metadata.name=${name}`,
    );
    expect(namesOf(none.json)).toEqual([]);
  },

  'namespaces are selected by phase': async (scene) => {
    const space = await scene.namespace();
    const select = async (phase: string) =>
      namesOf(
        (await scene.get(`/api/v1/namespaces?fieldSelector=status.phase=${phase},metadata.name=${space}`))
          .json,
      );
    expect(await select('Active')).toEqual([space]);
    expect(await select('Terminating')).toEqual([]);
  },

  'events are selected by what they are about': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/events`;
    const event = (name: string, kind: string, more: object = {}) => ({
      metadata: { name },
      involvedObject: { kind, name: 'x', namespace: space, uid: `uid-${name}`, apiVersion: 'v1' },
      ...more,
    });
    await scene.make(
      path,
      event('a', 'Pod', { reason: 'Made', type: 'Normal', source: { component: 'me' } }),
    );
    await scene.make(
      path,
      event('b', 'Node', {
        reason: 'Gone',
        type: 'Warning',
        reportingComponent: 'you',
        reportingInstance: 'you-1',
      }),
    );
    const table: readonly [string, readonly string[]][] = [
      ['involvedObject.kind=Pod', ['a']],
      ['involvedObject.name=x,involvedObject.kind!=Pod', ['b']],
      [`involvedObject.namespace=${space}`, ['a', 'b']],
      ['involvedObject.uid=uid-a', ['a']],
      ['involvedObject.apiVersion=v1', ['a', 'b']],
      ['involvedObject.resourceVersion=', ['a', 'b']],
      ['involvedObject.fieldPath=', ['a', 'b']],
      ['reason=Gone', ['b']],
      ['type=Normal', ['a']],
      ['source=me', ['a']],
      ['reportingComponent=you', ['b']],
    ];
    for (const [fields, names] of table) {
      const list = await scene.get(`${path}?fieldSelector=${encodeURIComponent(fields)}`);
      expect([fields, list.status === 200 ? namesOf(list.json) : list.json.message]).toEqual([fields, names]);
    }
  },

  'custom resources are selected by the fields that their definition names': async (scene) => {
    const widgets = await defineWidgets(scene, {
      spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer' } } },
      version: { selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }] },
    });
    await scene.make(widgets.collection(), widgets.object('a', { color: 'red', size: 1 }));
    await scene.make(widgets.collection(), widgets.object('b', { color: 'blue' }));
    const select = async (fields: string) =>
      namesOf((await scene.get(`${widgets.collection()}?fieldSelector=${fields}`)).json);
    expect(await select('spec.color=red')).toEqual(['a']);
    expect(await select('spec.size=1')).toEqual(['a']);
    expect(await select('spec.color!=red')).toEqual(['b']);
    expect(await select('metadata.name=b')).toEqual(['b']);
  },

  'a field that cannot be selected is refused': async (scene) => {
    const widgets = await defineWidgets(scene);
    const table: readonly [string, string][] = [
      ['/api/v1/secrets?fieldSelector=data=x', 'field label not supported: data'],
      ['/api/v1/pods?fieldSelector=spec.none=x', 'field label not supported: spec.none'],
      ['/api/v1/nodes?fieldSelector=status.phase=x', 'field label not supported: status.phase'],
      [
        '/api/v1/configmaps?fieldSelector=data.k=x',
        '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
      ],
      [
        '/apis/apps/v1/deployments?fieldSelector=spec.replicas=x',
        '"spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
      ],
      ['/api/v1/namespaces?fieldSelector=spec.x=x', 'field label not supported: spec.x'],
      ['/api/v1/events?fieldSelector=message=x', 'field label not supported: message'],
      [`${widgets.collection()}?fieldSelector=spec.color=x`, 'field label not supported: spec.color'],
    ];
    const found: [string, number, unknown][] = [];
    for (const [path] of table) {
      const { status, json } = await scene.get(path);
      found.push([path, status, json.message]);
    }
    expect(found).toEqual(table.map(([path, message]) => [path, 400, message]));
  },

  'field selectors that make no sense are refused': async (scene) => {
    const refusal = async (selector: string) =>
      scene.get(`/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`);
    expectFailure(
      await refusal('metadata.name'),
      badRequest("invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
    );
    expectFailure(
      await refusal('metadata.name in (a)'),
      badRequest("invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'"),
    );
    expectFailure(
      await refusal('metadata.name=a\\'),
      badRequest('invalid field selector: invalid escape sequence: \\'),
    );
  },

  'a selector by name and a name in the path must agree': async (scene) => {
    const space = await scene.namespace();
    await scene.make(`/api/v1/namespaces/${space}/pods`, pod('a'));
    const path = `/api/v1/watch/namespaces/${space}/pods/a?timeoutSeconds=1&fieldSelector=metadata.name=b`;
    expectFailure(
      await scene.get(path),
      badRequest("fieldSelector metadata.name doesn't match requested name"),
    );
  },
});
