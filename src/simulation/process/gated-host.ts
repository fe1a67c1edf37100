/**
 * The host of a machine as one process on it sees it: every call goes through the gate of the process. What a call has begun goes on where
 * the process is killed meanwhile, as the programs do that a daemon has started.
 */
import type { Host } from '../../node/host/index.ts';
import type { ProcessGate } from './process-gate.ts';

/** `delay`: of every call; none where it is absent. */
export function gatedHost(host: Host, gate: ProcessGate, delay?: () => Promise<void>): Host {
  const { files, units, os, images, accounts } = host;
  const way = delay === undefined ? gate : delayed(gate, delay);
  return {
    ...gated(host, way),
    files: {
      ...gated(files, way),
      watch: (paths, onChange, signal) =>
        gate.pass(() => files.watch(paths, () => gate.hear(onChange), untilKilled(signal, gate))),
    },
    units: gated(units, way),
    os: {
      ...gated(os, way),
      openExtensions: async (image) => {
        const close = await gate.pass(() => os.openExtensions(image));
        return () => gate.pass(close);
      },
    },
    images: gated(images, way),
    accounts: gated(accounts, way),
  };
}

type Way = Pick<ProcessGate, 'pass'>;

function delayed(gate: ProcessGate, delay: () => Promise<void>): Way {
  return {
    pass: (call) =>
      gate.pass(async () => {
        await delay();
        return await call();
      }),
  };
}

type Call = (...args: never[]) => Promise<unknown>;

/** All methods, wherever the object has them from. */
function gated<T extends object>(port: T, way: Way): T {
  const own: { [name: string]: unknown } = {};
  for (let level: object = port; level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const name of Object.getOwnPropertyNames(level)) {
      if (name in own || name === 'constructor') continue;
      const method: unknown = Reflect.get(port, name);
      own[name] =
        typeof method === 'function'
          ? (...args: never[]) => way.pass(() => Reflect.apply(method as Call, port, args))
          : method;
    }
  }
  // It has what `port` has, name by name.
  return own as T;
}

function untilKilled(signal: AbortSignal, gate: ProcessGate): AbortSignal {
  return AbortSignal.any([signal, gate.killed]);
}
