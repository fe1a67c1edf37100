/** A MachineOSConfig whose Containerfiles are all for other architectures than that of its nodes: the image lacks their content. */
import { objectsAt, stringAt } from '../../../base/json-fields.ts';
import { nameOf } from '../../../kubernetes/meta/index.ts';
import type { PoolFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { listed } from '../prose.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

/** Kubernetes' name of an architecture, and that of the API. */
const ARCHITECTURES: { readonly [architecture: string]: string } = {
  amd64: 'AMD64',
  arm64: 'ARM64',
  ppc64le: 'PPC64LE',
  s390x: 'S390X',
};

export const containerfileNotUsed: Rule = {
  codes: ['ContainerfileNotUsed'],
  stage: 'build',
  find: ({ pools }) => pools.flatMap(findingOf),
};

function findingOf({ name, layering, members }: PoolFacts): readonly Found[] {
  if (layering === undefined) return [];
  const given = objectsAt(layering.config, 'spec', 'containerFile').map(
    (entry) => stringAt(entry, 'containerfileArch') || 'NoArch',
  );
  const present = new Set(members.map(({ node }) => stringAt(node, 'status', 'nodeInfo', 'architecture')));
  present.delete('');
  const used = [...present].map((architecture) => ARCHITECTURES[architecture] ?? architecture);
  if (given.length === 0 || used.length === 0 || given.includes('NoArch')) return [];
  if (given.some((one) => used.includes(one))) return [];
  const about = { kind: 'MachineOSConfig', name: nameOf(layering.config) };
  return [
    {
      code: 'ContainerfileNotUsed',
      cause: `the Containerfile of MachineOSConfig ${about.name} is for ${listed(given)}, and the nodes of pool ${name} are ${listed(used)}: their image has none of it`,
      about,
      pools: [name],
      evidence: [
        { object: about, field: 'spec.containerFile[].containerfileArch', value: given.join(', ') },
        ...members.slice(0, 1).map(({ name: node }) => ({
          object: { kind: 'Node', name: node },
          field: 'status.nodeInfo.architecture',
          value: [...present].join(', '),
        })),
      ],
      next: [
        { command: shell`kubectl edit machineosconfig ${about.name}`, why: 'use containerfileArch: NoArch' },
      ],
    },
  ];
}
