/**
 * Which files an OS image has that is in the OSTree repository, deployed or only downloaded.
 */
import type { Commands } from './command-runner.ts';
import type { Deployment } from './host.ts';

const REPOSITORY = '--repo=/ostree/repo';

/** Undefined where that is unknown: the image is not in the repository, or there is no `ostree`. */
export async function isInOstreeImage(
  commands: Commands,
  { image, path, deployments }: ImagePath,
): Promise<boolean | undefined> {
  const commit = deployments.find((one) => one.image === image && one.commit !== '')?.commit;
  const { exitCode, stderr } = await commands.try('ostree', [
    'ls',
    REPOSITORY,
    commit ?? imageRef(image),
    path,
  ]);
  if (exitCode === 0) return true;
  return /No such file or directory: \//.test(stderr) ? false : undefined;
}

type ImagePath = {
  readonly image: string;
  readonly path: string;
  readonly deployments: readonly Deployment[];
};

/** The ref under which `ostree container` keeps an image: `_` escapes what a ref cannot have, as hexadecimal digits. */
export function imageRef(image: string): string {
  const name = `docker://${image}`;
  const escaped = [...name].map((character, index) => {
    if (/[A-Za-z0-9-]/.test(character)) return character;
    if (character === '_') return '__';
    const isSeparator = character === '/' && /[A-Za-z0-9]/.test(name[index - 1] ?? '');
    if (isSeparator && index < name.length - 1) return character;
    return `_${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}_`;
  });
  return `ostree/container/image/${escaped.join('')}`;
}
