/** Reading Tables in cases. */
import { expect } from 'vitest';
import { type Loose, listOf } from './loose.ts';
import type { Scene } from './scene.ts';

export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export async function tableOf(scene: Scene, path: string): Promise<Loose> {
  const { status, headers, json } = await scene.get(path, { accept: `${TABLE},application/json` });
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  return json;
}

/** `Name`, or `Wide+` where the column is shown with `-o wide` alone. */
export function columnsOf(table: Loose): readonly string[] {
  return listOf(table.columnDefinitions).map(
    ({ name, priority }) => `${name}${Number(priority) > 0 ? '+' : ''}`,
  );
}

export function cellsOf(table: Loose): readonly unknown[] {
  return listOf(table.rows).map(({ cells }) => cells);
}

/** An object of a case is seconds old. */
export const AGE = expect.stringMatching(/^\d+s$/);
