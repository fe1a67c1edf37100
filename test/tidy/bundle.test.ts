/** The boundaries of the tree, checked on what is shipped rather than on import lines alone. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProgram } from './bundle.ts';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProgram();
});

/** The commands that run in production, by the files that they are in. */
const PRODUCTION: readonly (readonly [command: string, file: string])[] = [
  ['operator and controller', 'src/cli/component-command.ts'],
  ['builder', 'src/cli/builder-command.ts'],
  ['the commands of build pods', 'src/cli/build-pod-command.ts'],
  ['daemon', 'src/cli/daemon-command.ts'],
  ['pivot', 'src/cli/pivot-command.ts'],
  ['render', 'src/cli/render/render-command.ts'],
  ['plan', 'src/cli/plan/plan-command.ts'],
  ['doctor', 'src/cli/doctor/doctor-command.ts'],
];

const below = (files: readonly string[], folders: RegExp) => files.filter((file) => folders.test(file));

describe('the shipped program', () => {
  it.each(PRODUCTION)('loads nothing of the embedded cluster for %s', (_, file) => {
    expect(below(bundle.filesOf(file), /^src\/(embedded|simulation)\//)).toEqual([]);
  });

  it.each(PRODUCTION.filter(([command]) => ['daemon', 'pivot'].includes(command)))(
    'loads neither validation nor CEL for %s',
    (_, file) => {
      expect(below(bundle.filesOf(file), /^src\/kubernetes\/(validation|cel)\/|cel-js/)).toEqual([]);
    },
  );

  it('loads nothing of nodes for the builder and its pods', () => {
    for (const file of ['src/cli/builder-command.ts', 'src/cli/build-pod-command.ts']) {
      expect(below(bundle.filesOf(file), /^src\/node\/(daemon|host)\//)).toEqual([]);
    }
  });

  it('loads neither controllers nor schema validation for the commands of build pods', () => {
    const files = bundle.filesOf('src/cli/build-pod-command.ts');
    expect(below(files, /^src\/controllers\/|^src\/kubernetes\/(validation|cel)\/|cel-js/)).toEqual([]);
  });

  it('does load them where they are used: the checks above can fail', () => {
    expect(below(bundle.filesOf('src/cli/up-command.ts'), /^src\/embedded\//)).not.toEqual([]);
    expect(below(bundle.filesOf('src/cli/simulate/simulate-command.ts'), /^src\/simulation\//)).not.toEqual(
      [],
    );
    expect(below(bundle.filesOf('src/cli/daemon-command.ts'), /^src\/node\/daemon\//)).not.toEqual([]);
    expect(below(bundle.filesOf('src/cli/builder-command.ts'), /^src\/controllers\//)).not.toEqual([]);
    expect(below(bundle.filesOf('src/cli/render/render-command.ts'), /^src\/kubernetes\/cel\//)).not.toEqual(
      [],
    );
  });
});
