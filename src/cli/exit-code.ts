/** Exit codes. Scripts rely on these numbers. */

export const SUCCESS = 0;
/** The input was read and is invalid, or the server rejected a request. */
export const INVALID_INPUT = 1;
/** The command line is invalid, or something it names cannot be read or used. */
export const USAGE_ERROR = 2;
/** `millwright doctor`: something blocks. */
export const BLOCKED = 3;
/** Ended by SIGTERM before it was done, as shells report it. */
export const TERMINATED = 143;
/** EX_SOFTWARE of sysexits.h. */
export const INTERNAL_ERROR = 70;
