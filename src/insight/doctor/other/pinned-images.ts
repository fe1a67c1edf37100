/** Images that nodes should keep and cannot: of a PinnedImageSet that fails, or of more sets than a pool can have. */
import { annotations } from '../../../api/index.ts';
import { annotationOf } from '../../../kubernetes/meta/index.ts';
import type { Facts, NodeFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aMachineConfigNode, aNode, annotation, aPool, condition, conditionSince } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const pinnedImages: Rule = {
  codes: ['PinnedImagesFailing', 'PinnedImageSetsRefused'],
  stage: 'other',
  find: (facts) => [...refusedSets(facts), ...facts.nodes.flatMap(failing)],
};

function refusedSets({ pools }: Facts): readonly Found[] {
  return pools.flatMap(({ name, pool }) => {
    const problem = annotationOf(pool, annotations.pinnedImageSetsProblem);
    if (problem === undefined) return [];
    return [
      {
        code: 'PinnedImageSetsRefused',
        cause: `pool ${name} cannot use all of its PinnedImageSets: ${problem}`,
        about: aPool(name),
        pools: [name],
        ...conditionSince(pool, 'PinnedImageSetsDegraded'),
        evidence: [annotation(aPool(name), annotations.pinnedImageSetsProblem, problem)],
        next: [{ command: 'kubectl get pinnedimagesets', why: 'merge some of them' }],
      },
    ];
  });
}

function failing({ name, pool, record, summary }: NodeFacts): readonly Found[] {
  const { images } = summary ?? {};
  if (images?.kind !== 'failed') return [];
  return [
    {
      code: 'PinnedImagesFailing',
      cause: `node ${name} cannot keep the images of PinnedImageSet ${images.set}: ${images.error}`,
      about: aNode(name),
      pools: [pool],
      ...(images.since && { since: images.since }),
      evidence: [
        {
          object: aMachineConfigNode(name),
          field: `status.pinnedImageSets[${images.set}].lastFailedGenerationError`,
          value: images.error,
        },
        ...condition(aMachineConfigNode(name), record, 'PinnedImageSetsDegraded'),
      ],
      next: [
        { command: shell`kubectl get pinnedimageset ${images.set} -o yaml`, why: 'the images' },
        {
          command: shell`kubectl describe node ${name}`,
          why: 'events PrefetchFailed have the answer of the registry',
        },
      ],
    },
  ];
}
