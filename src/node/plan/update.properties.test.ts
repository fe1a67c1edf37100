/**
 * What holds for any two configs.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COREOS } from '../../../test/support/a-node-config.ts';
import { aRandomConfig, hostileJson } from '../../../test/support/arbitraries.ts';
import { aMachineConfig } from '../../../test/support/build.ts';
import { describePlan } from '../../../test/support/describe-plan.ts';
import type { ClusterDisruptionPolicies, MachineConfigSpec } from '../../api/index.ts';
import { ok } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import { fileContents, type IgnitionConfig, type Unit } from '../../config/ignition/index.ts';
import { configChange, isNoChange } from './config-change.ts';
import { diskProblems, type ObservedPath } from './disk-check.ts';
import { mergePolicies, policiesInForce } from './disruption-policy.ts';
import { expectedDisk, whatToObserve } from './expected-disk.ts';
import { splitKernelArguments } from './kernel-arguments.ts';
import { embedImage, extractImage, readNodeConfig } from './node-config.ts';
import { dropinPath, unitPath } from './node-paths.ts';
import { osChanges } from './os-changes.ts';
import { passwordChanges } from './passwords.ts';
import type { NodeConfig } from './plan-types.ts';
import { type PlanInput, planUpdate } from './plan-update.ts';
import { unreadableError } from './reconcile-check.ts';
import { registriesChange } from './registries-change.ts';
import { sshKeysFile } from './ssh-keys.ts';
import { staleData } from './stale-data.ts';

/** Of one config, in the form in which the API holds it. */
const ignition = aRandomConfig.map((config) => JSON.parse(JSON.stringify(config)) as IgnitionConfig);
const spec: fc.Arbitrary<MachineConfigSpec> = fc
  .record({
    config: ignition,
    osImageURL: fc.constantFrom('', 'a', 'b'),
    kernelArguments: fc.array(fc.constantFrom('x', 'y=1', 'z="a b"'), { maxLength: 3 }),
    kernelType: fc.constantFrom('', 'realtime'),
    extensions: fc.uniqueArray(fc.constantFrom('usbguard', 'ipsec')),
  })
  .map((fields): MachineConfigSpec => fields);

function read(name: string, fields: MachineConfigSpec, image = ''): NodeConfig {
  const config = readNodeConfig(aMachineConfig(name, fields), image);
  fc.pre(config.kind === 'ok');
  return config.value;
}

const image = fc.constantFrom('', '', 'layered');
const nodeConfig = fc.tuple(spec, image).map(([fields, layered]) => ({ fields, layered }));
const pair = fc.tuple(nodeConfig, nodeConfig).map(
  ([before, after]) =>
    () =>
      [read('old', before.fields, before.layered), read('new', after.fields, after.layered)] as const,
);
const policies = ok(mergePolicies({ files: [{ path: '/etc', actions: [{ type: 'DaemonReload' }] }] }));
const circumstances = fc.record({
  isForced: fc.boolean(),
  machine: fc.boolean().map((isImageBased) => ({ ...COREOS, isImageBased })),
  isFirstBoot: fc.boolean(),
});

test('the same two configs give the same plan, independent of the order of their items', () => {
  fc.assert(
    fc.property(pair, circumstances, (make, about) => {
      const [from, to] = make();
      const input: PlanInput = { from, to, policies, ...about };
      const plan = planUpdate(input);
      expect(planUpdate(input)).toEqual(plan);
      const other = planUpdate({ ...input, from: reversed(from), to: reversed(to) });
      // Of several reasons that refuse it, another one may come first.
      if (plan.kind === 'plan') expect(other).toEqual(plan);
      else expect(other.kind).toBe(plan.kind);
    }),
    { numRuns: 150 },
  );
});

test('every plan ends with the stored config and its actions, and reboots only after a drain or at first boot', () => {
  fc.assert(
    fc.property(pair, circumstances, (make, about) => {
      const [from, to] = make();
      const result = planUpdate({ from, to, policies, ...about });
      if (result.kind !== 'plan') return;
      const { plan } = result;
      const kinds = plan.steps.map(({ kind }) => kind);
      const order = ['fetch', 'drain', 'files', 'ssh-keys', 'passwords', 'os', 'store-config', 'post-action'];
      expect(kinds).toEqual([...kinds].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
      expect(kinds).toContain('store-config');
      expect(plan.actions.length).toBeGreaterThan(0);
      expect(plan.needsReboot).toBe(plan.actions.some(({ type }) => type === 'Reboot'));
      if (plan.needsReboot && !about.isFirstBoot) {
        // Before it only the image is fetched, which changes nothing.
        expect(kinds.find((kind) => kind !== 'fetch')).toBe('drain');
      }
      const changesOs = about.machine.isImageBased || plan.change.kernelArguments || about.isForced;
      expect(kinds.includes('os') && !changesOs).toBe(false);
      expect(describePlan(plan).every((line) => !line.includes('undefined'))).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test('a config against itself changes nothing and has nothing stale', () => {
  fc.assert(
    fc.property(nodeConfig, ({ fields, layered }) => {
      const config = read('same', fields, layered);
      expect(isNoChange(configChange(config, reversed(config)))).toBe(true);
      const { files, dropins, units } = staleData(config, config);
      expect([...files, ...dropins, ...units]).toEqual([]);
      expect(passwordChanges(config, config)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('applying a config, its predecessor and the config again gives the same disk as applying it once', () => {
  fc.assert(
    fc.property(pair, (make) => {
      const [from, to] = make();
      const there = move(diskOf(from), from, to);
      expect(there).toEqual(diskOf(to));
      const back = move(there, to, from);
      expect(back).toEqual(diskOf(from));
      expect(move(back, from, to)).toEqual(there);
      // Twice is once: a step may be cut short after it was done and before it was noted.
      expect(move(there, from, to)).toEqual(there);
      expect(configChange(to, from).changedFiles).toEqual(configChange(from, to).changedFiles);
    }),
    { numRuns: 300 },
  );
});

test('a disk written from a config matches it, and any other disk does not', () => {
  fc.assert(
    fc.property(pair, (make) => {
      const [config, other] = make();
      const problems = (written: NodeConfig) => {
        const expected = expectedDisk(config);
        const disk = diskOf(written);
        const paths = new Map<string, ObservedPath>(
          whatToObserve(expected).paths.map(({ path }) => [path, disk.get(path) ?? NOTHING]),
        );
        return diskProblems(expected, { paths, enablement: new Map() }).filter(
          ({ kind }) => kind !== 'impossible',
        );
      };
      expect(problems(config)).toEqual([]);
      const differs = whatToObserve(expectedDisk(config)).paths.some(
        ({ path }) => !jsonEqual(diskOf(config).get(path), diskOf(other).get(path)),
      );
      expect(problems(other).length > 0).toBe(differs);
    }),
    { numRuns: 150 },
  );
});

test('no JSON makes the plan throw', () => {
  fc.assert(
    fc.property(hostileJson, hostileJson, (value, other) => {
      const wrapped = { ...aMachineConfig('x'), spec: { config: value, kernelArguments: other } };
      for (const odd of [value, wrapped, { ...aMachineConfig('x'), spec: value }]) {
        const config = readNodeConfig(odd);
        if (config.kind === 'invalid') {
          unreadableError({ from: 'a', to: 'b', value: odd, problems: config.problems });
        } else {
          planUpdate({
            from: config.value,
            to: config.value,
            policies: policiesInForce(other),
            machine: COREOS,
          });
        }
      }
      const some = read('y', {
        config: { ignition: { version: '3.5.0' }, storage: { files: [{ path: '/etc/a' }] } },
      });
      const none = read('z', {});
      const hostile = ok(other as ClusterDisruptionPolicies);
      planUpdate({
        from: none,
        to: some,
        policies: typeof other === 'object' && other ? hostile : policies,
        machine: COREOS,
      });
    }),
    { numRuns: 300 },
  );
});

test('registriesChange judges any registries.conf without throwing', () => {
  const toml = fc.oneof(
    fc.string(),
    fc.constantFrom('[[registry]]\n', 'registry = [{}]', '[registry]\na = 1'),
  );
  fc.assert(
    fc.property(toml, toml, (before, after) => {
      const conf = (text: string) =>
        read('c', {
          config: {
            ignition: { version: '3.5.0' },
            storage: {
              files: [
                {
                  path: '/etc/containers/registries.conf',
                  contents: { source: `data:,${encodeURIComponent(text)}` },
                },
              ],
            },
          },
        });
      expect(registriesChange(conf(before), conf(after)).log).toHaveLength(1);
    }),
    { numRuns: 100 },
  );
});

test('OS operations begin with dropping the pending deployment, and a rebase and its reverse are exact', () => {
  fc.assert(
    fc.property(pair, fc.boolean(), (make, isEnterpriseLinux) => {
      const [from, to] = make();
      const booted = { isBooted: true, image: from.osImage, layeredPackages: [], removedPackages: [] };
      const changes = osChanges({
        from,
        to,
        change: configChange(from, to),
        deployments: [booted],
        release: { isImageBased: true, isEnterpriseLinux },
      });
      if (changes.kind === 'refused') throw new Error(changes.error);
      const kinds = changes.operations.map(({ kind }) => kind).filter((kind) => kind !== 'open-extensions');
      expect(kinds[0]).toBe('drop-pending');
      expect(kinds.filter((kind) => kind === 'rebase').length).toBe(changes.isRebase ? 1 : 0);
      expect(sshKeysFile(to).text.endsWith('\n') || sshKeysFile(to).text === '').toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('an embedded image can be extracted', () => {
  fc.assert(
    fc.property(spec, fc.string({ minLength: 1 }), (fields, layered) => {
      const { osImageURL, ...rest } = fields;
      const machineConfig = aMachineConfig('a', { ...rest, ...(osImageURL && { osImageURL }) });
      expect(extractImage(embedImage(machineConfig, layered))).toEqual({
        machineConfig,
        layeredImage: layered,
      });
    }),
    { numRuns: 50 },
  );
});

test('splitting kernel arguments is idempotent', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (entries) => {
      const once = splitKernelArguments(entries);
      // A quote that is not closed ends with its entry, so each is split by itself.
      expect(once.flatMap((entry) => splitKernelArguments([entry]))).toEqual(once);
    }),
  );
});

type Disk = ReadonlyMap<string, ObservedPath>;

/** What a config leaves on a disk. */
function diskOf(config: NodeConfig): Disk {
  return move(new Map(), { ...config, ignition: { ignition: { version: '3.5.0' } } }, config);
}

/** The step `files`, over a map instead of a disk. */
function move(before: Disk, from: NodeConfig, to: NodeConfig): Disk {
  const disk = new Map(before);
  for (const { path, contents, mode } of to.ignition.storage?.files ?? []) {
    const bytes = fileContents(contents);
    // What cannot be written is refused before; here it only must not be mistaken for anything else.
    disk.set(path, bytes.kind === 'ok' ? aFile(bytes.value, mode) : { kind: 'unreadable', error: path });
  }
  const changed = new Set(configChange(from, to).changedUnits);
  for (const unit of to.ignition.systemd?.units ?? []) if (changed.has(unit.name)) writeUnit(disk, unit);
  const stale = staleData(from, to);
  for (const path of [...stale.files, ...stale.dropins]) disk.delete(path);
  for (const { path, isOurs } of stale.units) if (isOurs) disk.delete(path);
  return disk;
}

function writeUnit(disk: Map<string, ObservedPath>, { name, mask, contents, dropins }: Unit): void {
  const write = (path: string, text: string) => disk.set(path, aFile(new TextEncoder().encode(text)));
  for (const dropin of dropins ?? []) {
    const path = dropinPath(name, dropin.name);
    if (dropin.contents) write(path, dropin.contents);
    else disk.delete(path);
  }
  const path = unitPath(name);
  if (mask) disk.set(path, { kind: 'link', mode: 0o777, sizeBytes: 0, target: '/dev/null' });
  else if (contents) write(path, contents);
  else if (mask === false) disk.delete(path);
}

const NOTHING: ObservedPath = { kind: 'nothing' };

function aFile(bytes: Uint8Array, mode = 0o644): ObservedPath {
  return { kind: 'file', mode, sizeBytes: bytes.length, digest: bytesToHex(sha256(bytes)) };
}

function reversed(config: NodeConfig): NodeConfig {
  const { storage, systemd, passwd } = config.ignition;
  return {
    ...config,
    extensions: [...config.extensions].reverse(),
    ignition: {
      ...config.ignition,
      ...(storage && {
        storage: { ...storage, ...(storage.files && { files: [...storage.files].reverse() }) },
      }),
      ...(systemd?.units && { systemd: { units: [...systemd.units].reverse() } }),
      ...(passwd?.users && { passwd: { ...passwd, users: [...passwd.users].reverse() } }),
    },
  };
}
