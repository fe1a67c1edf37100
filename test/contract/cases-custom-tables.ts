/** Tables of custom resources, and objects without their bodies. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { listOf } from './loose.ts';
import { essence, normalised } from './normalised.ts';
import type { Fields } from './objects.ts';
import { AGE, cellsOf, columnsOf, tableOf } from './table.ts';

export const customTableCases = topic('custom tables', {
  'custom resources show name and age': async (scene) => {
    const widgets = await defineWidgets(scene);
    await scene.make(widgets.collection(), widgets.object('a'));
    const table = await tableOf(scene, widgets.collection());
    expect(columnsOf(table)).toEqual(['Name', 'Age']);
    expect(cellsOf(table)).toEqual([['a', AGE]]);
    expect(normalised(listOf(table.columnDefinitions)[1])).toMatchObject({ name: 'Age', type: 'date' });
  },

  'custom resources show the columns of their definition': async (scene) => {
    const column = (name: string, type: string, jsonPath: string, more: Fields = {}) => ({
      name,
      type,
      jsonPath,
      ...more,
    });
    const widgets = await defineWidgets(scene, {
      version: {
        additionalPrinterColumns: [
          column('Size', 'integer', '.spec.size', { description: 'How large' }),
          column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status'),
          column('On', 'boolean', '.spec.on'),
          column('Ratio', 'number', '.spec.ratio', { priority: 1, format: 'double' }),
          column('All', 'string', '.spec.list[*].name'),
          column('Whole', 'string', '.spec.map'),
          column('When', 'date', '.spec.when'),
          column('Born', 'date', '.metadata.creationTimestamp'),
        ],
      },
    });
    await scene.make(
      widgets.collection(),
      widgets.object(
        'full',
        {
          size: 3,
          on: true,
          ratio: 0.5,
          list: [{ name: 'x' }, { name: 'y' }],
          map: { a: 1 },
          when: '2020-01-01T00:00:00Z',
        },
        {
          status: {
            conditions: [
              { type: 'Other', status: 'x' },
              { type: 'Ready', status: 'True' },
            ],
          },
        },
      ),
    );
    await scene.make(widgets.collection(), widgets.object('bare', { size: 'wrong', when: 'never' }));
    const table = await tableOf(scene, widgets.collection());
    expect(columnsOf(table)).toEqual([
      'Name',
      'Size',
      'Ready',
      'On',
      'Ratio+',
      'All',
      'Whole',
      'When',
      'Born',
    ]);
    expect(listOf(table.columnDefinitions)[1]).toEqual({
      name: 'Size',
      type: 'integer',
      format: '',
      description: 'How large',
      priority: 0,
    });
    expect(cellsOf(table)).toEqual([
      // A value of the wrong type is null, and an invalid date is `<invalid>`.
      ['bare', null, null, null, null, null, null, '<invalid>', AGE],
      // Of several values the first is shown.
      ['full', 3, 'True', true, 0.5, 'x', '{"a":1}', expect.stringMatching(/^\d+y\d+d$/), AGE],
    ]);
  },

  'metadata alone can be asked for': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
    await scene.make(path, { metadata: { name: 'a' }, data: { k: 'dg==' } });
    const accept = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
    const one = await scene.get(`${path}/a`, { accept: accept('PartialObjectMetadata') });
    expect(essence(one.json)).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: {
        name: 'a',
        namespace: path.split('/')[4],
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
      },
    });
    const list = await scene.get(path, { accept: accept('PartialObjectMetadataList') });
    expect(list.json).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(list.json.items?.[0]).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
    });
  },
});
