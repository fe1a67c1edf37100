/**
 * Probes and lifecycle hooks of a container.
 */
import {
  type Infer,
  int32,
  int64,
  intOrString,
  named,
  oneOf,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../../schema/index.ts';
import { always, items, strings, withDefault } from '../fields.ts';

const exec = struct('core.ExecAction', 'A command to run in the container; 0 means success.', {
  command: strings('The program and its arguments; no shell is involved.', 'An argument.'),
});

const httpGet = struct('core.HTTPGetAction', 'A request; a status from 200 to 399 means success.', {
  port: required(intOrString('The port, as a number or by its name in the container.')),
  path: string('The path.'),
  host: string('The host, where it is not the pod.'),
  scheme: named('core.URIScheme', oneOf('HTTP unless given.', ['HTTP', 'HTTPS'])),
  httpHeaders: items(
    'Headers to send.',
    struct('core.HTTPHeader', 'A header.', {
      name: required(string('Its name.')),
      value: always(string('Its value.')),
    }),
  ),
});

const tcpSocket = struct('core.TCPSocketAction', 'A connection to open.', {
  port: required(intOrString('The port, as a number or by its name in the container.')),
  host: string('The host, where it is not the pod.'),
});

const probeShape = (description: string) =>
  struct('core.Probe', description, {
    exec,
    httpGet,
    tcpSocket,
    grpc: struct('core.GRPCAction', 'A call of the gRPC health service.', {
      port: required(int32('The port.')),
      service: withDefault(pointer(string('The name of the service to check.')), ''),
    }),
    initialDelaySeconds: int32('How long to wait before the first try.'),
    periodSeconds: int32('How often to try; 10 unless given.'),
    timeoutSeconds: int32('How long one try may take; 1 unless given.'),
    successThreshold: int32('How many successes in a row end a failure; 1 unless given.'),
    failureThreshold: int32('How many failures in a row count as one; 3 unless given.'),
    terminationGracePeriodSeconds: pointer(
      int64('How long the container has to end after a failure, where that differs from the pod.'),
    ),
  });
type ProbeShape = Infer<ReturnType<typeof probeShape>>;
type Probe = { readonly [Field in keyof ProbeShape]: ProbeShape[Field] };
export const probe: (description: string) => Schema<Probe> = probeShape;

const hook = (description: string) =>
  struct('core.LifecycleHandler', description, {
    exec,
    httpGet,
    tcpSocket,
    sleep: struct('core.SleepAction', 'A pause.', { seconds: always(int64('How long.')) }),
  });

/** `SIGRTMIN+1` … `SIGRTMIN+15` and `SIGRTMAX-1` … `SIGRTMAX-14`: the real-time signals without a name. */
const realTimeSignals = [
  ...Array.from({ length: 15 }, (_, index) => `SIGRTMIN+${index + 1}`),
  ...Array.from({ length: 14 }, (_, index) => `SIGRTMAX-${index + 1}`),
];
// biome-ignore format: a list of signal names
const signals = [
  'SIGABRT', 'SIGALRM', 'SIGBUS', 'SIGCHLD', 'SIGCLD', 'SIGCONT', 'SIGFPE', 'SIGHUP', 'SIGILL', 'SIGINT',
  'SIGIO', 'SIGIOT', 'SIGKILL', 'SIGPIPE', 'SIGPOLL', 'SIGPROF', 'SIGPWR', 'SIGQUIT', 'SIGRTMAX',
  'SIGRTMIN', 'SIGSEGV', 'SIGSTKFLT', 'SIGSTOP', 'SIGSYS', 'SIGTERM', 'SIGTRAP', 'SIGTSTP', 'SIGTTIN',
  'SIGTTOU', 'SIGURG', 'SIGUSR1', 'SIGUSR2', 'SIGVTALRM', 'SIGWINCH', 'SIGXCPU', 'SIGXFSZ',
  ...realTimeSignals,
].sort();

export const stopSignal = pointer(
  named('core.Signal', oneOf('The signal that terminates the container.', signals)),
);

export const lifecycle = struct('core.Lifecycle', 'Actions when the container starts and stops.', {
  postStart: hook('Done once the container was created; when it fails, the container is ended.'),
  preStop: hook('Runs before the container is terminated; its time counts against the grace period.'),
  stopSignal,
});
