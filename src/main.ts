/**
 * The process: its arguments go in, an exit code comes out. The only file that touches `process`.
 */
import { fileURLToPath } from 'node:url';
import { Bug, Failure } from './base/errors.ts';
import { BUG, runProgram, UNUSABLE } from './cli/index.ts';

// A reader that has seen enough (`| head`) closes the pipe: that is its right, and no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    if (stream !== process.stderr) process.stderr.write(`millwright: cannot write: ${error.message}\n`);
    process.exit(UNUSABLE);
  });
}

/** Somebody may have removed it; only those who need it have to care. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    const message = 'the folder that this was started in is gone: change to another';
    throw new Failure('usage', 'NoWorkingFolder', message, error);
  }
}

try {
  process.exitCode = await runProgram(process.argv.slice(2), {
    stdout: (data) => process.stdout.write(data),
    stderr: (text) => process.stderr.write(text),
    get stdin() {
      return process.stdin;
    },
    get cwd() {
      return workingFolder();
    },
    // Both src/main.ts and dist/main.js are one folder below it.
    packageRoot: fileURLToPath(new URL('..', import.meta.url)),
    environment: process.env,
    pid: process.pid,
    get terminal() {
      const { isTTY, columns, rows } = process.stdout;
      return isTTY ? { columns, rows } : undefined;
    },
    // Once each: who asks twice gets what the system does with a signal, and that is at once.
    onStop: (call) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, call);
    },
  });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof Failure || error instanceof Bug;
  process.stderr.write(`millwright: ${isKnown ? '' : 'internal error: '}${message.split('\n')[0]}\n`);
  if (process.env.MILLWRIGHT_DEBUG === '1' && error instanceof Error)
    process.stderr.write(`${error.stack}\n`);
  process.exitCode = error instanceof Failure ? UNUSABLE : BUG;
}
