/** The images of a machine's container runtime, asked over its socket as `crictl images` does. */
import { join } from 'node:path';
import { createCriCall } from '../../src/node/host/cri/cri-client-node.ts';
import type { ClusterMachine } from './cluster-machine.ts';

export type CriImage = {
  /** Names by tag and by digest. */
  readonly names: readonly string[];
  readonly isPinned: boolean;
};

const LIMIT_MS = 60_000;
/** Fields of `runtime.v1.Image`. */
const REPO_TAGS = 2;
const REPO_DIGESTS = 3;
const PINNED = 8;

export async function criImages({ machine }: ClusterMachine): Promise<readonly CriImage[]> {
  const call = createCriCall(join(machine.root, 'run/crio/crio.sock'));
  const { signal } = new AbortController();
  const response = await call('ImageService/ListImages', new Uint8Array(), { signal, limitMs: LIMIT_MS });
  return fieldsOf(response).map(({ bytes }) => {
    const fields = fieldsOf(bytes);
    const names = fields.filter(({ number }) => number === REPO_TAGS || number === REPO_DIGESTS);
    return {
      names: names.map((field) => new TextDecoder().decode(field.bytes)),
      isPinned: fields.some(({ number, value }) => number === PINNED && value === 1),
    };
  });
}

/** `absent`, `present` or `pinned`. */
export async function stateOfImage(
  machine: ClusterMachine,
  name: string,
): Promise<'absent' | 'present' | 'pinned'> {
  const found = (await criImages(machine)).find(({ names }) => names.includes(name));
  if (found === undefined) return 'absent';
  return found.isPinned ? 'pinned' : 'present';
}

type Field = { readonly number: number; readonly value: number; readonly bytes: Uint8Array };

/** Of a message in protobuf's wire format: numbers have a value, all else has bytes. */
function fieldsOf(message: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('the answer of the container runtime ends too early');
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = readVarint();
    const [number, type] = [Math.floor(tag / 8), tag % 8];
    if (type !== 0 && type !== 2) throw new Error(`field ${number} has type ${type}, which no image has`);
    const value = readVarint();
    const bytes = type === 2 ? message.subarray(at, at + value) : new Uint8Array();
    at += bytes.length;
    fields.push({ number, value, bytes });
  }
  return fields;
}
