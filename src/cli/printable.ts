export { printable, printableLine } from '../text/index.ts';
