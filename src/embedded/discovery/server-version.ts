/**
 * The response of `/version`. Clients choose their requests by it, so it has the version of Kubernetes whose API is
 * served; facts about the build of this server are empty where they are unknown.
 */

export const serverVersion = {
  major: '1',
  minor: '33',
  emulationMajor: '1',
  emulationMinor: '33',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '32',
  gitVersion: 'v1.33.13',
  gitCommit: '',
  gitTreeState: '',
  // The value of every build that does not know its date.
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'esbuild',
  platform: 'node',
} as const;
