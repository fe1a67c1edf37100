/**
 * The answer of `/version`. Clients choose by it what they ask for, so it names the Kubernetes whose API is served;
 * how this server itself was built is said where it can be, and left empty where it cannot.
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
  // What every build says that does not know its date.
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'esbuild',
  platform: 'node',
} as const;
