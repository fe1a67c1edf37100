import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  MISSING_IMAGE,
  NEW_IMAGE,
  OLD_IMAGE,
  OTHER_IMAGE,
  problem,
} from '../../test/host/contract-fixtures.ts';
import { sandboxScene } from '../../test/host/sandbox-scene.ts';
import { createMemoryDisk } from '../embedded/sandbox/index.ts';
import type { HostScene } from '../node/host/contract.ts';
import { pivot } from './pivot.ts';

describe('pivot', () => {
  let scene: HostScene;
  let lines: string[];
  beforeEach(async () => {
    scene = await sandboxScene({ disk: createMemoryDisk() });
    lines = [];
  });
  afterEach(() => scene.close());

  const run = (image: string) => pivot(scene.host, image, (line) => lines.push(line));
  const images = async () => (await scene.host.os.deployments()).map(({ image }) => image);

  it('stages an image, and says what it does', async () => {
    await run(NEW_IMAGE);
    expect(await images()).toEqual([NEW_IMAGE, OLD_IMAGE]);
    expect(lines).toEqual([
      `Previous pivot: ${OLD_IMAGE}`,
      expect.stringMatching(/^Pivoting to: 9\.6\.2 \([0-9a-f]{64}\)$/),
    ]);
  });

  it('names no previous image where no deployment is booted', async () => {
    const os = { ...scene.host.os, deployments: async () => [] };
    await pivot({ ...scene.host, os }, NEW_IMAGE, (line) => lines.push(line));
    expect(lines[0]).toBe('Previous pivot: (none)');
  });

  it('refuses an image that is not CoreOS, and stages nothing', async () => {
    expect(await problem(run(OTHER_IMAGE))).toMatch(/^refusing OS image .*VARIANT_ID="iot"/);
    expect(await images()).toEqual([OLD_IMAGE]);
  });

  it('fails for an image that does not exist', async () => {
    expect(await problem(run(MISSING_IMAGE))).toMatch(/manifest unknown/);
    expect(await images()).toEqual([OLD_IMAGE]);
  });
});
