import { describe, expect, it } from 'vitest';
import type { ServerTable, TableRow } from './server-table.ts';
import { type TableOptions, TablePrinter } from './table-printer.ts';

const plain: TableOptions = {
  isWide: false,
  withNamespace: false,
  withLabels: false,
  withHeadings: true,
  kindLabel: undefined,
};

function row(cells: readonly unknown[], more: Partial<TableRow> = {}): TableRow {
  return { cells, namespace: 'here', labels: {}, ...more };
}

function table(...rows: readonly TableRow[]): ServerTable {
  const columns = [
    { name: 'Name', isName: true, priority: 0 },
    { name: 'Up', isName: false, priority: 0 },
    { name: 'Notes', isName: false, priority: 1 },
    { name: 'Age', isName: false, priority: 0 },
  ];
  return { columns, rows };
}

const print = (look: Partial<TableOptions>, ...tables: readonly ServerTable[]) =>
  new TablePrinter({ ...plain, ...look }).print(tables);

describe('cells', () => {
  it('with several lines show the first', () => {
    expect(print({}, table(row(['a\nb', 'x\rz', '', 'y\fz'])))).toBe(
      'NAME   UP     AGE\na...   x...   y...\n',
    );
  });

  it('with control characters are escaped', () => {
    expect(print({}, table(row(['\u001b[31m', '\u202e', '', '\t'])))).toBe(
      'NAME       UP       AGE\n\\x1b[31m   \\u202e   \\x09\n',
    );
  });

  it('may be missing or of any type', () => {
    expect(print({ withHeadings: false }, table(row([null, 3, '', { a: 1 }]), row([true])))).toBe(
      '       3     {"a":1}\ntrue         \n',
    );
  });
});

describe('columns', () => {
  it('are three spaces apart and at least six wide', () => {
    expect(print({}, table(row(['a', 1, '', '5s']), row(['longer-name', 22, '', '10d'])))).toBe(
      'NAME          UP    AGE\na             1     5s\nlonger-name   22    10d\n',
    );
  });

  it('with a priority above 0 are shown only in wide tables', () => {
    expect(print({ isWide: true }, table(row(['a', 1, 'hm', '5s'])))).toBe(
      'NAME   UP    NOTES   AGE\na      1     hm      5s\n',
    );
  });

  it('for namespaces and labels come first and last', () => {
    const labelled = row(['a', 1, '', '5s'], { labels: { z: 'last', a: 'first' } });
    expect(print({ withNamespace: true, withLabels: true }, table(labelled, row(['b', 1, '', '5s'])))).toBe(
      'NAMESPACE   NAME   UP    AGE   LABELS\nhere        a      1     5s    a=first,z=last\nhere        b      1     5s    <none>\n',
    );
  });

  it('are measured in characters, not bytes', () => {
    expect(print({ withHeadings: false }, table(row(['ä😀', 1, '', '5s']), row(['abcd', 1, '', '5s'])))).toBe(
      'ä😀     1     5s\nabcd   1     5s\n',
    );
  });
});

it('names are prefixed with their kind if several kinds are shown', () => {
  expect(print({ kindLabel: 'pod', withHeadings: false }, table(row(['a', 1, '', '5s'])))).toBe(
    'pod/a   1     5s\n',
  );
});

it('an empty table has no headings', () => {
  expect(print({}, table())).toBe('');
});

it('headings are printed once, and the columns of a watch only grow', () => {
  const printer = new TablePrinter(plain);
  expect(printer.print([table(row(['name', 1, '', '5s']))])).toBe('NAME   UP    AGE\nname   1     5s\n');
  const later = (name: string): ServerTable => ({ columns: undefined, rows: [row([name, 2, '', '6s'])] });
  expect(printer.print([later('longer')])).toBe('longer   2     6s\n');
  expect(printer.print([later('a')])).toBe('a        2     6s\n');
});

it('several tables are printed below one another', () => {
  expect(print({}, table(row(['a', 1, '', '5s'])), table(row(['bcdef', 2, '', '6s'])))).toBe(
    'NAME    UP    AGE\na       1     5s\nbcdef   2     6s\n',
  );
});
