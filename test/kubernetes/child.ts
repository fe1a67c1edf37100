/**
 * A server process that cannot outlive the process that started it.
 *
 * Between the two stands a shell that reads from us and ends the server when that stream ends. The kernel
 * closes it however we end, also where no handler of ours can run any more.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export type Child = {
  readonly name: string;
  readonly hasEnded: () => boolean;
  /** The last lines the server wrote. */
  readonly logTail: () => Promise<string>;
  /** Asks the server to end, and ends it where it does not obey in time. */
  readonly stop: () => Promise<void>;
};

export type ChildOptions = {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly logPath: string;
};

export function startChild({ name, program, args, logPath }: ChildOptions): Child {
  const log = openSync(logPath, 'a');
  const shell = spawn('/bin/sh', ['-c', GUARD, 'guard', program, ...args], {
    stdio: ['pipe', log, log],
    // A signal to all of our process group, such as that of Ctrl-C, must leave the guard to its work.
    detached: true,
  });
  closeSync(log);
  const lifeline = shell.stdin;
  if (lifeline === null) throw new Error(`${name} was started without a stream to hold on to`);
  let ended = false;
  const end = new Promise<void>((resolve) => {
    shell.once('close', () => {
      ended = true;
      resolve();
    });
  });
  // The stream breaks when the server exits by itself, which hasEnded reports.
  lifeline.on('error', () => undefined);
  return {
    name,
    hasEnded: () => ended,
    logTail: async () => (await readFile(logPath, 'utf8')).split('\n').slice(-LOG_TAIL_LINES).join('\n'),
    async stop() {
      lifeline.end();
      await end;
    },
  };
}

const LOG_TAIL_LINES = 30;

/**
 * The server runs behind `&`, where a shell gives it no stream, and another reader waits for ours to end.
 * Once the server is gone the reader is ended too, so that it never signals an id that now is another's.
 */
export const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(
  read -r never <&3
  kill -TERM "$server"
  seconds=0
  while kill -0 "$server" && [ "$seconds" -lt 10 ]; do sleep 1; seconds=$((seconds + 1)); done
  kill -KILL "$server"
) 2>/dev/null &
reader=$!
wait "$server"
code=$?
kill -KILL "$reader"
exit "$code"
`;
