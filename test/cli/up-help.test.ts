import { expect, it } from 'vitest';
import { runCli, transcript } from './run-cli.ts';

it('`up --help` matches the golden file', async () => {
  const args = ['up', '--help'];
  await expect(transcript(args, await runCli(args))).toMatchFileSnapshot('../golden/cli/help-up.txt');
});

it.each([
  ['--workers', '-1'],
  ['--control-plane', '101'],
  ['--speed', '0'],
  ['--speed', 'fast'],
  ['--port', '70000'],
  ['--data-dir', ''],
])('`up %s %s` is rejected in one line', async (...args) => {
  const { exitCode, stderr, stdout } = await runCli(['up', ...args]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^millwright: option '.*' argument '.*' is invalid\. .*\n$/);
});
