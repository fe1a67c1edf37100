/** Rendered configs for stories. */
import type { MachineConfig } from '../../src/api/index.ts';
import { OLD_OS } from './daemon-node.ts';

export type ConfigParts = {
  /** Contents by path. */
  readonly files?: { readonly [path: string]: string };
  readonly modes?: { readonly [path: string]: number };
  /** In the form of Ignition. */
  readonly extraFiles?: readonly object[];
  readonly units?: readonly object[];
  readonly sshKeys?: readonly string[];
  readonly passwordHash?: string;
  readonly osImage?: string;
  readonly kernelArguments?: readonly string[];
  readonly extra?: object;
};

export function aConfig(name: string, parts: ConfigParts = {}): MachineConfig {
  const { files = {}, modes = {}, units = [], sshKeys, passwordHash } = parts;
  const user = {
    name: 'core',
    ...(sshKeys === undefined ? {} : { sshAuthorizedKeys: sshKeys }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  };
  const hasUser = sshKeys !== undefined || passwordHash !== undefined;
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name },
    spec: {
      osImageURL: parts.osImage ?? OLD_OS,
      kernelArguments: [...(parts.kernelArguments ?? [])],
      config: {
        ignition: { version: '3.5.0' },
        ...(hasUser ? { passwd: { users: [user] } } : {}),
        storage: {
          files: [
            ...Object.entries(files).map(([path, text]) => ({
              path,
              mode: modes[path] ?? 420,
              contents: { source: `data:,${encodeURIComponent(text)}` },
            })),
            ...(parts.extraFiles ?? []),
          ],
        },
        systemd: { units },
      },
      ...parts.extra,
    },
  };
}

export function aUnit(name: string, description: string, more: object = {}): object {
  const contents = `[Unit]\nDescription=${description}\n[Service]\nExecStart=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\n`;
  return { name, enabled: true, contents, ...more };
}

/** Contents of policy.json, of which every change reloads CRI-O. */
export const POLICY = '{"default":[{"type":"reject"}]}';
export const OTHER_POLICY = '{"default":[{"type":"insecureAcceptAnything"}]}';
