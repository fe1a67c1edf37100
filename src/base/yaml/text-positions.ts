/**
 * Line and column of an offset, both from 1.
 */

export type TextPositions = {
  readonly lineAt: (offset: number) => number;
  /** `line 3, column 7`. */
  readonly describe: (offset: number) => string;
};

export function textPositions(text: string): TextPositions {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  const lineAt = (offset: number): number => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  return {
    lineAt,
    describe: (offset) => {
      const line = lineAt(offset);
      return `line ${line}, column ${offset - (starts[line - 1] ?? 0) + 1}`;
    },
  };
}
