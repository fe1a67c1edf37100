/**
 * The dependencies of a daemon, and its log.
 */
import type { Clock, Env } from '../../base/env.ts';
import { quoted } from '../../base/text/index.ts';
import type { Caches, EventRecorder, Kube } from '../../kubernetes/client/index.ts';
import type { Host } from '../host/index.ts';
import type { FeatureGates } from '../report/index.ts';
import type { DaemonMetrics } from './metrics.ts';
import type { DaemonSettings } from './settings.ts';

export type DaemonContext = {
  readonly kube: Kube;
  readonly caches: Caches;
  /** Of this boot. */
  readonly host: Host;
  readonly env: Env;
  readonly nodeName: string;
  readonly settings: DaemonSettings;
  readonly log: DaemonLog;
  /** Upstream's, in the namespace of the operator. */
  readonly events: EventRecorder;
  /** In `default`, where `kubectl describe node` looks for events of a Node. */
  readonly nodeEvents: EventRecorder;
  readonly metrics: DaemonMetrics;
  readonly featureGates?: FeatureGates;
  /** In the machine's own notation; absent where it is unknown. */
  readonly architecture?: string;
};

/** The dependencies of a part of a step. */
export type HostContext = Pick<DaemonContext, 'host' | 'log'>;

/** Of work that is done in pieces. */
export type PausingContext = Pick<DaemonContext, 'host'> & {
  readonly env: { readonly clock: Pick<Clock, 'pause'> };
};

/** The dependencies of a step. */
export type StepDependencies = HostContext & PausingContext;

/** With the lines of upstream's daemon. Never contents of files, never secrets. */
interface DaemonLog {
  line(text: string): void;
  /** Also in the machine's own journal, quoted in both. */
  system(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** Receives the lines; it adds time and source position. */
type LineSink = (severity: 'I' | 'W' | 'E', text: string) => void;

export function createDaemonLog(sink: LineSink, note: (text: string) => Promise<void>): DaemonLog {
  return {
    line: (text) => sink('I', text),
    warn: (text) => sink('W', text),
    error: (text) => sink('E', text),
    system(text) {
      sink('I', quoted(text));
      // A failure has no consequence: the machine's journal may stop before the daemon does.
      note(text).catch(() => undefined);
    },
  };
}
