/** `images/builder/Containerfile`, the image of the builder and of build pods. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { containerfileProblems } from '../src/images/builds/containerfile-syntax.ts';

const text = readFileSync(new URL('../images/builder/Containerfile', import.meta.url), 'utf8');
const instructions = text
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

describe('the Containerfile of the builder', () => {
  it('has no syntax errors', () => {
    // With its default: the variable works here, but not behind the stages of an OS image, for which this check is.
    const resolved = text.replace('$BASE_IMAGE', 'debian:13-slim');
    expect(containerfileProblems(resolved, { needsFrom: true })).toEqual([]);
  });

  it('has buildah, and the programs that let an ordinary user run it in a pod', () => {
    const install = instructions.find((line) => line.includes('apt-get install')) ?? '';
    for (const name of ['buildah', 'nodejs', 'uidmap', 'netavark'])
      expect(install.split(/\s+/)).toContain(name);
    expect(install).toContain('setcap cap_setuid=ep /usr/bin/newuidmap');
    expect(install).toContain('setcap cap_setgid=ep /usr/bin/newgidmap');
  });

  it('does not run as root, and creates the home directory of build pods', () => {
    expect(instructions.filter((line) => line.startsWith('USER '))).toEqual(['USER build']);
    expect(text).toContain('mkdir -p /home/build/.local/share/containers');
  });

  it('names no registry: the base image is an argument', () => {
    expect(instructions.slice(0, 2)).toEqual(['ARG BASE_IMAGE=debian:13-slim', 'FROM $BASE_IMAGE']);
  });
});
