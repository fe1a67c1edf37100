/**
 * The feature gate ImageModeStatusReporting: files, OS and the pull of the image are reported separately.
 */
import { describe, expect, it } from 'vitest';
import { NodeLife, noChange } from '../../../test/support/node-life.ts';
import { annotations } from '../../api/index.ts';
import { nodeReport } from './node-report.ts';
import type { ProgressEvent } from './progress-event.ts';

const gates = { imageModeStatusReporting: true };
const IMAGE_1 = `registry.example/os@sha256:${'1'.repeat(64)}`;
const IMAGE_2 = `registry.example/os@sha256:${'2'.repeat(64)}`;
const change = { ...noChange, osImage: true, files: true, isLayered: true };

function inImageMode(): NodeLife {
  const life = NodeLife.settledOn('n', 'old', gates);
  life.sendTo('old', IMAGE_1);
  life.annotate({ [annotations.currentImage]: IMAGE_1 });
  life.report({ kind: 'up-to-date' });
  return life;
}

const rows = ['UpdateExecuted', 'AppliedFiles', 'AppliedOSImage', 'ImagePulledFromRegistry'] as const;
const lines = (life: NodeLife) => rows.map((type) => life.line(type));
const notYet = 'NotYetOccurred: This node has not yet entered the';

describe('an update in image mode', () => {
  it('reports files, OS and image separately', () => {
    const life = inImageMode();
    life.sendTo('new', IMAGE_2);
    life.report({ kind: 'update-found', to: 'new' });
    expect(life.record.status?.configImage).toEqual({ currentImage: IMAGE_1, desiredImage: IMAGE_1 });
    life.report({ kind: 'prepared', needsDrain: false }, { kind: 'applying', change });
    expect(life.record.status?.configImage).toEqual({ currentImage: IMAGE_1, desiredImage: IMAGE_2 });
    expect(lines(life)).toEqual([
      'UpdateExecuted=Unknown AppliedOSImage: Updating the OS on disk as a part of the in progress phase',
      'AppliedFiles=Unknown UpdateExecutedAppliedFiles: Applying files to node.',
      'AppliedOSImage=Unknown UpdateExecutedAppliedOSImage: Applying new OS config to node.',
      `ImagePulledFromRegistry=False ${notYet} ImagePulledFromRegistry phase`,
    ]);
    life.report({ kind: 'pulling', image: IMAGE_2 });
    expect(life.line('ImagePulledFromRegistry')).toBe(
      `ImagePulledFromRegistry=Unknown ImagePulledFromRegistry: Pulling OS image ${IMAGE_2} from registry`,
    );
    life.report({ kind: 'pulled', image: IMAGE_2 }, { kind: 'applied', change });
    expect(lines(life)).toEqual([
      'UpdateExecuted=True AppliedOSImage: Updated the OS on disk as a part of the in progress phase',
      'AppliedFiles=True UpdateExecutedAppliedFiles: Applied files. SSH Keys did not need an update',
      'AppliedOSImage=True UpdateExecutedAppliedOSImage: Applied new OS config to node.',
      `ImagePulledFromRegistry=True ImagePulledFromRegistry: Successfully pulled OS image ${IMAGE_2} from registry`,
    ]);
    life.report({ kind: 'rebooting' });
    life.report({ kind: 'rebooted' }, { kind: 'completing', config: 'new' });
    life.completeDrainRequest();
    life.report({ kind: 'drain-progressed' }, { kind: 'done', config: 'new', image: IMAGE_2 });
    expect(life.record.status?.configImage).toEqual({ currentImage: IMAGE_1, desiredImage: IMAGE_2 });
    life.report({ kind: 'up-to-date' });
    expect(life.record.status?.configImage).toEqual({ currentImage: IMAGE_2, desiredImage: IMAGE_2 });
    expect(life.line('AppliedOSImage')).toBe(
      `AppliedOSImage=False UpdateExecutedAppliedOSImage: Action during update to ${IMAGE_2}: Applied new OS config to node.`,
    );
    expect(life.annotation('currentImage')).toBe(IMAGE_2);
  });

  it('reports that image mode begins', () => {
    const life = NodeLife.settledOn('n', 'old', gates);
    life.sendTo('new', IMAGE_1);
    life.report(
      { kind: 'update-found', to: 'new' },
      { kind: 'rebooted' },
      { kind: 'completing', config: 'new' },
    );
    expect(life.record.status?.configImage).toEqual({ desiredImage: IMAGE_1 });
    life.report({ kind: 'done', config: 'new', image: IMAGE_1 });
    expect(life.record.status?.configImage).toEqual({ desiredImage: IMAGE_1 });
    life.report({ kind: 'up-to-date' });
    expect(life.condition('RebootedNode')?.message).toBe(
      `Action during update to ${IMAGE_1}: Node has rebooted`,
    );
    expect(life.record.status?.configImage).toEqual({ currentImage: IMAGE_1, desiredImage: IMAGE_1 });
  });

  it('reports that image mode ends', () => {
    const life = inImageMode();
    life.sendTo('new');
    life.report(
      { kind: 'update-found', to: 'new' },
      { kind: 'rebooted' },
      { kind: 'completing', config: 'new' },
    );
    expect(life.record.status?.configImage).toEqual({ currentImage: IMAGE_1 });
    life.report({ kind: 'done', config: 'new' }, { kind: 'up-to-date' });
    expect(life.condition('RebootedNode')?.message).toBe(
      'Action during update to disable image mode: Node has rebooted',
    );
    expect(life.record.status).not.toHaveProperty('configImage');
  });

  it.each<[string, readonly ProgressEvent[], readonly string[]]>([
    [
      'a file cannot be written',
      [{ kind: 'failed', error: 'no room', phase: 'files' }],
      [
        'UpdateExecuted=Unknown AppliedFiles: Error updating the Files on disk as a part of the in progress phase',
        'AppliedFiles=Unknown UpdateExecutedAppliedFiles: Update failed applying files to node: no room',
        'AppliedOSImage=Unknown UpdateExecutedAppliedOSImage: Applying new OS config to node.',
        `ImagePulledFromRegistry=False ${notYet} ImagePulledFromRegistry phase`,
      ],
    ],
    [
      'the image cannot be had',
      [
        { kind: 'pull-failed', image: IMAGE_2, error: 'manifest unknown' },
        { kind: 'failed', error: 'after retries', phase: 'os' },
      ],
      [
        'UpdateExecuted=Unknown AppliedOSImage: Error the OS on disk as a part of the in progress phase',
        'AppliedFiles=Unknown UpdateExecutedAppliedFiles: Applying files to node.',
        'AppliedOSImage=Unknown UpdateExecutedAppliedOSImage: Update failed applying new OS config to node: after retries',
        `ImagePulledFromRegistry=False ImagePulledFromRegistry: Failed to pull OS image ${IMAGE_2} from registry: manifest unknown`,
      ],
    ],
  ])('reports the part that fails: %s', (_, progress, expected) => {
    const life = inImageMode();
    life.sendTo('new', IMAGE_2);
    life.report({ kind: 'applying', change }, ...progress);
    expect(lines(life)).toEqual(expected);
    expect(life.condition('NodeDegraded')?.status).toBe('True');
  });

  it.each([
    ['kernel arguments', { kernelArguments: true }, 'AppliedOSImage'],
    ['units', { units: true }, 'AppliedFiles'],
    ['nothing', {}, 'AppliedFiles'],
  ])('is reported as executed where only %s changes', (_, part, reason) => {
    const life = inImageMode();
    life.sendTo('new', IMAGE_1);
    life.report({ kind: 'applied', change: { ...noChange, ...part } });
    expect(life.condition('UpdateExecuted')).toMatchObject({ status: 'True', reason });
  });

  it('names the image for extensions', () => {
    const life = inImageMode();
    life.report({ kind: 'pulled', image: IMAGE_2, isExtensions: true });
    expect(life.condition('ImagePulledFromRegistry')?.message).toBe(
      `Successfully pulled extensions image ${IMAGE_2} from registry`,
    );
  });
});

describe('the feature gate', () => {
  const types = (life: NodeLife, imageModeStatusReporting: boolean) =>
    nodeReport({
      node: life.node,
      machineConfigNode: life.record,
      progress: [],
      nowMs: life.nowMs,
      featureGates: { imageModeStatusReporting },
    }).status?.conditions?.map(({ type }) => type);

  it('adds its conditions when it is enabled, and removes the one that they replace', () => {
    const life = NodeLife.settledOn('n', 'old');
    const after = types(life, true);
    expect(after).not.toContain('AppliedFilesAndOS');
    expect(after?.slice(-3)).toEqual(['AppliedFiles', 'AppliedOSImage', 'ImagePulledFromRegistry']);
  });

  it('removes its conditions and the images when it is disabled', () => {
    const life = inImageMode();
    const after = types(life, false);
    expect(after).not.toContain('AppliedFiles');
    expect(after?.at(-1)).toBe('AppliedFilesAndOS');
  });

  it('hides images while it is disabled', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new', IMAGE_1);
    life.report(
      { kind: 'pulling', image: IMAGE_1 },
      { kind: 'rebooted' },
      { kind: 'completing', config: 'new' },
    );
    life.report({ kind: 'done', config: 'new', image: IMAGE_1 }, { kind: 'up-to-date' });
    expect(life.condition('RebootedNode')?.message).toBe('Action during update to new: Node has rebooted');
    expect(life.record.status).not.toHaveProperty('configImage');
    expect(life.condition('ImagePulledFromRegistry')).toBeUndefined();
  });
});
