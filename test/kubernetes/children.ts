/** The servers of one control plane: started in their order, stopped in the reverse one. */
import { type Child, type ChildOptions, startChild } from './child.ts';

export type Children = {
  /** Also one that was stopped before; it keeps its place in the order. */
  readonly start: (options: ChildOptions) => void;
  readonly stop: (name: string) => Promise<void>;
  /** So that no server loses one that it depends on. */
  readonly stopAll: () => Promise<void>;
  /** Those that nobody has stopped. */
  readonly wanted: () => readonly Child[];
  /** The last lines of all logs. */
  readonly logs: () => Promise<string>;
};

export function makeChildren(): Children {
  const children = new Map<string, Child | undefined>();
  const wanted = () => [...children.values()].filter((child) => child !== undefined);
  return {
    wanted,
    start(options) {
      children.set(options.name, startChild(options));
    },
    async stop(name) {
      const child = children.get(name);
      if (child === undefined) return;
      children.set(name, undefined);
      await child.stop();
    },
    async stopAll() {
      for (const child of wanted().toReversed()) await child.stop();
    },
    logs: async () => (await Promise.all(wanted().map(logOf))).join('\n'),
  };
}

async function logOf(child: Child): Promise<string> {
  return `--- ${child.name}${child.hasEnded() ? ' (ended)' : ''}\n${await child.logTail()}`;
}
