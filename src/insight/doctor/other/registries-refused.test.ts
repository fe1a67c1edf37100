import { expect, it } from 'vitest';
import {
  aClusterImagePolicy,
  anIdms,
  anImagePolicy,
  anItms,
} from '../../../../test/support/build-registries.ts';
import { found } from '../../../../test/support/doctor-facts.ts';
import { registriesRefused } from './registries-refused.ts';

const codes = (...objects: readonly object[]) =>
  found(registriesRefused, objects).map(({ code, about }) => `${code} ${about.kind} ${about.name}`);

it('are mirror sets that contradict each other, policies of the same scope, and invalid settings', () => {
  const source = 'quay.io';
  expect(
    codes(
      anItms('ours', { source, mirrors: ['m.io'] }),
      anIdms('theirs', { source, mirrors: ['n.io'], mirrorSourcePolicy: 'NeverContactSource' }),
    ).toSorted(),
  ).toEqual(['MirrorSetRefused ImageDigestMirrorSet theirs', 'MirrorSetRefused ImageTagMirrorSet ours']);
  expect(
    codes(
      aClusterImagePolicy('all', ['quay.io/a']),
      anImagePolicy({ namespace: 'n', name: 'own' }, ['quay.io/a/b']),
    ),
  ).toEqual(['ImagePolicyRefused ImagePolicy own']);
  const image = {
    ...{ apiVersion: 'config.openshift.io/v1', kind: 'Image', metadata: { name: 'cluster' } },
    spec: { registrySources: { containerRuntimeSearchRegistries: ['*.io'] } },
  };
  expect(codes(image)).toEqual(['ImageConfigRefused Image cluster']);
});

it('are none that are fine, nor an Image of another name', () => {
  expect(codes(anItms('ours', { source: 'quay.io', mirrors: ['m.io'] }))).toEqual([]);
});
