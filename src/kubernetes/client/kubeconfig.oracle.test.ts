/** Which server kubectl would talk to with several kubeconfigs, beside ours: `kubectl config view --minify`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { readKubeconfigs } from './kubeconfig-node.ts';

const isInstalled = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).status === 0;

/** CI sets `MILLWRIGHT_REQUIRE_TOOLS=1`, so that nothing is skipped there in silence. */
function needsKubectl(context: TestContext): void {
  if (!isInstalled && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1')
    throw new Error('kubectl is required here');
  context.skip(!isInstalled, 'kubectl is not installed');
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-kubeconfigs-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Chosen = { readonly server: string; readonly namespace: string; readonly token: string } | 'refused';

function chosenByKubectl(paths: readonly string[], context: string | undefined): Chosen {
  const flags = context === undefined ? [] : ['--context', context];
  const run = spawnSync('kubectl', ['config', 'view', '--minify', '--raw', '-o', 'json', ...flags], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, KUBECONFIG: paths.join(delimiter) },
  });
  if (run.status !== 0) return 'refused';
  const view = JSON.parse(run.stdout);
  const server = view.clusters?.[0]?.cluster?.server ?? '';
  // kubectl would then try localhost:8080, which is nobody's cluster.
  if (server === '') return 'refused';
  return {
    server,
    namespace: view.contexts?.[0]?.context?.namespace ?? '',
    token: view.users?.[0]?.user?.token ?? '',
  };
}

async function chosenByUs(paths: readonly string[], context: string | undefined): Promise<Chosen> {
  const access = await readKubeconfigs(paths, context).catch(() => undefined);
  if (access === undefined) return 'refused';
  return {
    server: access.url,
    namespace: access.namespace ?? '',
    token: (await access.token?.()) ?? '',
  };
}

const name = fc.constantFrom('a', 'b');
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
/** kubectl refuses a name that is there twice in one file. */
const listOf = <T extends { readonly name: string }>(entry: fc.Arbitrary<T>) =>
  optional(fc.uniqueArray(entry, { maxLength: 2, selector: (one) => one.name }));

const kubeconfig = (index: number) =>
  fc.record(
    {
      'current-context': fc.constantFrom('', 'a', 'b'),
      clusters: listOf(
        fc.record({
          name,
          cluster: fc.constantFrom({ server: `https://${index}` }, { server: `http://${index}` }),
        }),
      ),
      contexts: listOf(
        fc.record({
          name,
          // A user that does not exist is an error of kubectl's; ours is anonymous.
          context: fc.record({
            cluster: name,
            user: fc.constant(''),
            namespace: fc.constantFrom('', `n${index}`),
          }),
        }),
      ),
    },
    { requiredKeys: [] },
  );

test('kubectl and we choose the same server and namespace of merged kubeconfigs', {
  timeout: 300_000,
}, async (context) => {
  needsKubectl(context);
  const chosen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(optional(kubeconfig(1)), optional(kubeconfig(2)), optional(kubeconfig(3))),
      optional(fc.constantFrom('a', 'b')),
      async (files, wanted) => {
        const paths = files.map((file, index) => {
          const path = join(folder, `${index}`);
          rmSync(path, { force: true });
          if (file !== undefined) writeFileSync(path, JSON.stringify(file));
          return path;
        });
        const theirs = chosenByKubectl(paths, wanted);
        chosen.add(theirs === 'refused' ? theirs : theirs.server);
        expect(await chosenByUs(paths, wanted)).toEqual(theirs);
      },
    ),
    { numRuns: 120 },
  );
  // Not always the same.
  expect(chosen.size).toBeGreaterThan(4);
});
