import { expect, it } from 'vitest';
import { metaDefinitions, metaNames } from './meta-definitions.ts';

it('bodies that are no fields have a description', () => {
  const definitions = metaDefinitions();
  for (const name of Object.values(metaNames)) {
    const isPart = name === metaNames.objectMeta || name === metaNames.listMeta;
    expect([name, typeof definitions.get(name)?.description]).toEqual([
      name,
      isPart ? 'undefined' : 'string',
    ]);
  }
});
