/** The content of a file of a rendered MachineConfig, as text; undefined where there is none that can be read. */
import type { MachineConfig } from '../../api/index.ts';
import { fileContents, parseIgnition } from '../../config/ignition/index.ts';

export function renderedFile(rendered: MachineConfig, path: string): string | undefined {
  const parsed = parseIgnition(rendered.spec?.config);
  if (parsed.kind === 'invalid') return undefined;
  const file = parsed.value.storage?.files?.find((one) => one.path === path);
  if (file?.contents === undefined) return undefined;
  const contents = fileContents(file.contents);
  return contents.kind === 'ok' ? new TextDecoder().decode(contents.value) : undefined;
}
