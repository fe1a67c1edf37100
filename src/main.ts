/**
 * The entry point of the process, and the only file that touches `process`.
 */
import { fileURLToPath } from 'node:url';
import { Bug, Failure } from './base/errors.ts';
import { INTERNAL_ERROR, runProgram, USAGE_ERROR } from './cli/index.ts';

// A reader such as `head` may close the pipe early; that is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    if (stream !== process.stderr) process.stderr.write(`millwright: cannot write: ${error.message}\n`);
    process.exit(USAGE_ERROR);
  });
}

/** The working directory may have been removed; only commands that read it fail then. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    const message = 'the current working directory no longer exists: change to another';
    throw new Failure('usage', 'NoWorkingDirectory', message, error);
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
      return workingDirectory();
    },
    // Both src/main.ts and dist/main.js are one level below it.
    packageRoot: fileURLToPath(new URL('..', import.meta.url)),
    environment: process.env,
    pid: process.pid,
    program: [process.execPath, fileURLToPath(import.meta.url)],
    get terminal() {
      const { isTTY, columns, rows } = process.stdout;
      return isTTY ? { columns, rows } : undefined;
    },
    // Once each: a second signal gets the default action, which ends the process immediately.
    onStop: (call) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, call);
    },
    onStdinEnd: (call) => {
      process.stdin.once('end', call).once('error', call).resume();
      process.stdin.unref?.();
    },
  });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof Failure || error instanceof Bug;
  process.stderr.write(`millwright: ${isKnown ? '' : 'internal error: '}${message.split('\n')[0]}\n`);
  if (process.env.MILLWRIGHT_DEBUG === '1' && error instanceof Error)
    process.stderr.write(`${error.stack}\n`);
  process.exitCode = error instanceof Failure ? USAGE_ERROR : INTERNAL_ERROR;
}
