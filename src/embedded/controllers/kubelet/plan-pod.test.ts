import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import { formatTimestamp } from '../../../base/text/index.ts';
import type { Pod, PodCondition } from '../../../kubernetes/types/index.ts';
import { nodeSettings } from '../node-settings.ts';
import { bootDigits } from './containers.ts';
import { type PodEvent, planPod } from './plan-pod.ts';
import { type ContainerOutcome, type PodExecution, podStep, stepKey } from './pod-step.ts';

const START_MS = 1_767_225_600_000;
const settings = { ...nodeSettings(), podJitter: 0 };

/** A pod on a machine, looked at whenever there is something to do. */
class Life {
  pod: Pod;
  boot = bootDigits('first');
  nowMs = START_MS;
  isGone: boolean = false;
  readonly events: PodEvent[] = [];
  readonly trace: string[] = [];
  /** For pods whose containers are processes. */
  execution: PodExecution | undefined;
  #since: { readonly key: string; readonly ms: number } | undefined;

  constructor(spec: Partial<Pod['spec']> = {}, metadata: Partial<Pod['metadata']> = {}) {
    this.pod = aPod('web', spec, { uid: 'uid-of-web', ...metadata });
  }

  /** Lets time pass with all that happens in it. */
  pass(ms: number): this {
    const untilMs = this.nowMs + ms;
    for (let looks = 0; looks < 1000; looks++) {
      const waitMs = this.#look();
      if (waitMs === undefined || this.nowMs + waitMs > untilMs) break;
      this.nowMs += waitMs;
    }
    this.nowMs = untilMs;
    return this;
  }

  reboot(): this {
    this.boot = bootDigits(`${this.boot} again`);
    return this;
  }

  /** What the server does when it is asked to delete a pod. */
  delete(graceSeconds: number): this {
    const deletionTimestamp = formatTimestamp(this.nowMs + graceSeconds * 1000);
    const metadata = { ...this.pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
    this.pod = { ...this.pod, metadata };
    return this;
  }

  condition(type: string): PodCondition | undefined {
    return this.pod.status?.conditions?.find((condition) => condition.type === type);
  }

  /** When to look again; 0 where something was written. */
  #look(): number | undefined {
    if (this.isGone) return undefined;
    const step = podStep(this.pod, this.boot);
    const key = stepKey(step);
    const isFirstLook = this.#since?.key !== key;
    if (isFirstLook) this.#since = { key, ms: this.nowMs };
    const plan = planPod({
      pod: this.pod,
      step,
      nowMs: this.nowMs,
      sinceMs: this.#since?.ms ?? 0,
      isFirstLook,
      boot: this.boot,
      hostIP: '10.0.0.10',
      freeIP: () => '10.128.0.2',
      settings,
      ...(this.execution === undefined ? {} : { execution: this.execution }),
    });
    this.events.push(...(plan.events ?? []));
    const isSame = JSON.stringify(plan.status) === JSON.stringify(this.pod.status);
    if (plan.status !== undefined && !isSame) {
      this.pod = { ...this.pod, status: plan.status };
      this.trace.push(`${(this.nowMs - START_MS) / 1000} ${this.#shown()}`);
    }
    this.isGone = plan.isGone === true;
    return plan.status === undefined || isSame ? plan.waitMs : 0;
  }

  #shown(): string {
    const { phase, initContainerStatuses = [], containerStatuses = [] } = this.pod.status ?? {};
    const containers = [...initContainerStatuses, ...containerStatuses].map(
      ({ name, state, ready, restartCount }) => {
        const { waiting, terminated } = state ?? {};
        const what =
          waiting?.reason ?? (terminated && `${terminated.reason} ${terminated.exitCode}`) ?? 'running';
        return `${name}: ${what}${ready ? ' ready' : ''}${restartCount > 0 ? ` x${restartCount}` : ''}`;
      },
    );
    return `${phase} [${containers.join(', ')}]`;
  }
}

const container = (name: string, more: object = {}) => ({ name, image: 'registry.example/app:1', ...more });

describe('a pod', () => {
  it('is accepted, and runs once its images are pulled', () => {
    const life = new Life().pass(60_000);
    expect(life.trace).toEqual(['0 Pending [app: ContainerCreating]', '3 Running [app: running ready]']);
    expect(life.pod.status).toMatchObject({
      startTime: formatTimestamp(START_MS),
      hostIP: '10.0.0.10',
      podIP: '10.128.0.2',
      podIPs: [{ ip: '10.128.0.2' }],
    });
    expect(life.condition('Ready')).toMatchObject({
      status: 'True',
      lastTransitionTime: formatTimestamp(START_MS + 3000),
    });
    expect(life.events.map(({ reason }) => reason)).toEqual(['Pulled', 'Created', 'Started']);
  });

  it('reports what it waits for', () => {
    const life = new Life({ containers: [container('a'), container('b')] }).pass(0);
    expect(life.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [a b]',
    });
    expect(life.condition('Initialized')).toMatchObject({ status: 'True' });
  });

  it('has the address of its node with host network', () => {
    expect(new Life({ hostNetwork: true }).pass(5000).pod.status?.podIP).toBe('10.0.0.10');
  });

  it('runs init containers in order, and sidecars beside the others', () => {
    const life = new Life({
      initContainers: [container('one'), container('side', { restartPolicy: 'Always' }), container('two')],
    });
    life.pass(0);
    expect(life.condition('Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [one side two]',
    });
    life.pass(60_000);
    const waiting = 'PodInitializing';
    expect(life.trace).toEqual([
      `0 Pending [one: ${waiting}, side: ${waiting}, two: ${waiting}, app: ${waiting}]`,
      `3 Pending [one: running, side: ${waiting}, two: ${waiting}, app: ${waiting}]`,
      `4 Pending [one: Completed 0 ready, side: running ready, two: running, app: ${waiting}]`,
      `5 Pending [one: Completed 0 ready, side: running ready, two: Completed 0 ready, app: ${waiting}]`,
      '6 Running [one: Completed 0 ready, side: running ready, two: Completed 0 ready, app: running ready]',
    ]);
    expect(life.condition('Initialized')).toMatchObject({ status: 'True' });
  });

  it('is ready when its probe may first succeed', () => {
    const readinessProbe = { initialDelaySeconds: 7 };
    const life = new Life({ containers: [container('app', { readinessProbe })] }).pass(60_000);
    expect(life.trace.slice(1)).toEqual(['3 Running [app: running]', '10 Running [app: running ready]']);
  });

  it('becomes ready again after it was marked unready', () => {
    const life = new Life().pass(10_000);
    const conditions = life.pod.status?.conditions?.map((one) =>
      one.type === 'Ready' ? { ...one, status: 'False' } : one,
    );
    life.pod = { ...life.pod, status: { ...life.pod.status, ...(conditions && { conditions }) } };
    life.pass(0);
    expect(life.condition('Ready')).toMatchObject({
      status: 'True',
      lastTransitionTime: formatTimestamp(START_MS + 10_000),
    });
  });

  it('keeps foreign conditions', () => {
    const life = new Life().pass(0);
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' };
    const { conditions = [] } = life.pod.status ?? {};
    life.pod = { ...life.pod, status: { ...life.pod.status, conditions: [...conditions, target] } };
    expect(life.pass(10_000).condition('DisruptionTarget')).toEqual(target);
  });
});

describe('a pod that completes', () => {
  const seconds = { 'millwright.dev/simulated-run-seconds': '4' };

  it('succeeds after the default run time', () => {
    const life = new Life({ restartPolicy: 'OnFailure' }).pass(60_000);
    expect(life.trace.at(-1)).toBe('13 Succeeded [app: Completed 0]');
    expect(life.condition('Ready')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
    expect(life.condition('Initialized')).toMatchObject({ status: 'True', reason: 'PodCompleted' });
  });

  it('uses the run time and exit code of its annotations', () => {
    const annotations = { ...seconds, 'millwright.dev/simulated-exit-code': '3' };
    const life = new Life({ restartPolicy: 'Never' }, { annotations }).pass(60_000);
    expect(life.trace.at(-1)).toBe('7 Failed [app: Error 3]');
    expect(life.condition('Ready')).toMatchObject({ status: 'False', reason: 'PodFailed' });
  });

  it('is restarted by its policy with backoff', () => {
    const annotations = { ...seconds, 'millwright.dev/simulated-exit-code': '1' };
    const life = new Life({ restartPolicy: 'OnFailure' }, { annotations }).pass(45_000);
    expect(life.trace.slice(2)).toEqual([
      '7 Running [app: CrashLoopBackOff]',
      '7 Running [app: running ready x1]',
      '11 Running [app: CrashLoopBackOff x1]',
      '21 Running [app: running ready x2]',
      '25 Running [app: CrashLoopBackOff x2]',
      '45 Running [app: running ready x3]',
    ]);
    expect(life.pod.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 1 });
    expect(life.events.at(-4)).toEqual({
      reason: 'BackOff',
      isWarning: true,
      message: 'Back-off restarting failed container app in pod web_default(uid-of-web)',
    });
  });

  it('reports the backoff like a kubelet', () => {
    const life = new Life({}, { annotations: seconds }).pass(26_000);
    expect(life.pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CrashLoopBackOff',
      message: 'back-off 20s restarting failed container=app pod=web_default(uid-of-web)',
    });
  });
});

describe('a pod that is deleted', () => {
  it('terminates within its grace period and is removed', () => {
    const life = new Life().pass(10_000).delete(30).pass(60_000);
    expect(life.trace.at(-1)).toBe('11 Succeeded [app: Completed 0]');
    expect([life.isGone, life.events.at(-1)]).toEqual([
      true,
      { reason: 'Killing', message: 'Stopping container app' },
    ]);
  });

  it.each([
    ['5', 30, '15 Succeeded [app: Completed 0]'],
    ['500', 30, '40 Failed [app: Error 137]'],
    ['0', 30, '10 Succeeded [app: Completed 0]'],
    ['soon', 30, '11 Succeeded [app: Completed 0]'],
    ['5', 2, '12 Failed [app: Error 137]'],
  ])('and wants %s seconds has at most its grace of %d', (text, grace, expected) => {
    const annotations = { 'millwright.dev/simulated-termination-seconds': text };
    const life = new Life({}, { annotations }).pass(10_000).delete(grace).pass(600_000);
    expect([life.trace.at(-1), life.isGone]).toEqual([expected, true]);
  });

  it('is removed at once if nothing runs yet', () => {
    const life = new Life().pass(1000).delete(30).pass(60_000);
    expect([life.trace.at(-1), life.isGone]).toEqual(['1 Failed [app: ContainerStatusUnknown 137]', true]);
  });

  it('is removed at once in backoff, with its last exit code', () => {
    const annotations = { 'millwright.dev/simulated-run-seconds': '4' };
    const life = new Life({}, { annotations }).pass(12_000).delete(30).pass(60_000);
    expect([life.trace.at(-1), life.isGone]).toEqual(['12 Succeeded [app: Completed 0 x1]', true]);
  });

  it('keeps the statuses of its init containers', () => {
    const initContainers = [container('init'), container('side', { restartPolicy: 'Always' })];
    const life = new Life({ initContainers }).pass(20_000).reboot().pass(20_000).delete(30).pass(60_000);
    expect(life.trace.at(-1)).toBe(
      '41 Succeeded [init: Completed 0 ready x1, side: Completed 0 x1, app: Completed 0 x1]',
    );
  });

  it('is removed if it had terminated before', () => {
    const life = new Life({ restartPolicy: 'Never' }).pass(60_000).delete(30).pass(0);
    expect(life.isGone).toBe(true);
  });

  it('is ignored while only finalizers remain', () => {
    const life = new Life({ restartPolicy: 'Never' }).pass(60_000).delete(0).pass(60_000);
    expect(life.isGone).toBe(false);
  });
});

describe('after a reboot', () => {
  it('a pod is restarted, without an address meanwhile', () => {
    const life = new Life().pass(10_000).reboot().pass(0);
    expect(life.pod.status?.podIP).toBeUndefined();
    expect(life.condition('Ready')).toMatchObject({ status: 'False' });
    life.pass(60_000).reboot().pass(60_000);
    expect(life.trace.slice(2)).toEqual([
      '10 Running [app: ContainerCreating]',
      '11 Running [app: running ready x1]',
      '70 Running [app: ContainerCreating x1]',
      '71 Running [app: running ready x2]',
    ]);
    const [status] = life.pod.status?.containerStatuses ?? [];
    expect(status?.lastState?.terminated).toMatchObject({ exitCode: 255, reason: 'Unknown' });
    expect(status?.lastState?.terminated?.containerID).not.toBe(status?.containerID);
    expect(life.events).toContainEqual({
      reason: 'SandboxChanged',
      message: 'Pod sandbox changed, it will be killed and re-created.',
    });
  });

  it('init containers run again', () => {
    const life = new Life({ initContainers: [container('init')] }).pass(10_000).reboot().pass(60_000);
    expect(life.trace.slice(4)).toEqual([
      '10 Pending [init: PodInitializing, app: PodInitializing]',
      '11 Pending [init: running x1, app: PodInitializing]',
      '12 Pending [init: Completed 0 ready x1, app: PodInitializing]',
      '13 Running [init: Completed 0 ready x1, app: running ready x1]',
    ]);
  });

  it('a pod with restartPolicy Never has failed', () => {
    const life = new Life({ restartPolicy: 'Never' }).pass(5000).reboot().pass(60_000);
    expect(life.trace.at(-1)).toBe('5 Failed [app: Unknown 255]');
  });

  it('a terminated pod is unchanged', () => {
    const life = new Life({ restartPolicy: 'Never' }).pass(60_000);
    const before = life.pod;
    expect(life.reboot().pass(60_000).pod).toBe(before);
  });

  it('a terminating pod is removed', () => {
    const life = new Life().pass(10_000).delete(30).reboot().pass(60_000);
    expect(life.isGone).toBe(true);
  });
});

describe('a pod whose containers are processes', () => {
  const spec = {
    restartPolicy: 'Never' as const,
    initContainers: [container('build'), container('push')],
    containers: [container('report')],
  };
  const running: ContainerOutcome = { kind: 'running' };
  const succeeded: ContainerOutcome = { kind: 'ended', exitCode: 0 };

  /** `outcomes` changes while time passes. */
  function executed(outcomes: Map<string, ContainerOutcome>): Life {
    const life = new Life(spec);
    life.execution = (name) => outcomes.get(name) ?? running;
    return life;
  }

  it('stays in each container until its process has ended, however long that takes', () => {
    const outcomes = new Map<string, ContainerOutcome>();
    const life = executed(outcomes).pass(3_600_000);
    expect(life.trace.at(-1)).toContain(
      'Pending [build: running, push: PodInitializing, report: PodInitializing]',
    );
    outcomes.set('build', succeeded);
    life.pass(60_000);
    expect(life.trace.at(-1)).toContain(
      'Pending [build: Completed 0 ready, push: running, report: PodInitializing]',
    );
    outcomes.set('push', succeeded);
    outcomes.set('report', succeeded);
    life.pass(60_000);
    expect(life.trace.at(-1)).toContain(
      'Succeeded [build: Completed 0 ready, push: Completed 0 ready, report: Completed 0]',
    );
  });

  it('fails with the exit code and the message of an init container, and starts no other', () => {
    const outcomes = new Map<string, ContainerOutcome>([
      ['build', { kind: 'ended', exitCode: 1, message: 'STEP 3: no such package' }],
    ]);
    const life = executed(outcomes).pass(3_600_000);
    expect(life.trace.at(-1)).toContain(
      'Failed [build: Error 1, push: PodInitializing, report: PodInitializing]',
    );
    expect(life.pod.status?.initContainerStatuses?.[0]?.state?.terminated).toMatchObject({
      message: 'STEP 3: no such package',
    });
  });

  it('fails when its container fails', () => {
    const outcomes = new Map<string, ContainerOutcome>([
      ['build', succeeded],
      ['push', succeeded],
      ['report', { kind: 'ended', exitCode: 2, message: 'forbidden' }],
    ]);
    expect(executed(outcomes).pass(60_000).pod.status?.phase).toBe('Failed');
  });

  it('fails when its machine reboots', () => {
    const life = executed(new Map()).pass(60_000).reboot().pass(60_000);
    expect(life.pod.status?.phase).toBe('Failed');
  });
});
