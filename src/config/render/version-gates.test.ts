import { describe, expect, test } from 'vitest';
import type { ControllerConfig, OSImageStream } from '../../api/index.ts';
import { versionProblem } from './version-gates.ts';

const release = { version: 'millwright 2', controllerVersion: 'c0ffee' };
const P = 'machineconfiguration.openshift.io';

/** Only the annotations play a part. */
const annotated = (key: string, value: string | undefined) =>
  ({
    metadata: { name: 'x', ...(value !== undefined && { annotations: { [`${P}/${key}`]: value } }) },
  }) as unknown;
const config = (version?: string) => annotated('generated-by-version', version) as ControllerConfig;
const stream = (version?: string) => annotated('release-image-version', version) as OSImageStream;

describe('versionProblem', () => {
  const without = `ignoring controller config generated without ${P}/generated-by-version annotation (my version: millwright 2)`;
  const noStream = `ignoring OSImageStream without ${P}/release-image-version annotation (my version: c0ffee)`;
  // biome-ignore format: a table.
  test.each<[string, string | undefined, ControllerConfig, OSImageStream?]>([
    ['accepts a ControllerConfig of its own version', undefined, config('millwright 2')],
    ['refuses a ControllerConfig of another version', 'ignoring controller config generated from millwright 1 (my version: millwright 2)', config('millwright 1')],
    ['refuses a ControllerConfig without a version', without, config()],
    ['refuses a ControllerConfig with an empty version', without, config('')],
    ['accepts an OSImageStream of its own build', undefined, config('millwright 2'), stream('c0ffee')],
    ['refuses an OSImageStream of another build', 'ignoring OSImageStream with version decaf (my version: c0ffee)', config('millwright 2'), stream('decaf')],
    ['refuses an OSImageStream without a build', noStream, config('millwright 2'), stream()],
    ['reports the OSImageStream before the ControllerConfig', noStream, config('millwright 1'), stream('')],
  ])('%s', (_, problem, controllerConfig, osImageStream) => {
    expect(versionProblem({ controllerConfig, ...(osImageStream && { osImageStream }) }, release)).toBe(problem);
  });
});
