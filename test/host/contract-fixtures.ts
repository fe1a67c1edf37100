/**
 * Images, files and assertions that the contracts of hosts share.
 */
import { afterEach, beforeEach } from 'vitest';
import type { HostScene } from '../../src/node/host/contract.ts';
import type { FileToWrite, Host } from '../../src/node/host/index.ts';

export const OLD_IMAGE = 'registry.example/os:old';
export const NEW_IMAGE = `registry.example/os@sha256:${'b'.repeat(64)}`;
export const MISSING_IMAGE = `registry.example/os@sha256:${'c'.repeat(64)}`;

/** Of another OS than CoreOS. */
export const OTHER_IMAGE = `registry.example/iot@sha256:${'d'.repeat(64)}`;
export const OTHER_RELEASE = 'ID=fedora\nVARIANT_ID=iot\nVERSION_ID=42\n';

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export function file(text: string, more: Partial<FileToWrite> = {}): FileToWrite {
  return { bytes: bytes(text), mode: 0o644, ...more };
}

export async function textAt(host: Host, path: string): Promise<string | undefined> {
  const content = await host.files.read(path);
  return content === undefined ? undefined : new TextDecoder().decode(content);
}

/** The message of the error. */
export async function problem(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => 'nothing went wrong',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** A scene for each test, closed after it. */
export function sceneFor(create: () => Promise<HostScene>): {
  readonly scene: HostScene;
  readonly host: Host;
} {
  let scene: HostScene | undefined;
  beforeEach(async () => {
    scene = await create();
  });
  afterEach(async () => {
    await scene?.close();
    scene = undefined;
  });
  const there = (): HostScene => {
    if (scene === undefined) throw new Error('there is no scene outside of a test');
    return scene;
  };
  return {
    get scene() {
      return there();
    },
    get host() {
      return there().host;
    },
  };
}

/** Waits for a condition. */
export async function eventually(isSo: () => boolean, tries = 500): Promise<boolean> {
  for (let count = 0; count < tries && !isSo(); count++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  return isSo();
}
