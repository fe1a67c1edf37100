import { describe, expect, it } from 'vitest';
import { aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

const judge = (path: string, text: string, runtime?: string) =>
  judged(aChange({}, filesOf({ [path]: text })), runtime === undefined ? {} : { runtime });

describe('the configuration of the container runtime', () => {
  it.each([
    [
      '/etc/crio/crio.conf.d/01-a',
      '[crio.runtime]\npids_limit = 1\n',
      '[crio.runtime\npids_limit = 1\n',
      'it is not TOML (line 1, column ',
    ],
    ['/etc/crio/crio.conf', '', 'a = ', 'it is not TOML'],
    [
      '/etc/containerd/config.toml',
      'version = 2\n',
      'version = 2\nversion = 3\n',
      'it is not TOML (line 2, column ',
    ],
    [
      '/etc/containers/registries.conf',
      'unqualified-search-registries = []\n',
      'unqualified-search-registries = "a"\n',
      'it is no registries.conf: unqualified-search-registries: ',
    ],
    [
      '/etc/containers/registries.conf.d/a.conf',
      '[[registry]]\nlocation = "a.example"\n',
      '[[registry]\n',
      'it is no registries.conf: not TOML',
    ],
    [
      '/etc/containers/policy.json',
      '{"default":[{"type":"reject"}]}',
      '{"default":[}',
      'it is not JSON, so ',
    ],
    [
      '/etc/containers/policy.json',
      '{"default":[{"type":"reject"}]}',
      '{"transports":{}}',
      'it has no requirements in "default", so ',
    ],
    ['/etc/crio/policies/ns.json', '{"default":[{"type":"reject"}]}', '[]', 'it has no requirements'],
  ])('is refused where it is broken: %s', (path, good, bad, why) => {
    expect(judge(path, good)).toEqual({ refusals: [], warnings: [] });
    expect(judge(path, bad).refusals).toEqual([expect.stringContaining(`${path}: ${why}`)]);
  });

  it('is not judged where another runtime reads it', () => {
    expect(judge('/etc/crio/crio.conf', 'a = ', 'containerd').refusals).toEqual([]);
    expect(judge('/etc/crio/crio.conf', 'a = ', 'cri-o').refusals).toHaveLength(1);
    expect(judge('/etc/containerd/config.toml', 'a = ', 'cri-o')).toEqual({ refusals: [], warnings: [] });
    expect(judge('/etc/containerd/config.toml', 'a = ', 'containerd').refusals).toHaveLength(1);
  });

  it('is not judged by its name alone', () => {
    expect(judge('/etc/crio/other/a', 'a = ').refusals).toEqual([]);
    expect(judge('/etc/containers/registries.conf.d/a.txt', 'a = ').refusals).toEqual([]);
  });

  it('does not appear in the message', () => {
    expect(JSON.stringify(judge('/etc/containers/policy.json', '{"secret-word'))).not.toContain(
      'secret-word',
    );
  });
});
