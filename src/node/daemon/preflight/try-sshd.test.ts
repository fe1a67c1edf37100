import { describe, expect, it } from 'vitest';
import { aChange, filesOf } from '../../../../test/support/a-preflight.ts';
import type { Host } from '../../host/index.ts';
import { trySshd } from './try-sshd.ts';

const MAIN = '/etc/ssh/sshd_config';
const present = new Map([
  [MAIN, 'Include /etc/ssh/sshd_config.d/*.conf\nInclude more.conf /etc/crypto.conf\nPort 22\n'],
  ['/etc/ssh/sshd_config.d/10-a.conf', 'X11Forwarding no\n'],
  ['/etc/ssh/sshd_config.d/20-old.conf', 'UsePAM no\n'],
]);
const old = { '/etc/ssh/sshd_config.d/20-old.conf': 'UsePAM no\n' };

/** A machine whose sshd answers so, by the path of its configuration. */
function machine(answer: (path: string) => string | undefined, { hasSshd = true } = {}) {
  const written = new Map<string, string>();
  const seen: string[] = [];
  const files = {
    write: async (path: string, { bytes }: { readonly bytes: Uint8Array }) => {
      written.set(path, new TextDecoder().decode(bytes));
    },
    removeFolder: async (path: string) => {
      for (const one of [...written.keys()]) if (one.startsWith(`${path}/`)) written.delete(one);
      return true;
    },
  };
  const checkSshd = async (path: string) => {
    seen.push(...(path === MAIN ? [] : [...written].map(([name, text]) => `${name}: ${text}`)));
    const problem = answer(path);
    return hasSshd ? { ...(problem === undefined ? {} : { problem }) } : undefined;
  };
  return { host: { files, checkSshd } as unknown as Host, written, seen };
}

const change = aChange(filesOf(old), filesOf({ '/etc/ssh/sshd_config.d/50-new.conf': 'Nonsense yes\n' }));

describe('a configuration of sshd', () => {
  it('is tried as a whole from a copy, which is removed', async () => {
    const { host, written, seen } = machine((path) =>
      path === MAIN
        ? undefined
        : `${path.replace(/_config$/, '_config.d/50-new.conf')} line 1: Bad configuration option: Nonsense`,
    );
    expect(await trySshd(host, change, present)).toBe(
      '/etc/ssh/sshd_config.d/50-new.conf line 1: Bad configuration option: Nonsense',
    );
    const folder = '/run/machine-config-daemon-preflight/ssh';
    expect(seen).toEqual([
      `${folder}/sshd_config: Include ${folder}/sshd_config.d/*.conf\nInclude ${folder}/more.conf /etc/crypto.conf\nPort 22\n`,
      `${folder}/sshd_config.d/10-a.conf: X11Forwarding no\n`,
      `${folder}/sshd_config.d/50-new.conf: Nonsense yes\n`,
    ]);
    expect(written.size).toBe(0);
  });

  it('is accepted where sshd accepts it', async () => {
    expect(await trySshd(machine(() => undefined).host, change, present)).toBeUndefined();
  });

  it('is not judged where the present one is refused too, nor without sshd, nor without a change', async () => {
    const refusing = () => 'Missing privilege separation directory: /run/sshd';
    expect(await trySshd(machine(refusing).host, change, present)).toBeUndefined();
    expect(await trySshd(machine(refusing, { hasSshd: false }).host, change, present)).toBeUndefined();
    const other = aChange({}, filesOf({ '/etc/motd': 'x' }));
    const { host, seen } = machine(refusing);
    expect(await trySshd(host, other, present)).toBeUndefined();
    expect(seen).toEqual([]);
  });
});
