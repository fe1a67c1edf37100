import { describe, expect, it } from 'vitest';
import { IdleConnections } from './idle-connections.ts';

function open() {
  const idle = new IdleConnections();
  const dropped: string[] = [];
  const connection = (name: string, remotePort: number) => ({
    remoteAddress: '127.0.0.1',
    remotePort,
    destroy: () => dropped.push(name),
  });
  return { idle, dropped, connection };
}

describe('IdleConnections', () => {
  it('drops the longest idle connection first', () => {
    const { idle, dropped, connection } = open();
    const [a, b, c] = [connection('a', 1), connection('b', 2), connection('c', 3)];
    for (const one of [a, b, c]) idle.add(one);
    idle.delete(a);
    idle.add(a);
    idle.delete(c);
    expect([idle.dropOldest(), idle.dropOldest(), idle.dropOldest()]).toEqual([true, true, false]);
    expect(dropped).toEqual(['b', 'a']);
  });

  it('identifies a connection before and after TLS', () => {
    const { idle, dropped, connection } = open();
    idle.add(connection('plain', 1));
    idle.add(connection('secure', 1));
    expect([idle.dropOldest(), idle.dropOldest()]).toEqual([true, false]);
    expect(dropped).toEqual(['secure']);
  });
});
