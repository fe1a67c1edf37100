import { expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { aCondition, ago, found } from '../../../../test/support/doctor-facts.ts';
import { annotations } from '../../../api/index.ts';
import { renderFailed } from './render-failed.ts';

const problem =
  'Failed to render configuration for pool worker: invalid version "9.9.9" (in MachineConfig 60-bad)';

it('names the problem without its frame, and the MachineConfig to look at', () => {
  const pool = {
    ...aPool(
      'worker',
      { configuration: { name: 'rendered-worker-1' } },
      { annotations: { [annotations.renderProblem]: problem } },
    ),
    status: { conditions: [aCondition('RenderDegraded', 'True', problem, ago(60))] },
  };
  expect(found(renderFailed, [pool])).toMatchObject([
    {
      code: 'RenderFailed',
      cause:
        'the config of pool worker cannot be rendered: invalid version "9.9.9" (in MachineConfig 60-bad)',
      since: ago(60),
      next: [{ command: 'kubectl get machineconfig 60-bad -o yaml' }, {}],
    },
  ]);
});

it('reads the condition where there is no annotation, as on OpenShift', () => {
  const pool = {
    ...aPool(),
    status: { conditions: [aCondition('RenderDegraded', 'True', 'no MachineConfigs found', ago(5))] },
  };
  expect(found(renderFailed, [pool])).toMatchObject([{ code: 'RenderFailed', since: ago(5) }]);
});

it('finds nothing on a pool that is rendered, nor where the inputs are of another version', () => {
  expect(found(renderFailed, [aPool()])).toEqual([]);
  const text = 'ignoring OSImageStream with version a (my version: b)';
  expect(
    found(renderFailed, [aPool('worker', {}, { annotations: { [annotations.renderProblem]: text } })]),
  ).toEqual([]);
});
