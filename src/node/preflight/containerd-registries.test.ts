import { describe, expect, it } from 'vitest';
import { aNodeConfig } from '../../../test/support/a-node-config.ts';
import { type AMachine, aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';
import { withRuntimeFiles } from '../plan/index.ts';

const CONFIG = '/etc/containerd/config.toml';
const K3S = '/var/lib/rancher/k3s/agent/etc/containerd/config.toml';
const CONF = '/etc/containers/registries.conf';
const mirrored = (source: string) =>
  `[[registry]]\nlocation = "${source}"\n[[registry.mirror]]\nlocation = "m.example"\npull-from-mirror = "digest-only"\n`;
const V2 = '[plugins."io.containerd.grpc.v1.cri".registry]';
const V3 = '[plugins."io.containerd.cri.v1.images".registry]';
const PATH = 'config_path = "/etc/containerd/certs.d"';

function judge(
  machine: AMachine,
  files: { readonly [path: string]: string } = { [CONF]: mirrored('quay.io') },
) {
  const runtime = machine.runtime ?? 'containerd';
  const [from, to] = [aNodeConfig('before'), withRuntimeFiles(aNodeConfig('after', filesOf(files)), runtime)];
  return judged(aChange(from, to), { runtime, runtimeVersion: '1.6.20', ...machine });
}
const withConfig = (...lines: readonly string[]) => judge({ files: { [CONFIG]: lines.join('\n') } });
const NO_EFFECT =
  'so containerd would not read /etc/containerd/certs.d and not use the mirrors of registries.conf';

describe('mirrors on a node that runs containerd', () => {
  it.each<[string, readonly string[]]>([
    ['version 2', ['version = 2', V2, PATH]],
    ['version 3', ['version = 3', V3, PATH]],
    ['version 1', ['[plugins.cri.registry]', PATH]],
    ['several folders', ['version = 2', V2, 'config_path = "/x:/etc/containerd/certs.d"']],
    ['a name of version 2 in version 3', ['version = 3', V2, PATH]],
  ])('are accepted where config_path names their folder: %s', (_, lines) => {
    expect(withConfig(...lines)).toEqual({ refusals: [], warnings: [] });
  });

  it.each<[string, readonly string[], string, string]>([
    ['version 2', ['version = 2'], 'there is no config_path', V2],
    ['version 3', ['version = 3'], 'there is no config_path', V3],
    ['version 1', ['root = "/x"'], 'there is no config_path', '[plugins."cri".registry]'],
    ['an empty one', ['version = 2', V2, 'config_path = ""'], 'there is no config_path', V2],
    ['another one', ['version = 2', V2, 'config_path = "/x"'], 'config_path is /x', V2],
  ])('are refused with the line to add where it does not: %s', (_, lines, why, table) => {
    const { refusals, error } = withConfig(...lines);
    expect(refusals).toEqual([
      `${CONFIG}: ${why}, ${NO_EFFECT} (add ${table} ${PATH} and restart containerd)`,
    ]);
    expect(error).toContain('millwright.dev/skip-preflight=containerd-registries');
  });

  it('are refused where containerd has no configuration file, unless its default names their folder', () => {
    expect(judge({}).refusals).toHaveLength(1);
    expect(judge({ runtimeVersion: '2.1.4' }).refusals).toHaveLength(1);
    expect(judge({ runtimeVersion: '2.2.0' }).refusals).toEqual([]);
  });

  it('are accepted where an imported file has the line, and doubtful where it cannot be read', () => {
    const imports = 'version = 2\nimports = ["/etc/containerd/conf.d/*.toml"]\n';
    const dropin = { '/etc/containerd/conf.d/a.toml': `version = 2\n${V2}\n${PATH}\n` };
    expect(judge({ files: { [CONFIG]: imports, ...dropin } }).refusals).toEqual([]);
    expect(judge({ files: { [CONFIG]: 'version = 2\n', ...dropin } }).refusals).toHaveLength(1);
    const elsewhere = judge({ files: { [CONFIG]: 'version = 2\nimports = ["/opt/*.toml"]\n' } });
    expect([elsewhere.refusals.length, elsewhere.warnings.length]).toEqual([0, 1]);
    const broken = judge({ files: { [CONFIG]: '[[' } });
    expect([broken.refusals.length, broken.warnings.length]).toEqual([0, 1]);
  });

  it('leave the configuration that k3s generates alone', () => {
    const { refusals } = judge({
      files: {
        [K3S]: `version = 3\n${V3}\nconfig_path = "/var/lib/rancher/k3s/agent/etc/containerd/certs.d"\n`,
        [CONFIG]: `version = 2\n${V2}\n${PATH}\n`,
      },
    });
    expect(refusals).toEqual([
      `${K3S}: config_path is /var/lib/rancher/k3s/agent/etc/containerd/certs.d, ${NO_EFFECT} (k3s generates this file: add ${V3} ${PATH} to its template (config.toml.tmpl or config-v3.toml.tmpl beside it) and restart k3s)`,
    ]);
  });

  it('are accepted where the same config brings the line', () => {
    const files = { [CONF]: mirrored('quay.io'), [CONFIG]: `version = 2\n${V2}\n${PATH}\n` };
    expect(judge({}, files).refusals).toEqual([]);
  });

  it('ask nothing where there is no mirror, and nothing of CRI-O', () => {
    expect(judge({}, { [CONF]: '' })).toEqual({ refusals: [], warnings: [] });
    expect(judge({ runtime: 'cri-o' })).toEqual({ refusals: [], warnings: [] });
  });
});

describe('what containerd does not do', () => {
  it('is a warning: parts of registries.conf', () => {
    expect(judge({}, { [CONF]: mirrored('quay.io/team') }).warnings).toEqual([
      `${CONF}: containerd has settings for whole registries only: "quay.io/team" is not applied, and no setting applies to its images. Name the registry quay.io instead`,
    ]);
  });

  it('is a warning: files of CRI-O, and signature policies', () => {
    const files = { '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit': 'x', '/etc/containers/policy.json': '{}' };
    expect(judge({}, files).warnings).toEqual(
      ['/etc/containers/policy.json', '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit'].map(
        (path) => `${path}: containerd does not read it, so it has no effect on this node`,
      ),
    );
    expect(judge({ runtime: 'cri-o' }, files).warnings).toEqual([]);
  });
});
