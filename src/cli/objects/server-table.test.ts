import { expect, it } from 'vitest';
import { readTable } from './server-table.ts';

it.each([undefined, null, 3, 'text', []])('%j is a table of nothing', (answer) => {
  expect(readTable(answer)).toEqual({ columns: undefined, rows: [] });
});

it('a table that is garbled is read as far as it goes', () => {
  const answer = {
    kind: 'Table',
    columnDefinitions: [null, { name: 3, priority: 'high' }],
    rows: ['text', { cells: 'text', object: { metadata: { namespace: 4, labels: [] } } }, {}],
  };
  const row = { cells: [], namespace: '', labels: {} };
  expect(readTable(answer)).toEqual({
    columns: [{ name: '3', isName: false, priority: 0 }],
    rows: [row, row],
  });
});

it('later tables of a watch have no columns', () => {
  expect(readTable({ kind: 'Table', columnDefinitions: null, rows: null })).toEqual({
    columns: undefined,
    rows: [],
  });
});

it('a server that knows no tables is shown by name and time', () => {
  const metadata = {
    name: 'one',
    namespace: 'here',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { a: 'b' },
  };
  const columns = [
    { name: 'Name', isName: true, priority: 0 },
    { name: 'Created At', isName: false, priority: 0 },
  ];
  const rows = [{ cells: ['one', '2026-01-01T00:00:00Z'], namespace: 'here', labels: { a: 'b' } }];
  expect(readTable({ kind: 'Thing', metadata })).toEqual({ columns, rows });
  expect(readTable({ kind: 'ThingList', metadata: {}, items: [{ metadata }] })).toEqual({ columns, rows });
});
