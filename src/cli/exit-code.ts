/** How a command ends. Scripts rely on these numbers. */

/** All is well. */
export const FINE = 0;
/** The input was read, and something in it is wrong. */
export const INVALID = 1;
/** The command line is wrong, or the input cannot be read or used at all. */
export const UNUSABLE = 2;
/** A mistake of ours (EX_SOFTWARE of sysexits.h). */
export const BUG = 70;
