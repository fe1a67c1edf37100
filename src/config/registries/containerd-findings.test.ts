import { describe, expect, it } from 'vitest';
import {
  aClusterImagePolicy,
  anIdms,
  anImage,
  anItms,
  objectsOf,
  type SomeObject,
} from '../../../test/support/build-registries.ts';
import { containerdFindings } from './containerd-findings.ts';
import { readRegistries } from './registries-config.ts';

const found = (...given: readonly SomeObject[]) => {
  const objects = objectsOf(...given);
  return containerdFindings(objects, readRegistries(objects)).map(
    ({ about, reason, message }) => `${about.kind}/${about.name} ${reason}: ${message}`,
  );
};
const ON = 'NoEffectOnContainerd: on nodes that run containerd:';

describe('containerdFindings', () => {
  it('names the mirror sets whose source is no registry, and no others', () => {
    expect(
      found(
        anIdms('team', { source: 'quay.io/team', mirrors: ['m.io/team'] }),
        anIdms('whole', { source: 'docker.io', mirrors: ['m.io/hub'] }),
      ),
    ).toEqual([
      `ImageDigestMirrorSet/team ${ON} containerd has settings for whole registries only: "quay.io/team" is not applied, and no setting applies to its images. Name the registry quay.io instead`,
    ]);
  });

  it('names mirrors for tags only on ImageTagMirrorSets, not on ImageDigestMirrorSets of the same source', () => {
    expect(
      found(
        anItms('tags', { source: 'quay.io', mirrors: ['t.io'] }),
        anIdms('digests', { source: 'quay.io', mirrors: ['d.io'] }),
      ),
    ).toEqual([
      `ImageTagMirrorSet/tags ${ON} containerd has no mirrors for tags only: it asks the mirror "t.io" of "quay.io" for pulls by digest as well`,
    ]);
  });

  it('names what the Image asks for', () => {
    expect(found(anImage({ blockedRegistries: ['quay.io', 'docker.io/bad'] }))).toEqual([
      `Image/cluster ${ON} containerd does not read policy.json, so images are accepted whatever spec.registrySources says; a whole registry that is blocked is not contacted`,
      `Image/cluster ${ON} containerd has settings for whole registries only: "docker.io/bad" is not applied, and no setting applies to its images. Name the registry docker.io instead`,
    ]);
    expect(found(anImage({ insecureRegistries: ['quay.io'] }))).toEqual([]);
  });

  it('names signature policies', () => {
    expect(found(aClusterImagePolicy('signed', ['quay.io']))).toEqual([
      `ClusterImagePolicy/signed ${ON} containerd does not read policy.json, so signatures are not checked`,
    ]);
  });
});
