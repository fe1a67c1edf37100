import { describe, expect, it } from 'vitest';
import { aChange, aFile, judged } from '../../../test/support/a-preflight.ts';

const NM = '/etc/NetworkManager';
const judge = (path: string, text: string, mode = 0o600) =>
  judged(aChange({}, { storage: { files: [{ ...aFile(path, text), mode }] } })).refusals;
const CONNECTION = '# a\n[connection]\nid=a\ntype=ethernet\n\n[ipv4]\nmethod=auto\n';

describe('the configuration of the network', () => {
  it.each([
    [`${NM}/system-connections/a.nmconnection`, CONNECTION, '[connection\nid=a\n', 'line 1 is neither'],
    [`${NM}/system-connections/a.nmconnection`, CONNECTION, '[connection]\nid\n', 'line 2 is neither'],
    [`${NM}/conf.d/a.conf`, '[main]\ndns=none\n', 'nonsense\n', 'so NetworkManager does not load it'],
    [`${NM}/NetworkManager.conf`, '', '[a][b]\n', 'line 1 is neither'],
    [
      '/etc/systemd/network/10-a.network',
      '[Match]\nName=a\n',
      '[Match]\n[Network\nDHCP=yes\n',
      'line 2 is no valid section header',
    ],
    ['/etc/netplan/50-a.yaml', 'network:\n  version: 2\n', 'network: [\n', 'it is not YAML: '],
    [
      '/etc/netplan/50-a.yaml',
      '',
      'version: 2\n',
      'it has no map "network", so netplan configures no network',
    ],
  ])('is refused where it is broken: %s', (path, good, bad, why) => {
    expect(judge(path, good)).toEqual([]);
    expect(judge(path, bad)).toEqual([expect.stringContaining(`${path}: `)]);
    expect(judge(path, bad)[0]).toContain(why);
  });

  it('is refused where NetworkManager ignores a connection that others can read', () => {
    const path = `${NM}/system-connections/a.nmconnection`;
    expect(judge(path, CONNECTION, 0o644)).toEqual([
      `${path}: others than root can read it (mode 0644), so NetworkManager ignores it (set mode 0600)`,
    ]);
    expect(judge(`${NM}/conf.d/a.conf`, '[main]\n', 0o644)).toEqual([]);
  });
});
