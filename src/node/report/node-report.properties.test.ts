/**
 * Whatever happens to a node, in any order, and whatever other clients change meanwhile: its reports are well-formed,
 * consistent, and not repeated.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NodeLife, noChange } from '../../../test/support/node-life.ts';
import { annotations } from '../../api/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { PostAction } from '../plan/plan-types.ts';
import { nodeReport } from './node-report.ts';
import type { ProgressEvent } from './progress-event.ts';

const config = fc.constantFrom('old', 'new', 'newest', '', 'Not A Name');
const image = fc.constantFrom('', 'tag:1', ...['1', '2'].map((d) => `r.example/os@sha256:${d.repeat(64)}`));
const error = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('no', 'half \ud83d', '🛠'.repeat(1999), '🛠'.repeat(33_000)),
);
const flag = fc.boolean();
const change = fc
  .record({ osImage: flag, kernelArguments: flag, passwd: flag, files: flag, units: flag, extensions: flag })
  .map((parts) => ({ ...noChange, ...parts }));
const action: fc.Arbitrary<PostAction> = fc.constantFrom<PostAction>(
  { type: 'None' },
  { type: 'Reboot' },
  { type: 'Drain' },
  { type: 'Special' },
  { type: 'DaemonReload' },
  { type: 'Reload', service: 'a.service' },
  { type: 'Restart', service: 'a.service' },
);
const phase = fc.constantFrom('files' as const, 'os' as const, 'post-action' as const, 'reboot' as const);
const kind = <const K extends string>(name: K) => fc.constant(name);

const event: fc.Arbitrary<ProgressEvent> = fc.oneof(
  fc.record({ kind: kind('joined'), annotations: fc.constant({ [annotations.currentConfig]: 'old' }) }),
  fc.record({ kind: kind('update-found') }),
  fc.record({ kind: kind('update-found'), to: config }),
  fc.record({ kind: fc.constantFrom('unreconcilable', 'actions-unknown'), from: config, to: config, error }),
  fc.record({ kind: kind('unprepared'), from: config, to: config, error, isIncompatible: flag }),
  fc.record({ kind: kind('prepared'), needsDrain: flag }),
  fc.record({ kind: kind('drain-not-required') }),
  fc.record({ kind: kind('drain-requested'), config }),
  fc.record({ kind: kind('drain-progressed') }),
  fc.record({ kind: fc.constantFrom('applying', 'applied'), change }),
  fc.record({ kind: fc.constantFrom('pulling', 'pulled'), image }),
  fc.record({ kind: kind('pull-failed'), image, error }),
  fc.record({ kind: fc.constantFrom('rebooting', 'rebooted') }),
  fc.record({ kind: kind('post-action-done'), action, hasMore: flag }),
  fc.record({ kind: fc.constantFrom('completing', 'started'), config }),
  fc.record({ kind: kind('done'), config, image }),
  fc.record({ kind: kind('update-succeeded') }),
  fc.record({ kind: kind('failed'), error, phase }),
  fc.record({ kind: kind('failed'), error, phase, rollback: kind('begun') }),
  fc.record({ kind: kind('up-to-date') }),
);

/** What others do. */
type Deed = (life: NodeLife) => void;
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.tuple(config, image).map(
    ([to, with_]): Deed =>
      (life) => {
        if (to !== '' && to !== 'Not A Name') life.sendTo(to, with_.includes('@') ? with_ : undefined);
      },
  ),
  fc.constant<Deed>((life) => life.setDraining()),
  fc.constant<Deed>((life) => life.setDraining({ isSkipped: true })),
  fc.constant<Deed>((life) => life.completeDrainRequest()),
  fc.constantFrom('Done', 'Working', 'Degraded', 'Unreconcilable', '').map(
    (state): Deed =>
      (life) =>
        life.annotate({ [annotations.state]: state }),
  ),
);

const story = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.array(event, { maxLength: 3 }) }, { weight: 1, arbitrary: deed }),
  { maxLength: 12 },
);

const NOTHING = { annotations: {}, status: undefined };

it('a report is accepted by the API server, is consistent, and repeats nothing', () => {
  fc.assert(
    fc.property(story, fc.boolean(), (steps, imageModeStatusReporting) => {
      const life = NodeLife.settledOn('n', 'old', { imageModeStatusReporting });
      for (const step of steps) {
        if (typeof step === 'function') {
          step(life);
          continue;
        }
        const before = new Map(life.record.status?.conditions?.map((one) => [one.type, one]));
        // The server validates each write.
        life.report(...step);
        const after = life.record.status?.conditions ?? [];
        expect(after.length).toBeLessThanOrEqual(20);
        expect(new Set(after.map(({ type }) => type)).size).toBe(after.length);
        for (const { type, status, lastTransitionTime } of after) {
          const last = before.get(type);
          expect(lastTransitionTime === last?.lastTransitionTime, type).toBe(status === last?.status);
        }
        const isFailing = ['Degraded', 'Unreconcilable'].includes(life.annotation('state') ?? '');
        expect(life.condition('NodeDegraded')?.status === 'True').toBe(isFailing);
        if (isFailing) expect(life.condition('Updated')?.status).toBe('False');
        expect([...(life.annotation('reason') ?? '')].length).toBeLessThanOrEqual(2000);
        // A drain that is requested in the same report cannot be complete yet: its completion counts from the next report.
        if (step.at(-1)?.kind === 'drain-progressed') life.report({ kind: 'drain-progressed' });
        expect(life.report(...step.slice(-1))).toMatchObject(NOTHING);
      }
    }),
    { numRuns: 300 },
  );
});

it('a repeated progress event emits no event', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), event, (earlier, last) => {
      const life = NodeLife.settledOn('n', 'old');
      life.sendTo('new');
      life.report(...earlier);
      life.report(last);
      expect(life.report(last)).toMatchObject({ ...NOTHING, events: [] });
    }),
  );
});

it('every attempt that fails is reported as a failure, once, and in one line', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), event, (earlier, last) => {
      const life = NodeLife.settledOn('n', 'old');
      life.sendTo('new');
      life.report(...earlier);
      const { failures } = life.report(last);
      const isFailure = ['failed', 'unreconcilable', 'actions-unknown', 'unprepared'].includes(last.kind);
      expect(failures).toHaveLength(isFailure ? 1 : 0);
      for (const { message } of failures) expect(message).not.toMatch(/[\r\n]/);
    }),
  );
});

it('an update that ends is reported as ended, with any of its reports lost', () => {
  const whole: readonly ProgressEvent[] = [
    { kind: 'update-found' },
    { kind: 'prepared', needsDrain: false },
    { kind: 'drain-not-required' },
    { kind: 'applying', change: noChange },
    { kind: 'applied', change: noChange },
    { kind: 'rebooting' },
    { kind: 'rebooted' },
    { kind: 'completing', config: 'new' },
    { kind: 'drain-progressed' },
    { kind: 'update-succeeded' },
  ];
  fc.assert(
    fc.property(fc.subarray([...whole]), (kept) => {
      const life = NodeLife.settledOn('n', 'old');
      life.sendTo('new');
      for (const one of kept) life.report(one);
      life.report({ kind: 'done', config: 'new' });
      life.report({ kind: 'up-to-date' });
      expect(life.row()).toBe('True False False False False False False False False False False');
      expect(life.record.status?.configVersion).toEqual({ current: 'new', desired: 'new' });
      expect([life.annotation('state'), life.annotation('currentConfig')]).toEqual(['Done', 'new']);
    }),
    { numRuns: 60 },
  );
});

it('objects that no API server has validated do not throw', () => {
  const { node, record } = NodeLife.settledOn('n', 'old');
  const strange = fc.oneof(
    fc.jsonValue(),
    fc.constant(JSON.parse('{"__proto__":1,"conditions":[null,{"type":1}]}')),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), strange, strange, (progress, one, other) => {
      // The types assume validated objects; these are not.
      const hostile = [
        { ...node, metadata: one },
        { ...node, metadata: { name: other, annotations: one }, spec: other },
      ] as unknown as readonly Node[];
      const records = [
        { ...record, status: one, spec: other },
        { ...record, metadata: other, status: { conditions: one, configVersion: other, configImage: one } },
      ] as unknown as readonly (typeof record)[];
      for (const seen of [node, ...hostile]) {
        for (const machineConfigNode of [record, ...records]) {
          nodeReport({ node: seen, machineConfigNode, progress, nowMs: 0 });
        }
      }
    }),
  );
});
