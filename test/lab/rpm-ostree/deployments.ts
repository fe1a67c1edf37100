/** The deployments of a machine, as `ostree` lists and changes them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OS_NAME } from '../os-name.ts';
import { attempt, run } from './refusal.ts';

export type LabDeployment = {
  readonly commit: string;
  /** Several deployments may have one commit. */
  readonly serial: string;
  readonly isBooted: boolean;
  readonly isStaged: boolean;
  readonly version: string;
  readonly timestampSeconds: number;
  readonly reference: string;
  readonly digest: string;
};

/** Metadata of the commit of an imported image: its source. */
export const REFERENCE_KEY = 'lab.container-image-reference';
export const DIGEST_KEY = 'lab.container-image-digest';

export const REPOSITORY = '/sysroot/ostree/repo';

/** In the order in which they would boot. */
export function deployments(): readonly LabDeployment[] {
  const rows = run('ostree', 'admin', 'status').matchAll(/^([* ]) \S+ ([0-9a-f]{64})\.(\d+)( \(staged\))?/gm);
  return [...rows].map(([, mark, commit = '', serial = '', staged]) => ({
    commit,
    serial,
    isBooted: mark === '*',
    isStaged: staged !== undefined,
    version: metadataOf(commit, 'version'),
    timestampSeconds: Date.parse(dateOf(commit)) / 1000,
    reference: metadataOf(commit, REFERENCE_KEY),
    digest: metadataOf(commit, DIGEST_KEY),
  }));
}

export type Staging = { readonly commit: string; readonly kernelArguments: readonly string[] };

export function stage({ commit, kernelArguments }: Staging): void {
  const flags = kernelArguments.map((argument) => `--karg=${argument}`);
  run('ostree', 'admin', 'deploy', '--stage', `--os=${OS_NAME}`, '--karg-none', ...flags, commit);
  mkdirSync(dirname(STAGED), { recursive: true });
  writeFileSync(STAGED, JSON.stringify(kernelArguments));
}

export function undeploy(index: number): void {
  run('ostree', 'admin', 'undeploy', String(index));
}

/** `ostree` does not print the arguments of a staged deployment. Like that, this file does not survive a power cut. */
const STAGED = '/run/lab/staged-kernel-arguments.json';
const ENTRIES = '/boot/loader/entries';

/** Of the next boot, without `ostree=`. */
export function pendingArguments(): readonly string[] {
  if (deployments().some(({ isStaged }) => isStaged)) return JSON.parse(readFileSync(STAGED, 'utf8'));
  return entryArguments(ENTRIES).filter((argument) => !argument.startsWith('ostree='));
}

/** Of the entry that a boot loader takes. */
export function entryArguments(folder: string): readonly string[] {
  const numbered = readdirSync(folder)
    .map((name) => ({ name, number: Number(/-(\d+)-/.exec(name)?.[1] ?? 0) }))
    .sort((a, b) => b.number - a.number);
  const [first] = numbered;
  if (first === undefined) throw new Error(`there is nothing to boot in ${folder}`);
  const text = readFileSync(`${folder}/${first.name}`, 'utf8');
  return (/^options (.*)$/m.exec(text)?.[1] ?? '').split(' ').filter((word) => word !== '');
}

function metadataOf(commit: string, key: string): string {
  const args = ['show', `--repo=${REPOSITORY}`, `--print-metadata-key=${key}`, commit];
  const { exitCode, stdout } = attempt('ostree', args);
  // It prints a text within quotes; a commit that has no such word fails.
  return exitCode === 0 ? stdout.trim().replace(/^'(.*)'$/, '$1') : '';
}

function dateOf(commit: string): string {
  const text = run('ostree', 'show', `--repo=${REPOSITORY}`, commit);
  return /^Date:\s+(.*)$/m.exec(text)?.[1] ?? '';
}
