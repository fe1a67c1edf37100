/**
 * What command definitions share: their context and the parsers of option values.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseAddress, parseUrl } from '../base/text/index.ts';
import { checkDnsSubdomain } from '../kubernetes/meta/index.ts';
import type { Ports } from './ports.ts';

/** The dependencies of every command definition. */
export type Context = {
  readonly ports: Ports;
  readonly version: string;
  /** Sets the exit code of the process. */
  readonly exit: (code: number) => void;
};

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function parseBool(text: string): 'true' | 'false' {
  if (text === 'true' || text === 'false') return text;
  throw new InvalidArgumentError('Must be true or false.');
}

export function parseIpAddress(text: string): string {
  if (text === '' || parseAddress(text) !== undefined) return text;
  throw new InvalidArgumentError('Must be an IP address.');
}

export function parseDomain(text: string): string {
  if (text === '' || checkDnsSubdomain(text).length === 0) return text;
  throw new InvalidArgumentError('Must be a domain, such as cluster.local.');
}

/** Empty is not given: the manifests always have the flags. */
export function parseHttpsUrl(text: string): string {
  const parsed = parseUrl(text);
  if (text === '' || ('url' in parsed && parsed.url.scheme === 'https' && parsed.url.host !== ''))
    return text;
  throw new InvalidArgumentError('Must be a URL, such as https://api.example:6443.');
}

export function parsePid(text: string): number {
  const pid = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(pid)) throw new InvalidArgumentError('Must be a process id.');
  return pid;
}

const MAX_PORT = 65_535;

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= MAX_PORT)) throw new InvalidArgumentError(`Must be a number from 0 to ${MAX_PORT}.`);
  return port;
}

export function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('Must not be empty.');
  return text;
}

/** Of every component. `usual`: the address that it has unless another is given. */
export function addMetricsOptions(command: Command, usual?: string): Command {
  const plain = new Option(
    '--metrics-url <HOST:PORT>',
    `address that serves /metrics, /healthz and /readyz without TLS${usual === undefined ? ' (default: none)' : ''}`,
  );
  return command
    .addOption(usual === undefined ? plain : plain.default(usual))
    .option(
      '--metrics-address <HOST:PORT>',
      'address that serves /metrics over TLS to clients whose token may get the non-resource URL /metrics; :PORT for all interfaces (default: none)',
    )
    .option(
      '--metrics-cert-dir <DIR>',
      'folder with tls.crt and tls.key for --metrics-address, read again when they change (default: self-signed)',
    );
}

/** Of the components that run in Deployments. */
export function healthAddressOption(): Option {
  const what =
    'address that serves /healthz and /readyz, for probes; :PORT for all interfaces (default: none)';
  return new Option('--health-address <HOST:PORT>', what);
}
