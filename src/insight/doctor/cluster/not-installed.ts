/** Objects of Millwright without any of its components. */
import type { Rule } from '../rule.ts';

export const notInstalled: Rule = {
  codes: ['NotInstalled'],
  stage: 'cluster',
  find({ absent, namespace }) {
    if (absent?.isNotInstalled !== true) return [];
    const object = { kind: 'Namespace', name: namespace };
    return [
      {
        code: 'NotInstalled',
        cause: 'Millwright is not installed here: its pools and configs are, and no component acts on them',
        about: object,
        pools: [],
        evidence: [{ object, field: 'Deployments, DaemonSets and Leases of the components', value: 'none' }],
        next: [
          {
            command: 'millwright install | kubectl apply --server-side -f -',
            why: 'installs the components',
          },
        ],
      },
    ];
  },
};
