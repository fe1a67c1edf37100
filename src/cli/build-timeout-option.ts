/** `--build-timeout`, in milliseconds. */
import { InvalidArgumentError, Option } from 'commander';
import { parseGoDuration } from '../base/text/index.ts';

export function buildTimeoutOption(): Option {
  return new Option('--build-timeout <DURATION>', 'how long the build of an OS image may take')
    .argParser(parseTimeout)
    .default(HOUR_MS, '1h');
}

const HOUR_MS = 60 * 60 * 1000;
const MAX_TIMEOUT_MS = 7 * 24 * HOUR_MS;
const NANOS_PER_MS = 1_000_000;

function parseTimeout(text: string): number {
  const nanos = parseGoDuration(text);
  const ms = nanos === undefined ? Number.NaN : Number(nanos) / NANOS_PER_MS;
  if (!(ms >= 1000 && ms <= MAX_TIMEOUT_MS))
    throw new InvalidArgumentError('Must be a duration from 1s to 168h, such as 90m.');
  return ms;
}
