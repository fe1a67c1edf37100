import { expect, it } from 'vitest';
import { metaDefinitions, metaNames } from './meta-definitions.ts';

it('what stands for itself says what it is', () => {
  const definitions = metaDefinitions();
  for (const name of Object.values(metaNames)) {
    const isPart = name === metaNames.objectMeta || name === metaNames.listMeta;
    expect([name, typeof definitions.get(name)?.description]).toEqual([
      name,
      isPart ? 'undefined' : 'string',
    ]);
  }
});
