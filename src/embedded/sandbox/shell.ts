/**
 * The shell of the OS image: BusyBox of this machine, one static program for all small commands. The package contains no
 * binaries; without BusyBox the image has no shell, which only builds on it need.
 */

export type Shell = {
  /** As in image indexes: amd64, arm64, … */
  readonly architecture: string;
  readonly program: Uint8Array;
};

/** `e_machine` of the ELF header. */
const ARCHITECTURES: ReadonlyMap<number, string> = new Map([
  [62, 'amd64'],
  [183, 'arm64'],
  [21, 'ppc64le'],
  [22, 's390x'],
]);
const ELF_MAGIC = [0x7f, 0x45, 0x4c, 0x46];
const HEADER_BYTES = 64;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
/** The program header that names a dynamic linker. */
const PT_INTERP = 3;

/** Undefined unless it is a 64-bit program that runs without libraries, which the image does not have. */
export function parseShell(program: Uint8Array): Shell | undefined {
  if (program.length < HEADER_BYTES || ELF_MAGIC.some((byte, at) => program[at] !== byte)) return undefined;
  if (program[4] !== CLASS_64) return undefined;
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const isLittle = program[5] === LITTLE_ENDIAN;
  const architecture = ARCHITECTURES.get(view.getUint16(18, isLittle));
  if (architecture === undefined) return undefined;
  const start = Number(view.getBigUint64(32, isLittle));
  const [size, count] = [view.getUint16(54, isLittle), view.getUint16(56, isLittle)];
  if (count === 0 || size < 4 || start + size * count > program.length) return undefined;
  for (let number = 0; number < count; number++) {
    if (view.getUint32(start + size * number, isLittle) === PT_INTERP) return undefined;
  }
  return { architecture, program };
}
