/** MachineConfigs for stories, as text for `kubectl apply`. */
export type FileConfig = {
  readonly name: string;
  readonly role: string;
  readonly path: string;
  readonly text: string;
  readonly mode?: number;
  readonly ignitionVersion?: string;
};

/** A MachineConfig that brings one file. */
export function fileConfig({
  name,
  role,
  path,
  text,
  mode = 0o644,
  ignitionVersion = '3.5.0',
}: FileConfig): string {
  const source = `data:,${encodeURIComponent(text)}`;
  return JSON.stringify({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec: {
      config: {
        ignition: { version: ignitionVersion },
        storage: { files: [{ path, mode, contents: { source } }] },
      },
    },
  });
}
