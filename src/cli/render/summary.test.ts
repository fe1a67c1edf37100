import { expect, test } from 'vitest';
import { aConfig, aFile, aMachineConfig, aPool } from '../../../test/support/build.ts';
import { render } from '../../config/render/index.ts';
import { formatSummary } from './summary.ts';

test('a summary names the source of each setting and escapes control characters', () => {
  const pool = aPool('worker');
  const rendering = render({
    pool,
    machineConfigs: [
      aMachineConfig('10-a', {
        kernelType: 'realtime',
        fips: true,
        kernelArguments: ['a=\u009b31m'],
        config: aConfig({
          storage: { files: [aFile('/etc/a', 'a', { mode: 0o600 }), aFile('/etc/b', 'b')] },
        }),
      }),
      aMachineConfig('20-b', {
        kernelType: '64k-pages',
        osImageURL: 'registry.example/mine@sha256:1111',
        extensions: ['usbguard'],
        config: aConfig({ storage: { files: [aFile('/etc/a', 'b')] } }),
      }),
    ],
    settings: { osImageURL: 'registry.example/os@sha256:0000', baseOSExtensionsContainerImage: '' },
  });
  if (rendering.kind !== 'rendered') throw new Error('not rendered');
  const lines = formatSummary({ pool, rendering }).split('\n');
  expect(lines.filter((line) => !/^ {2}(rendered|size) /.test(line))).toEqual([
    'pool worker',
    '  OS image                 registry.example/mine@sha256:1111  (from 20-b)',
    '  kernel                   64k-pages  (from 20-b)',
    '  FIPS                     on  (from 10-a)',
    '  kernel arguments         1  (a=\\x9b31m)',
    '  extensions               1  (usbguard)',
    '  files                    2',
    '  units                    0',
    '  sources, later ones win  10-a',
    '                           20-b',
    '  overrides',
    '    file     /etc/a      20-b  (over 10-a; mode from 10-a)',
    '    setting  kernelType  20-b  (over 10-a)',
    '',
  ]);
});
