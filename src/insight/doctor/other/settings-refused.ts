/** KubeletConfigs and ContainerRuntimeConfigs that are not accepted: nodes keep what was generated from them before. */
import { kubeletConfig as kubeletKind, containerRuntimeConfig as runtimeKind } from '../../../api/index.ts';
import { numberAt, objectsAt, stringAt } from '../../../base/json-fields.ts';
import { nameOf } from '../../../kubernetes/meta/index.ts';
import { since } from '../../timestamp.ts';
import type { Facts } from '../facts.ts';
import type { Found } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const settingsRefused: Rule = {
  codes: ['KubeletConfigRefused', 'ContainerRuntimeConfigRefused'],
  stage: 'other',
  find: ({ snapshot }: Facts) => [
    ...snapshot
      .all(kubeletKind)
      .flatMap((object) => findingOf('KubeletConfigRefused', kubeletKind.kind, object)),
    ...snapshot
      .all(runtimeKind)
      .flatMap((object) => findingOf('ContainerRuntimeConfigRefused', runtimeKind.kind, object)),
  ],
};

/** The last condition is in effect: `Failure`, which both kinds have. One about an older generation is not. */
function findingOf(code: string, kind: string, object: unknown): readonly Found[] {
  const last = objectsAt(object, 'status', 'conditions').at(-1);
  if (stringAt(last, 'type') !== 'Failure' || stringAt(last, 'status') !== 'True') return [];
  if (numberAt(object, 'status', 'observedGeneration') < numberAt(object, 'metadata', 'generation'))
    return [];
  const about = { kind, name: nameOf(object) };
  const message = stringAt(last, 'message');
  return [
    {
      code,
      cause: `${kind} ${about.name} is not accepted, and nodes keep their settings: ${message.replace(/^Error: /, '')}`,
      about,
      pools: [],
      ...since(last?.lastTransitionTime),
      evidence: [
        {
          object: about,
          field: 'status.conditions[Failure]',
          value: message,
          ...since(last?.lastTransitionTime),
        },
      ],
      next: [
        { command: shell`kubectl edit ${kind.toLowerCase()} ${about.name}`, why: 'correct it, or delete it' },
      ],
    },
  ];
}
