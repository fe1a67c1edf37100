/**
 * Compares our parsing and merging of Ignition with the library of the Machine Config Operator.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/base/json.ts';
import {
  base64DataUrl,
  ConfigMerger,
  decodeDataUrl,
  encodeIgnition,
  parseIgnition,
  percentDataUrl,
} from '../../src/config/ignition/index.ts';
import { configCases, mergeCases, readJson } from './corpus.ts';
import { anyConfig, someConfigs } from './ignition-arbitraries.ts';
import { asIgnitionLifts, ourVerdict, theirVerdict, verdictsAgree } from './ignition-verdict.ts';
import {
  askToDecode,
  askToEncode,
  askToMerge,
  askToParse,
  askToValidate,
  type IgnitionAnswer,
} from './questions.ts';
import { withOracle } from './with-oracle.ts';

const SECTIONS = [
  'versions',
  'types',
  'files',
  'directories-and-links',
  'resources',
  'units',
  'passwd',
  'disks',
  'raid',
  'filesystems',
  'luks',
  'section',
  'spec-2',
];

type Difference = { readonly section: string; readonly why: string; readonly cases: readonly string[] };

/** Deliberate differences, with the reason. */
function knownDifferences(section: string): ReadonlySet<string> {
  const differences = readJson('ignition-differences.json') as readonly Difference[];
  return new Set(differences.filter((one) => one.section === section).flatMap(({ cases }) => cases));
}

/** The merge of configs in order; overwriting is done by rendering. */
function merge(configs: readonly unknown[]): string {
  const merger = new ConfigMerger();
  for (const [index, config] of configs.entries()) {
    if (config === null) continue;
    const parsed = parseIgnition(config);
    if (parsed.kind === 'invalid') return 'refused';
    merger.absorb(asIgnitionLifts(config, parsed.value), `config ${index}`);
  }
  return canonicalJson(encodeIgnition(merger.finish().config));
}

function mergedText({ ok, config }: IgnitionAnswer): string {
  return ok ? canonicalJson(config) : 'refused';
}

describe('the corpus', () => {
  it('gives every case a name of its own', () => {
    for (const section of SECTIONS) {
      const names = configCases(section).map(({ name }) => name);
      expect(new Set(names).size, section).toBe(names.length);
    }
  });
});

await withOracle('ignition', (oracle) => {
  describe('the oracle itself', () => {
    it('reads a config and lifts it to 3.5.0', async () => {
      const config = {
        ignition: { version: '3.0.0' },
        storage: { files: [{ path: '/etc/a', mode: 0o4755 }] },
      };
      expect(await askToParse(oracle, config)).toMatchObject({
        ok: true,
        config: { ignition: { version: '3.5.0' }, storage: { files: [{ path: '/etc/a', mode: 0o755 }] } },
        report: [{ kind: 'warning', path: ['storage', 'files', 0, 'mode'] }],
      });
    });

    it('converts a config of spec 2, or reports why it cannot', async () => {
      const users = [{ name: 'bob' }];
      expect(await askToParse(oracle, { ignition: { version: '2.2.0' }, passwd: { users } })).toMatchObject({
        ok: false,
        stage: 'convert',
        error: 'unexpected user with name: bob. Only core user is supported',
      });
    });

    it('validates what its version allowed by the rules of 3.5', async () => {
      const config = { ignition: { version: '3.0.0' }, storage: { links: [{ path: '/etc/a' }] } };
      expect(await askToParse(oracle, config)).toMatchObject({ ok: true });
      expect(await askToValidate(oracle, config)).toMatchObject({
        ok: false,
        stage: 'validate',
        report: [{ message: 'link target is required' }],
      });
    });

    it('refuses special mode bits with the message of the operator', async () => {
      const config = {
        ignition: { version: '3.5.0' },
        storage: { files: [{ path: '/etc/a', mode: 0o4755 }] },
      };
      expect(await askToValidate(oracle, config)).toMatchObject({
        stage: 'mode',
        error: 'invalid mode 04755 for /etc/a, cannot exceed 0777',
      });
    });

    it('does not fail for input that is no config', async () => {
      await expect(oracle.ask('ignition-parse', { raw: '{"ignition":' })).resolves.toMatchObject({
        ok: false,
      });
      await expect(oracle.ask('nonsense', {})).rejects.toThrow('unknown op');
      expect(await askToParse(oracle, { ignition: { version: '3.5.0' } })).toMatchObject({ ok: true });
    });
  });

  describe('reading', () => {
    it.each(SECTIONS)('agrees on %s', async (section) => {
      const verdicts = await Promise.all(
        configCases(section).map(async ({ name, config }) => {
          return { name, theirs: await theirVerdict(oracle, config), ours: ourVerdict(config) };
        }),
      );
      // Reports of spec 2 have no paths, and its conversion stops at the first error.
      const precision = section === 'spec-2' ? 'onlyTheOutcome' : undefined;
      const differing = verdicts.filter(({ theirs, ours }) => !verdictsAgree(theirs, ours, precision));
      const known = knownDifferences(section);
      expect(differing.filter(({ name }) => !known.has(name))).toEqual([]);
      // A difference that no longer exists must be removed from the list.
      expect(differing.map(({ name }) => name).sort()).toEqual([...known].sort());
    });

    it('agrees on random configs', async () => {
      await fc.assert(
        fc.asyncProperty(anyConfig, async (config) => {
          expect(ourVerdict(config)).toBe(await theirVerdict(oracle, config));
        }),
        { numRuns: 300 },
      );
    });
  });

  describe('data URLs', () => {
    it('are written alike', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
          expect(percentDataUrl(bytes)).toBe(await askToEncode(oracle, bytes, true));
          const theirs = await askToEncode(oracle, bytes, false);
          const mediaType = theirs.slice('data:'.length, theirs.indexOf(';base64,'));
          expect(base64DataUrl(mediaType, bytes)).toBe(theirs);
        }),
      );
    });

    it('are read alike', async () => {
      const text = fc.string({
        unit: fc.constantFrom('a', '%41', '%', '=', '+', '/', 'Zg==', '?', ' ', ','),
      });
      const head = fc.constantFrom('', ';base64', 'text/plain', 'text/plain;charset=utf-8;base64', ';base32');
      await fc.assert(
        fc.asyncProperty(head, text, async (before, data) => {
          const url = `data:${before},${data}`;
          const ours = decodeDataUrl(url);
          const theirs = await askToDecode(oracle, url);
          expect(typeof ours === 'string' ? undefined : Buffer.from(ours.bytes).toString('base64')).toBe(
            theirs.ok ? (theirs.data ?? '') : undefined,
          );
        }),
        { numRuns: 300 },
      );
    });
  });

  describe('merging', () => {
    it('agrees on every rule', async () => {
      const merged = await Promise.all(
        mergeCases().map(async ({ name, configs }) => {
          const answer = await askToMerge(oracle, configs, { skipOverwrite: true });
          return { name, theirs: mergedText(answer), ours: merge(configs) };
        }),
      );
      const differing = merged.filter(({ theirs, ours }) => theirs !== ours);
      const known = knownDifferences('merge');
      expect(differing.filter(({ name }) => !known.has(name))).toEqual([]);
      expect(differing.map(({ name }) => name).sort()).toEqual([...known].sort());
    });

    it('agrees on random configs', async () => {
      await fc.assert(
        fc.asyncProperty(someConfigs, async (configs) => {
          const answer = await askToMerge(oracle, configs, { skipOverwrite: true });
          expect(merge(configs)).toBe(mergedText(answer));
        }),
        { numRuns: 300 },
      );
    });
  });
});
