/** Definitions that change while there are objects, and objects that were right once. */
import { owners } from './cases-owners.ts';
import { DEFINITIONS, definition, type Kind, untilServed, widgetsIn } from './custom-resources.ts';
import { eventually } from './eventually.ts';
import type { Loose } from './loose.ts';
import { recorded, type Story } from './recorded.ts';

const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const SPEC = '/spec/versions/0/schema/openAPIV3Schema/properties/spec';

async function widgetsWith(story: Story, spec: object, version: object = {}): Promise<Kind> {
  const kind = widgetsIn(`${story.name('g')}.example.com`);
  await story.make(
    DEFINITIONS,
    definition(kind.group, { spec: { type: 'object', ...spec }, version: { ...version } }),
  );
  await untilServed(story, kind);
  return kind;
}

/** Resolves once the server judges by the new schema: `probe` is refused by it. */
async function changed(story: Story, kind: Kind, patch: readonly object[], probe: object): Promise<void> {
  const answer = await story.patch(kind.definition, 'json', patch);
  if (answer.status !== 200) throw new Error(answer.body);
  await eventually('the new schema counts', async () => {
    const { status } = await story.post(
      `${kind.collection()}?dryRun=All`,
      kind.object('probe', { ...probe }),
    );
    return status === 422 ? true : undefined;
  });
}

const spec = ({ spec: found }: Loose): unknown => found;

export const ratchetingCases = recorded('ratcheting', {
  'a value that was allowed may stay, but not be made anew': async (story) => {
    const kind = await widgetsWith(story, { properties: { a: { type: 'string' }, n: { type: 'integer' } } });
    await story.make(kind.collection(), kind.object('old', { a: 'long', n: 1 }));
    await changed(story, kind, [{ op: 'add', path: `${SPEC}/properties/a/maxLength`, value: 2 }], {
      a: 'long',
    });
    const patch = (body: object) =>
      story.ask('PATCH', `${kind.collection()}/old`, { contentType: MERGE, body, pick: spec });
    await patch({ metadata: { labels: { x: 'y' } } });
    await patch({ spec: { n: 2 } });
    await patch({ spec: { a: 'other' } });
    await patch({ spec: { a: 'ok' } });
    await patch({ spec: { a: 'long' } });
    await story.ask('POST', kind.collection(), { body: kind.object('new', { a: 'long' }) });
  },

  'an item that was allowed may stay in a keyed list': async (story) => {
    const items = {
      type: 'object',
      properties: { k: { type: 'string' }, v: { type: 'integer' } },
      required: ['k'],
    };
    const list = {
      type: 'array',
      items,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    };
    const kind = await widgetsWith(story, { properties: { l: list } });
    await story.make(kind.collection(), kind.object('old', { l: [{ k: 'a', v: 9 }] }));
    const limit = { op: 'add', path: `${SPEC}/properties/l/items/properties/v/maximum`, value: 5 };
    await changed(story, kind, [limit], { l: [{ k: 'a', v: 9 }] });
    const patch = (l: readonly object[]) =>
      story.ask('PATCH', `${kind.collection()}/old`, {
        contentType: MERGE,
        body: { spec: { l } },
        pick: spec,
      });
    await patch([
      { k: 'a', v: 9 },
      { k: 'b', v: 1 },
    ]);
    await patch([
      { k: 'a', v: 9 },
      { k: 'b', v: 8 },
    ]);
    await patch([{ k: 'a', v: 8 }]);
  },

  'a field that is wanted now is wanted of whoever touches its parent': async (story) => {
    const kind = await widgetsWith(story, {
      properties: { a: { type: 'string' }, must: { type: 'string' } },
    });
    await story.make(kind.collection(), kind.object('old', { a: 'x' }));
    await changed(story, kind, [{ op: 'add', path: `${SPEC}/required`, value: ['must'] }], { a: 'x' });
    const patch = (body: object) =>
      story.ask('PATCH', `${kind.collection()}/old`, { contentType: MERGE, body, pick: spec });
    await patch({ metadata: { labels: { x: 'y' } } });
    await patch({ spec: { a: 'y' } });
    await patch({ spec: { a: 'y', must: 'z' } });
  },

  'a default and a pruned field are seen by whoever reads': async (story) => {
    const kind = await widgetsWith(story, {
      properties: { a: { type: 'string' }, gone: { type: 'string' } },
    });
    await story.make(kind.collection(), kind.object('old', { a: 'x', gone: 'y' }));
    const patch = [
      { op: 'add', path: `${SPEC}/properties/d`, value: { type: 'string', default: 'new', maxLength: 3 } },
      { op: 'remove', path: `${SPEC}/properties/gone` },
    ];
    await changed(story, kind, patch, { d: 'longer' });
    await story.ask('GET', `${kind.collection()}/old`, { pick: spec });
    await story.ask('GET', kind.collection(), {
      pick: ({ items }) => JSON.parse(JSON.stringify(items)).map(spec),
    });
    const body = { metadata: { labels: { x: 'y' } } };
    await story.ask('PATCH', `${kind.collection()}/old`, { contentType: MERGE, body, pick: spec });
  },

  'what of a definition cannot be changed': async (story) => {
    const kind = await widgetsWith(story, { properties: {} });
    const patch = (body: object, subresource = '') =>
      story.ask('PATCH', `${kind.definition}${subresource}`, {
        contentType: MERGE,
        body,
        pick: () => 'accepted',
      });
    await patch({ spec: { scope: 'Namespaced' } });
    await patch({ spec: { group: 'example.org' } });
    await patch({ spec: { names: { kind: 'Other' } } });
    await patch({ spec: { preserveUnknownFields: true } });
    await patch({ spec: { conversion: { strategy: 'Webhook' } } });
    await patch({ spec: { versions: [] } });
    await patch({ spec: { names: { shortNames: [story.name('w')] } } });
  },

  'the status of a definition is the server’s': async (story) => {
    const kind = await widgetsWith(story, { properties: {} });
    await story.ask('GET', kind.definition, { pick: owners });
    const body = [{ op: 'add', path: `${SPEC}/properties`, value: { a: { type: 'string' } } }];
    await story.ask('PATCH', `${kind.definition}?fieldManager=me`, {
      contentType: JSON_PATCH,
      body,
      pick: owners,
    });
  },
});

export const forgivenRuleCases = recorded(
  'rules that are forgiven',
  {
    'a rule that is new holds for what is changed, and for nothing else': async (story) => {
      const kind = await widgetsWith(story, {
        properties: { n: { type: 'integer' }, m: { type: 'integer' } },
      });
      await story.make(kind.collection(), kind.object('old', { n: 9, m: 1 }));
      const rules = [{ rule: 'self < 5', message: 'too many' }];
      const path = `${SPEC}/properties/n/x-kubernetes-validations`;
      await changed(story, kind, [{ op: 'add', path, value: rules }], { n: 9 });
      const patch = (body: object) =>
        story.ask('PATCH', `${kind.collection()}/old`, { contentType: MERGE, body, pick: spec });
      await patch({ spec: { m: 2 } });
      await patch({ spec: { n: 8 } });
      await patch({ spec: { n: 3 } });
    },
  },
  {
    differs: { verdict: 'different on purpose', matter: 'a rule that fails on a value that was not changed' },
  },
);
