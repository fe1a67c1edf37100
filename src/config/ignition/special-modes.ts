/**
 * The setuid, setgid and sticky bits. They have been applied since 3.4 and were ignored before, so they must not take
 * effect when an older config is translated.
 */
import type { IgnitionConfig } from './config.ts';
import { MAX_PLAIN_MODE } from './mode.ts';
import { type Report, warn } from './report.ts';

export function clearSpecialModes(config: IgnitionConfig, report: Report): IgnitionConfig {
  const { files, directories } = config.storage ?? {};
  if (![...(files ?? []), ...(directories ?? [])].some(hasSpecialBits)) return config;
  const clear = <T extends { readonly mode?: number }>(section: string, nodes: readonly T[]): readonly T[] =>
    nodes.map((node, index) => {
      if (!hasSpecialBits(node)) return node;
      const text = 'setuid/setgid/sticky bits are not supported in spec versions older than 3.4.0';
      warn(report, `storage.${section}[${index}].mode`, text);
      return { ...node, mode: (node.mode ?? 0) & MAX_PLAIN_MODE };
    });
  return {
    ...config,
    storage: {
      ...config.storage,
      ...(files === undefined ? {} : { files: clear('files', files) }),
      ...(directories === undefined ? {} : { directories: clear('directories', directories) }),
    },
  };
}

function hasSpecialBits({ mode }: { readonly mode?: number }): boolean {
  return mode !== undefined && mode > MAX_PLAIN_MODE;
}
