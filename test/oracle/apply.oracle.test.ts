/**
 * Our server-side apply and our bookkeeping of owners against those of kube-apiserver.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import { aStory, type Taste } from './apply-arbitraries.ts';
import { runStory, type Step, type StoryKind } from './apply-story.ts';
import { readJson } from './corpus.ts';
import type { Oracle } from './oracle.ts';
import { askForSchema } from './patch-questions.ts';
import { FIELDS } from './typed-arbitraries.ts';
import { withOracle } from './with-oracle.ts';

type Story = {
  readonly name: string;
  /** `v1 Pod`, `deduced`, or a kind with every merge option of a schema. */
  readonly kind?: string;
  readonly steps: readonly Step[];
  /** The code of the last response; default 200. */
  readonly ends?: number;
  /** Some messages of the libraries are not compared; then only the code counts. */
  readonly agree?: 'code';
};

const shapes = readJson('shapes-schema.json') as StructuralSchema;
const stories = readJson('apply-stories.json') as readonly Story[];

async function kindOf(oracle: Oracle, name = 'Thing'): Promise<StoryKind> {
  const custom = { apiVersion: 'example.com/v1', kind: 'Thing', isBuiltIn: false };
  if (name === 'Thing') return { ...custom, schema: shapes };
  if (name === 'deduced') return { ...custom, schema: undefined };
  const [apiVersion = '', kind = ''] = name.split(' ');
  return { apiVersion, kind, schema: await askForSchema(oracle, { apiVersion, kind }), isBuiltIn: true };
}

await withOracle('patch', (oracle) => {
  describe('a story', () => {
    it.each(stories)('$name', async ({ kind, steps, ends = 200, agree }) => {
      const { disagreement, code } = await runStory(oracle, await kindOf(oracle, kind), steps);
      if (agree === 'code') expect(disagreement?.theirs.join()).toContain(`"code":${ends}`);
      else expect({ disagreement, code }).toEqual({ disagreement: undefined, code: ends });
    });
  });

  const tastes: readonly { name: string; kind: string; taste: Taste }[] = [
    { name: 'values of every shape', kind: 'Thing', taste: { nulls: false, twins: false } },
    { name: 'nulls and twins', kind: 'Thing', taste: { nulls: true, twins: true } },
    { name: 'values of no known shape', kind: 'deduced', taste: { nulls: true, twins: true } },
    { name: 'Pods', kind: 'v1 Pod', taste: { nulls: true, twins: true, fields: FIELDS } },
    { name: 'Nodes', kind: 'v1 Node', taste: { nulls: false, twins: false, fields: FIELDS } },
    {
      name: 'Deployments',
      kind: 'apps/v1 Deployment',
      taste: { nulls: false, twins: false, fields: FIELDS },
    },
  ];

  describe('any story', () => {
    it.each(tastes)('of $name ends alike', async ({ kind: name, taste }) => {
      const kind = await kindOf(oracle, name);
      await fc.assert(
        fc.asyncProperty(aStory(kind.schema ?? shapes, taste), async (steps) => {
          expect((await runStory(oracle, kind, steps)).disagreement).toBeUndefined();
        }),
        { numRuns: 400 },
      );
    });
  });
});
