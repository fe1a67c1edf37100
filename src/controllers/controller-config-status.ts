/**
 * How far the base MachineConfigs have come, as the ControllerConfig tells it: the conditions that the template
 * controller writes, and the question that others ask of them.
 */
import type { ControllerConfig } from '../api/index.ts';

export const CONTROLLER_CONFIG_NAME = 'machine-config-controller';

type Status = NonNullable<ControllerConfig['status']>;
type Condition = NonNullable<Status['conditions']>[number];

export type Phase =
  | { readonly kind: 'completed'; readonly version: string }
  | { readonly kind: 'failing'; readonly version: string; readonly error: string };

/** Whether the base configs are those of this very object. */
export function isCompleted({ metadata, status }: ControllerConfig): boolean {
  const is = (type: string) => status?.conditions?.find((one) => one.type === type)?.status === 'True';
  return (
    status?.observedGeneration === metadata.generation &&
    is('TemplateControllerCompleted') &&
    !is('TemplateControllerRunning') &&
    !is('TemplateControllerFailing')
  );
}

/** The status after a pass; the same object where nothing has changed. `now`: RFC 3339. */
export function statusAfter({ metadata, status }: ControllerConfig, phase: Phase, now: string): Status {
  const generation = metadata.generation ?? 0;
  const about = `(${generation}) generation using controller version ${phase.version}`;
  const isFailing = phase.kind === 'failing';
  const wanted: readonly Omit<Condition, 'lastTransitionTime'>[] = [
    { type: 'TemplateControllerRunning', status: 'False', message: '' },
    {
      type: 'TemplateControllerCompleted',
      status: isFailing ? 'False' : 'True',
      message: isFailing ? '' : `sync completed towards ${about}`,
    },
    {
      type: 'TemplateControllerFailing',
      status: isFailing ? 'True' : 'False',
      message: isFailing ? `failed to syncing towards ${about}: ${phase.error}` : '',
    },
  ];
  const conditions = wanted.map((condition) => {
    const before = status?.conditions?.find(({ type }) => type === condition.type);
    // The time moves with the status alone.
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
    return { ...condition, reason: '', lastTransitionTime };
  });
  return { ...status, observedGeneration: generation, conditions };
}
