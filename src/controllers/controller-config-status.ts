/**
 * The status of the ControllerConfig: the conditions that the template controller writes about the base MachineConfigs,
 * and the predicates by which other controllers read them.
 */
import type { ControllerCertificate, ControllerConfig } from '../api/index.ts';

type Status = NonNullable<ControllerConfig['status']>;
type Condition = NonNullable<Status['conditions']>[number];

export type Phase =
  | { readonly kind: 'completed'; readonly version: string }
  | { readonly kind: 'failing'; readonly version: string; readonly error: string };

/** Whether the base configs are those of this generation. */
export function isCompleted(controllerConfig: ControllerConfig): boolean {
  return (
    isObserved(controllerConfig) &&
    isTrue(controllerConfig, 'TemplateControllerCompleted') &&
    !isTrue(controllerConfig, 'TemplateControllerRunning') &&
    !isTrue(controllerConfig, 'TemplateControllerFailing')
  );
}

/** Whether there are no base configs of this generation, because it is invalid. */
export function isFailing(controllerConfig: ControllerConfig): boolean {
  return isObserved(controllerConfig) && isTrue(controllerConfig, 'TemplateControllerFailing');
}

function isObserved({ metadata, status }: ControllerConfig): boolean {
  return status?.observedGeneration === metadata.generation;
}

function isTrue({ status }: ControllerConfig, type: string): boolean {
  return status?.conditions?.find((one) => one.type === type)?.status === 'True';
}

type StatusInput = {
  readonly phase: Phase;
  /** RFC 3339. */
  readonly now: string;
  readonly certificates: readonly ControllerCertificate[];
};

/** The status after a reconcile. */
export function statusAfter(
  { metadata, status }: ControllerConfig,
  { phase, now, certificates }: StatusInput,
): Status {
  const generation = metadata.generation ?? 0;
  const about = `(${generation}) generation using controller version ${phase.version}`;
  const hasFailed = phase.kind === 'failing';
  const wanted: readonly Omit<Condition, 'lastTransitionTime'>[] = [
    { type: 'TemplateControllerRunning', status: 'False', message: '' },
    {
      type: 'TemplateControllerCompleted',
      status: hasFailed ? 'False' : 'True',
      message: hasFailed ? '' : `sync completed towards ${about}`,
    },
    {
      type: 'TemplateControllerFailing',
      status: hasFailed ? 'True' : 'False',
      message: hasFailed ? `failed to syncing towards ${about}: ${phase.error}` : '',
    },
  ];
  const conditions = wanted.map((condition) => {
    const before = status?.conditions?.find(({ type }) => type === condition.type);
    // The time moves only with the status.
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
    return { ...condition, reason: '', lastTransitionTime };
  });
  const ours = new Set(wanted.map(({ type }) => type));
  const others = (status?.conditions ?? []).filter(({ type }) => !ours.has(type));
  const hasList = certificates.length > 0 || status?.controllerCertificates !== undefined;
  return {
    ...status,
    observedGeneration: generation,
    conditions: [...conditions, ...others],
    ...(hasList && { controllerCertificates: [...certificates] }),
  };
}
