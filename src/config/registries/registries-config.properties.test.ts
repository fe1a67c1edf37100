/** Properties of the registries configuration for any objects in any order. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aMachineConfig } from '../../../test/support/build.ts';
import {
  aClusterImagePolicy,
  anIcsp,
  anIdms,
  anImage,
  anImagePolicy,
  anItms,
  objectsOf,
  type SomeObject,
} from '../../../test/support/build-registries.ts';
import type { MirrorEntry } from '../../api/index.ts';
import { encodeIgnition, type IgnitionConfig } from '../ignition/index.ts';
import { fileText } from './base-files.ts';
import { REGISTRIES_CONF_PATH } from './paths.ts';
import { parseRegistriesConf } from './registries-conf.ts';
import { readRegistries, registriesConfig } from './registries-config.ts';
import { entryOf } from './registry-entries.ts';
import { narrowest, restWithin } from './scope.ts';

const base = { search: ['docker.io'], policy: '{}' };

/** Few names, so that they meet. */
const source = fc.constantFrom('q.io', 'q.io/a', 'q.io/a/b', 'r.io', '*.e.com', 'x.e.com', 'x.e.com/a');
const mirror = fc.constantFrom('m.io', 'm.io/a', 'n.io', 'o.io', 'q.io', 'r.io');
const entry: fc.Arbitrary<MirrorEntry> = fc.record(
  {
    source: fc.oneof({ weight: 9, arbitrary: source }, { weight: 1, arbitrary: fc.string() }),
    mirrors: fc.array(fc.oneof({ weight: 9, arbitrary: mirror }, { weight: 1, arbitrary: fc.string() }), {
      maxLength: 3,
    }),
    mirrorSourcePolicy: fc.constantFrom('NeverContactSource', 'AllowContactingSource'),
  },
  { requiredKeys: ['source'] },
);
const name = fc.constantFrom('a', 'b', 'c', 'd');
const entries = fc.array(entry, { maxLength: 3 });
const scopes = fc.array(fc.oneof(source, fc.string()), { maxLength: 3 });
const mirrorSet = fc.oneof(
  fc.tuple(name, entries).map(([given, list]) => anItms(given, ...list)),
  fc.tuple(name, entries).map(([given, list]) => anIdms(given, ...list)),
  fc.tuple(name, entries).map(([given, list]) => anIcsp(given, ...list)),
);
const policy = fc.oneof(
  fc.tuple(name, scopes).map(([given, list]) => aClusterImagePolicy(given, list)),
  fc
    .tuple(name, name, scopes)
    .map(([given, namespace, list]) => anImagePolicy({ namespace, name: given }, list)),
);
const settings = fc
  .record({
    insecureRegistries: scopes,
    blockedRegistries: scopes,
    containerRuntimeSearchRegistries: scopes,
  })
  .map(anImage);
const keyOf = ({ kind, metadata }: SomeObject) => `${kind}/${metadata.namespace}/${metadata.name}`;
const objects = fc.uniqueArray(fc.oneof(mirrorSet, mirrorSet, policy, settings), {
  selector: keyOf,
  maxLength: 8,
});

const made = (given: readonly SomeObject[], before?: IgnitionConfig): IgnitionConfig => {
  const last = before && aMachineConfig('last', { config: encodeIgnition(before) });
  return registriesConfig(readRegistries(objectsOf(...given)), { base, last });
};
const entriesOf = (config: IgnitionConfig) => {
  const conf = parseRegistriesConf(fileText(config, REGISTRIES_CONF_PATH) ?? '');
  return conf.kind === 'ok' ? conf.value.registries.map(entryOf) : [];
};

it('the result does not depend on the order of objects', () => {
  fc.assert(
    fc.property(objects, objects, fc.infiniteStream(fc.nat()), (given, earlier, randoms) => {
      const shuffled = given
        .map((one) => ({ one, key: randoms.next().value }))
        .sort((a, b) => a.key - b.key)
        .map(({ one }) => one);
      const before = made(earlier);
      expect(made(shuffled, before)).toEqual(made(given, before));
      expect(readRegistries(objectsOf(...shuffled)).findings).toEqual(
        readRegistries(objectsOf(...given)).findings,
      );
    }),
  );
});

it('every source has at least its own mirrors, unless a finding reports its sets as invalid', () => {
  fc.assert(
    fc.property(objects, (given) => {
      const registries = readRegistries(objectsOf(...given));
      const all = entriesOf(made(given));
      const { digestMirrorSets, tagMirrorSets, contentSourcePolicies } = objectsOf(...given);
      const entries = [
        ...digestMirrorSets.flatMap(({ spec }) => spec.imageDigestMirrors ?? []),
        ...contentSourcePolicies.flatMap(({ spec }) => spec.repositoryDigestMirrors ?? []),
        ...tagMirrorSets.flatMap(({ spec }) => spec.imageTagMirrors ?? []),
      ];
      for (const { source: scopeOfEntry, mirrors = [] } of entries) {
        const isWrong = registries.findings.some(({ message }) =>
          message.includes(JSON.stringify(scopeOfEntry)),
        );
        const isHeld = registries.mirrors.held.has(scopeOfEntry);
        const found =
          all.find(({ scope }) => scope === scopeOfEntry)?.mirrors.map(({ location }) => location) ?? [];
        const missing = mirrors.filter((one) => one !== scopeOfEntry && !found.includes(one));
        if (missing.length > 0) expect(isHeld || isWrong).toBe(true);
        // Held sources have a finding.
        if (isHeld) expect(registries.findings.length).toBeGreaterThan(0);
      }
    }),
  );
});

it('invalid objects do not change the files of nodes, and the result is stable', () => {
  fc.assert(
    fc.property(objects, objects, (earlier, given) => {
      const before = made(earlier);
      const after = made(given, before);
      expect(made(given, after)).toEqual(after);
      const { held } = readRegistries(objectsOf(...given)).mirrors;
      const had = entriesOf(before).filter(({ scope, mirrors }) => held.has(scope) && mirrors.length > 0);
      const has = entriesOf(after);
      // Of its own, or from around it as before.
      for (const { scope, mirrors } of had) {
        const found = narrowest(scope, has);
        const rest = restWithin(scope, found?.scope ?? scope);
        expect(found?.mirrors.map(({ location }) => `${location}${rest}`)).toEqual(
          mirrors.map(({ location }) => location),
        );
      }
    }),
  );
});

it('entries within another keep its settings', () => {
  fc.assert(
    fc.property(objects, (given) => {
      const { settings } = readRegistries(objectsOf(...given));
      for (const { scope, isBlocked, isInsecure } of entriesOf(made(given))) {
        if (settings.blocked.includes(scope)) expect(isBlocked).toBe(true);
        if (settings.insecure.includes(scope)) expect(isInsecure).toBe(true);
      }
    }),
  );
});
