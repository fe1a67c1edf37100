/** Prints a stream of text in whole lines, so that logs of several pods do not mix; the last one may be unterminated. */
import { LineSplitter } from '../../kubernetes/client/index.ts';

export async function printLines(
  pieces: AsyncIterable<Uint8Array>,
  prefix: string,
  print: (text: string) => void,
): Promise<void> {
  const splitter = new LineSplitter();
  const text = (line: Uint8Array) => prefix + new TextDecoder().decode(line);
  for await (const piece of pieces) {
    const lines = splitter.push(piece);
    if (lines.length > 0) print(lines.map((line) => `${text(line)}\n`).join(''));
  }
  for (const line of splitter.push(LINE_END)) if (line.length > 0) print(text(line));
}

const LINE_END = new Uint8Array([10]);
