/**
 * systemd's unit files: names of units, and settings by section. Pure.
 *
 * Not here: enabling units (`node/host`), and what a node should do with them (`node/plan`).
 *
 * Start with `unit-files.ts`.
 */
export {
  type Install,
  installOf,
  isBadlySet,
  isInstallable,
  isUnitName,
  listed,
  parseUnitFile,
  settings,
  templateOf,
  type UnitFile,
  unitName,
} from './unit-files.ts';
