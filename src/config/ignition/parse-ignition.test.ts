import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aRandomConfig, hostileJson } from '../../../test/support/arbitraries.ts';
import { aConfig, aFile } from '../../../test/support/build.ts';
import { encodeIgnition } from './encode-ignition.ts';
import { parseFailureText, parseIgnition } from './parse-ignition.ts';

const INVALID =
  'parsing Ignition config failed: invalid version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5';
const UNKNOWN =
  'parsing Ignition config failed: unknown version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5';

describe('the version of a config', () => {
  const withVersion = (version: unknown) => ({ ignition: { version } });
  it.each<[string, unknown, string]>([
    ['is missing in an empty object', {}, INVALID],
    ['is missing in null', null, INVALID],
    ['is missing in a text', 'x', INVALID],
    ['is missing in a list', [], INVALID],
    ['is missing in a section of a wrong type', { ignition: [] }, INVALID],
    ['must be full', withVersion('3.5'), INVALID],
    ['must be a text', withVersion(3.5), INVALID],
    ['has no prefix', withVersion('v3.5.0'), INVALID],
    ['may not be inherited', { ignition: Object.create({ version: '3.5.0' }) }, INVALID],
    ['is not 1', { ignitionVersion: 1 }, INVALID],
    ['is not 2.3 or later', withVersion('2.3.0'), UNKNOWN],
    ['is not 3.6 or later', withVersion('3.6.0'), UNKNOWN],
    ['is not 4', withVersion('4.0.0'), UNKNOWN],
    ['is not experimental', withVersion('3.5.0-experimental'), UNKNOWN],
  ])('%s', (_, value, message) => {
    expect(parseIgnition(value)).toEqual({
      kind: 'invalid',
      problems: [{ path: 'ignition.version', message }],
    });
    expect(parseFailureText(value, [])).toBe(message);
  });

  it.each(['2.0.0', '2.1.0', '2.2.0', '3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'])(
    '%s is lifted to 3.5.0',
    (version) => {
      expect(parseIgnition(withVersion(version))).toEqual({
        kind: 'ok',
        value: { ignition: { version: '3.5.0' } },
        warnings: [],
      });
    },
  );
});

describe('fields that a version does not have', () => {
  it('are dropped with a warning that has their path', () => {
    const config = {
      ignition: { version: '3.5.0' },
      storage: { files: [{ ...aFile('/etc/x', ''), colour: 'red' }] },
    };
    expect(parseIgnition(config)).toMatchObject({
      kind: 'ok',
      value: { storage: { files: [aFile('/etc/x', '')] } },
      warnings: [{ path: 'storage.files[0].colour', message: 'unknown key "colour" is ignored' }],
    });
  });

  it('are dropped if they were added later, with the version that has them', () => {
    const outcome = parseIgnition({
      ignition: { version: '3.2.0' },
      kernelArguments: { shouldExist: ['a'] },
    });
    expect(outcome).toMatchObject({ kind: 'ok', value: { ignition: { version: '3.5.0' } } });
    expect(outcome.kind === 'ok' && outcome.value.kernelArguments).toBeUndefined();
    expect(outcome.kind === 'ok' && outcome.warnings[0]?.message).toContain('exists since Ignition 3.3.0');
  });
});

describe('special mode bits', () => {
  it.each(['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'])('are kept in configs of %s', (version) => {
    const files = [aFile('/usr/bin/x', '', { mode: 0o4755 })];
    const directories = [{ path: '/var/scratch', mode: 0o1777 }];
    expect(parseIgnition({ ignition: { version }, storage: { files, directories } })).toMatchObject({
      kind: 'ok',
      value: { storage: { files: [{ mode: 0o4755 }], directories: [{ mode: 0o1777 }] } },
      warnings: [],
    });
  });
});

describe('parseIgnition', () => {
  it('reports all wrong types at once with their paths', () => {
    const config = {
      ignition: { version: '3.5.0' },
      storage: { files: [{ path: 5, mode: '0644' }, 'x'], links: {} },
      systemd: { units: [{ name: 'a.service', enabled: 'yes', dropins: [3] }] },
    };
    const outcome = parseIgnition(config);
    expect(outcome.kind === 'invalid' && outcome.problems).toEqual([
      {
        path: 'storage.files[0].path',
        message: 'must be a string, not a number',
        reason: 'FieldValueTypeInvalid',
      },
      {
        path: 'storage.files[0].mode',
        message: 'must be a whole number, not a string',
        reason: 'FieldValueTypeInvalid',
      },
      {
        path: 'storage.files[1]',
        message: 'must be an object, not a string',
        reason: 'FieldValueTypeInvalid',
      },
      { path: 'storage.links', message: 'must be a list, not an object', reason: 'FieldValueTypeInvalid' },
      {
        path: 'systemd.units[0].enabled',
        message: 'must be true or false, not a string',
        reason: 'FieldValueTypeInvalid',
      },
      {
        path: 'systemd.units[0].dropins[0]',
        message: 'must be an object, not a number',
        reason: 'FieldValueTypeInvalid',
      },
    ]);
  });

  it('has one message for a condition', () => {
    const config = aConfig({ storage: { files: [aFile('etc/x', '')] } });
    const outcome = parseIgnition(config);
    expect(parseFailureText(config, outcome.kind === 'invalid' ? outcome.problems : [])).toBe(
      'parsing Ignition config spec v3 failed with error: config is not valid\nReport: error at $.storage.files.0.path: path not absolute\n',
    );
  });

  it('keeps unchanged values byte for byte', () => {
    const source = 'data:text/plain;charset=utf-8;base64,SGVsbG8=';
    const config = aConfig({ storage: { files: [{ path: '/etc/x', contents: { source } }] } });
    expect(parseIgnition(config)).toMatchObject({
      value: { storage: { files: [{ contents: { source } }] } },
    });
  });

  it('is the inverse of encoding', () => {
    fc.assert(
      fc.property(aRandomConfig, (config) => {
        const first = parseIgnition(config);
        if (first.kind === 'invalid') throw new Error(JSON.stringify(first.problems));
        expect(parseIgnition(encodeIgnition(first.value))).toEqual({ ...first, warnings: expect.anything() });
        // And so through text: what is stored in a cluster is what was meant.
        expect(parseIgnition(JSON.parse(JSON.stringify(encodeIgnition(first.value))))).toMatchObject({
          kind: 'ok',
          value: first.value,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('returns problems with paths for any JSON, and never throws', () => {
    fc.assert(
      fc.property(hostileJson, fc.constantFrom('2.2.0', '3.0.0', '3.5.0'), (value, version) => {
        parseIgnition(value);
        const sections = ['ignition', 'storage', 'systemd', 'passwd', 'kernelArguments', 'networkd'];
        for (const section of sections) {
          const outcome = parseIgnition({ ignition: { version }, [section]: value });
          if (outcome.kind === 'invalid') {
            expect(outcome.problems.length).toBeGreaterThan(0);
            for (const problem of outcome.problems) expect(problem.path).not.toBe('');
          } else expect(outcome.value.ignition.version).toBe('3.5.0');
        }
        for (const list of ['files', 'directories', 'links', 'disks', 'raid', 'filesystems', 'luks']) {
          parseIgnition({ ignition: { version }, storage: { [list]: [value, value] } });
        }
        parseIgnition({ ignition: { version }, systemd: { units: [value] }, passwd: { users: [value] } });
      }),
      { numRuns: 500 },
    );
    expect(Object.prototype).not.toHaveProperty('path');
  });

  it('handles deeply nested configs like any other', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = { x: deep };
    expect(parseIgnition({ ignition: { version: '3.5.0' }, storage: deep }).kind).toBe('ok');
    expect(parseIgnition(deep).kind).toBe('invalid');
  });
});
