import { describe, expect, it } from 'vitest';
import { Fleet } from '../../test/support/a-fleet.ts';
import type { ControllerConfig } from '../api/index.ts';
import { failingControllers } from './failing-controllers.ts';
import { statusText } from './status-text.ts';

/** Only these fields are read. */
const config = (...conditions: readonly object[]) =>
  ({
    metadata: { name: 'machine-config-controller' },
    status: { conditions },
  }) as unknown as ControllerConfig;
const failing = (status: string, message = 'render MachineConfigPool worker: denied') => ({
  ...{ type: 'ControllersFailing', status, reason: 'ReconcileFailed', message },
  lastTransitionTime: '2026-01-01T11:48:00Z',
});
const completed = { type: 'TemplateControllerCompleted', status: 'True', message: 'sync completed' };

describe('failingControllers', () => {
  it.each<[string, readonly unknown[]]>([
    ['without a ControllerConfig', []],
    ['before anything was reported', [config(completed)]],
    ['once the reconcile succeeds again', [config(completed, failing('False', ''))]],
    ['for objects of another shape', [null, {}, { status: { conditions: [null, 'x'] } }]],
  ])('reports nothing %s', (_, configs) => {
    expect(failingControllers(configs as readonly ControllerConfig[])).toBeUndefined();
  });

  it('has the message of the condition, and since when', () => {
    expect(failingControllers([config(completed, failing('True'))])).toEqual({
      message: 'render MachineConfigPool worker: denied',
      since: '2026-01-01T11:48:00Z',
    });
  });
});

describe('the status of a fleet whose controllers fail', () => {
  const linesOf = (message: string) => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.nowMs = Date.parse('2026-01-01T12:00:00Z');
    const reported = failingControllers([config(failing('True', message))]);
    if (reported === undefined) throw new Error('nothing is reported');
    return statusText({ ...fleet.status(), failing: reported }, { width: 120, hasColors: false });
  };

  it('begins with the object and its error, and ends with where to look', () => {
    const lines = linesOf('render MachineConfigPool worker: not in this cluster');
    expect(lines[0]).toBe(
      'the controllers have been failing for 12m: render MachineConfigPool worker: not in this cluster',
    );
    expect(lines[1]).toMatch(/^worker /);
    expect(lines.at(-1)).toBe(
      'kubectl -n default get events --field-selector reason=ReconcileFailed  # which objects, and why',
    );
  });

  it('shortens errors that fill the screen', () => {
    expect(linesOf(`drain Node a: ${'very '.repeat(300)}long`).length).toBeLessThan(12);
  });
});
