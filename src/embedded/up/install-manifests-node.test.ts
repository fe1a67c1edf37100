import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { type ApiServer, createApiServer, createMemoryStore, type Store } from '../apiserver/index.ts';
import { installManifests } from './install-manifests-node.ts';

let folder = '';
let store: Store;
let server: ApiServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-manifests-'));
  mkdirSync(join(folder, 'crds'));
  store = createMemoryStore();
  const env = { clock: systemClock, random: systemRandom, log: silentLog };
  server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const install = () => installManifests({ handle: server.handle, clock: systemClock, directory: folder });
const get = async (path: string) => {
  const { status, body } = await server.handle({
    method: 'GET',
    path,
    query: '',
    headers: {},
    body: new Uint8Array(),
    certificateUser: { name: 'admin', groups: ['system:masters'] },
  });
  return { status, object: JSON.parse(new TextDecoder().decode(body as Uint8Array)) };
};

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.io}
spec:
  group: example.io
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`;
const widget = (size: unknown) =>
  `apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: one, namespace: mine}\nspec: {size: ${size}}\n`;
const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: mine, labels: {team: a}}\n';

describe('installManifests', () => {
  it.each<[string, string, string]>([
    ['an object that the server rejects', 'a.yaml', widget('"big"').replace('mine', 'default')],
    ['an unknown kind', 'a.yaml', 'apiVersion: example.io/v1\nkind: Gadget\nmetadata: {name: a}\n'],
    ['an unknown group', 'a.yaml', 'apiVersion: unknown.io/v1\nkind: Gadget\nmetadata: {name: a}\n'],
    ['an object without a name', 'a.yaml', 'apiVersion: v1\nkind: ConfigMap\n'],
    ['a file that is not YAML', 'crds/a.yaml', 'a: [\n'],
  ])('fails for %s and names the file', async (_, name, text) => {
    write('crds/widgets.yaml', widgets);
    write(name, text);
    await expect(install()).rejects.toMatchObject({
      kind: 'stalled',
      reason: expect.stringMatching(/^Manifest(Refused|Unusable)$/),
      message: expect.stringContaining(join(folder, name)),
    });
  });

  it('applies CRDs first, then the rest in file order', async () => {
    write('crds/widgets.yaml', widgets);
    write('20-widget.yaml', `${widget(3)}---\n${widget(4).replace('one', 'two')}`);
    write('10-namespace.yaml', namespace);
    write('notes.txt', 'not a manifest');
    await install();
    const { status, object } = await get('/apis/example.io/v1/namespaces/mine/widgets/one');
    expect(status).toBe(200);
    expect(object).toMatchObject({
      metadata: { managedFields: [{ manager: 'millwright', operation: 'Apply' }] },
      spec: { size: 3 },
    });
    expect((await get('/apis/example.io/v1/namespaces/mine/widgets/two')).object.spec).toEqual({ size: 4 });
  });

  it('is idempotent and reverts changes', async () => {
    write('crds/widgets.yaml', widgets);
    write('10-namespace.yaml', namespace);
    write('20-widget.yaml', widget(3));
    await install();
    const revision = store.revision();
    await install();
    expect(store.revision()).toBe(revision);
    write('20-widget.yaml', widget(5));
    await install();
    const { object } = await get('/apis/example.io/v1/namespaces/mine/widgets/one');
    expect(object.spec).toEqual({ size: 5 });
  });
});
