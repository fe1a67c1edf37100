import { expect, it } from 'vitest';
import { readTable } from './server-table.ts';

it.each([undefined, null, 3, 'text', []])('readTable treats %j as an empty table', (answer) => {
  expect(readTable(answer)).toEqual({ columns: undefined, rows: [] });
});

it('readTable skips malformed parts of a table', () => {
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

it('readTable accepts later tables of a watch, without columns', () => {
  expect(readTable({ kind: 'Table', columnDefinitions: null, rows: null })).toEqual({
    columns: undefined,
    rows: [],
  });
});

it('readTable shows the name and creation time of plain objects', () => {
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
