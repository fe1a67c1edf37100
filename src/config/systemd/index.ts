/**
 * systemd's unit files: names of units, settings by section, and commands with their variables. Pure.
 *
 * Not here: enabling units (`node/host`), and what a node should do with them (`node/plan`).
 *
 * Start with `unit-files.ts`.
 */
export { parseEnvironment, parseEnvironmentFile } from './environment.ts';
export {
  type Install,
  installOf,
  isBadlySet,
  isInstallable,
  isUnitName,
  listed,
  parseUnitFile,
  settings,
  specified,
  templateOf,
  type UnitFile,
  unitName,
} from './unit-files.ts';
export { expandCommand } from './words.ts';
