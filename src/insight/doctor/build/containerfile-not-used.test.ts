import { expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { anObject, found, texts } from '../../../../test/support/doctor-facts.ts';
import { containerfileNotUsed } from './containerfile-not-used.ts';

const node = (architecture?: string) =>
  anObject(
    'Node',
    'infra-0',
    { spec: {}, status: { nodeInfo: { ...(architecture && { architecture }) } } },
    { labels: { 'node-role.kubernetes.io/infra': '' } },
  );
const config = (...architectures: readonly string[]) =>
  anObject('MachineOSConfig', 'infra', {
    spec: {
      machineConfigPool: { name: 'infra' },
      containerFile: architectures.map((containerfileArch) => ({
        containerfileArch,
        content: 'FROM configs',
      })),
    },
  });

it('is found where no entry is for the nodes', () => {
  expect(
    texts(found(containerfileNotUsed, [aPool('infra'), config('ARM64', 'S390X'), node('amd64')])),
  ).toEqual([
    'ContainerfileNotUsed: the Containerfile of MachineOSConfig infra is for ARM64 and S390X, and the nodes of pool infra are AMD64: their image has none of it',
  ]);
});

it.each([
  ['an entry is for all', config('ARM64', 'NoArch'), node('amd64')],
  ['an entry is for the nodes', config('ARM64', 'AMD64'), node('amd64')],
  ['there is none', config(), node('amd64')],
  ['nothing is known of the nodes', config('ARM64'), node()],
])('is not asserted where %s', (_, given, member) => {
  expect(found(containerfileNotUsed, [aPool('infra'), given, member])).toEqual([]);
});
