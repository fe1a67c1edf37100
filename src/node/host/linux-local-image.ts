/**
 * Rebases to an image that is in the machine's container storage.
 *
 * Images in storage have no signatures. Where the machine's policy requires them, rpm-ostree gets a temporary copy of
 * the policy that accepts this one image.
 */
import { Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { type LocalImage, parsedJson } from './local-images.ts';
import type { LinuxOsOptions } from './os-tool.ts';
import { rebaseArgs } from './ostree-commands.ts';

const POLICY = '/etc/containers/policy.json';
const PATCHED = '/run/tmp-rpm-ostree-policy.json';
const DROP_IN = '/run/systemd/system/rpm-ostreed.service.d/temporal-policy-binding.conf';
const BINDING = `[Service]\nBindReadOnlyPaths=${PATCHED}:${POLICY}\n`;
const MAX_POLICY_BYTES = 1024 ** 2;

type Local = { readonly image: string; readonly local: LocalImage };

export async function rebaseFromStorage(options: LinuxOsOptions, { image, local }: Local): Promise<void> {
  const { commands } = options;
  const name = local.repoDigests.find((digest) => digest === image) ?? image;
  const reference = `ostree-unverified-image:containers-storage:${name}`;
  commands.log(`Executing local container storage rebase to ${name}`);
  try {
    await withPolicyFor(options, { name, id: local.id }, () =>
      commands.run('rpm-ostree', rebaseArgs(reference)),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `failed to update OS from local storage: ${image}: ${error.message}`;
    throw new Failure(error.kind, error.reason, message, error);
  }
}

type Named = { readonly name: string; readonly id: string };

async function withPolicyFor(options: LinuxOsOptions, image: Named, run: () => Promise<void>): Promise<void> {
  const { files, commands } = options;
  const bytes = await files.read(POLICY, MAX_POLICY_BYTES);
  const policy: unknown =
    bytes === undefined ? undefined : parsedJson(POLICY, new TextDecoder().decode(bytes));
  if (!isObject(policy) || isPermissive(policy)) return await run();
  const scope = await storageScope(options, image);
  const write = (path: string, text: string) =>
    files.write(path, { bytes: new TextEncoder().encode(text), mode: 0o644 });
  const restart = async () => {
    await commands.run('systemctl', ['daemon-reload']);
    await commands.run('systemctl', ['try-restart', 'rpm-ostreed']);
  };
  try {
    await write(PATCHED, `${JSON.stringify(patchedPolicy(policy, scope))}\n`);
    await write(DROP_IN, BINDING);
    await restart();
    await run();
  } finally {
    await files.remove(DROP_IN);
    await files.remove(PATCHED);
    await restart();
  }
}

type Policy = { readonly [key: string]: unknown };

const ACCEPT = { type: 'insecureAcceptAnything' };
const STORAGE = 'containers-storage';

/** Whether storage needs no exception: the default accepts anything, and there is no rule for storage. */
export function isPermissive(policy: Policy): boolean {
  const standard = own(policy, 'default');
  const first: unknown = Array.isArray(standard) && standard.length === 1 ? standard[0] : undefined;
  const transports = own(policy, 'transports');
  const hasStorageRule = isObject(transports) && own(transports, STORAGE) !== undefined;
  return isObject(first) && own(first, 'type') === ACCEPT.type && !hasStorageRule;
}

export function patchedPolicy(policy: Policy, scope: string): Policy {
  const given = own(policy, 'transports');
  const transports = isObject(given) ? given : {};
  const storage = own(transports, STORAGE);
  const scopes = { ...(isObject(storage) ? storage : {}), [scope]: [ACCEPT] };
  return { ...policy, transports: { ...transports, [STORAGE]: scopes } };
}

/** `[overlay@/var/lib/containers/storage]NAME@ID` */
async function storageScope({ commands }: LinuxOsOptions, { name, id }: Named): Promise<string> {
  const text = await commands.capture('podman', ['system', 'info', '--format=json']);
  const info = parsedJson('podman system info', text);
  const store = isObject(info) ? own(info, 'store') : undefined;
  const field = (key: string): string => {
    const value = isObject(store) ? own(store, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return `[${field('graphDriverName')}@${field('graphRoot')}]${name}@${id}`;
}
