/**
 * Compares our protobuf with Kubernetes' libraries: every field of every message, random objects in both directions, and
 * invalid bytes.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/base/json.ts';
import { decodeProtobuf, encodeProtobuf, messageOfKind } from '../../src/embedded/protobuf/index.ts';
import type { Field, Message } from '../../src/embedded/protobuf/message.ts';
import { apiVersionOf } from '../../src/kubernetes/meta/index.ts';
import { bodies, builtins } from '../../src/kubernetes/types/index.ts';
import type { Oracle } from './oracle.ts';
import { withOracle } from './with-oracle.ts';

type Kind = { readonly apiVersion: string; readonly kind: string };

const kinds: readonly Kind[] = [
  ...[...builtins, ...bodies].map((one) => ({ apiVersion: apiVersionOf(one), kind: one.kind })),
  { apiVersion: 'v1', kind: 'Status' },
  { apiVersion: 'v1', kind: 'DeleteOptions' },
  { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' },
  { apiVersion: 'v1', kind: 'ConfigMapList' },
  { apiVersion: 'apps/v1', kind: 'DeploymentList' },
  { apiVersion: 'events.k8s.io/v1', kind: 'EventList' },
];

const SEEDS_PER_KIND = 12;
/** The prefix and the envelope with the kind. */
const ENVELOPE_BYTES = 24;

type Forms = { readonly bytes: Uint8Array; readonly object: JsonObject };

async function madeUp(oracle: Oracle, kind: Kind, seed: number): Promise<Forms> {
  // The program is ours: this is the format of its responses.
  const { protobuf, json } = (await oracle.ask('random', { ...kind, seed })) as {
    readonly protobuf: string;
    readonly json: JsonObject;
  };
  return { bytes: Buffer.from(protobuf, 'base64'), object: json };
}

type Decoded = { readonly ok: boolean; readonly object?: JsonObject; readonly error?: string };

async function theirs(oracle: Oracle, bytes: Uint8Array, kind: Kind): Promise<Decoded> {
  const asked = { ...kind, bytes: Buffer.from(bytes).toString('base64') };
  return (await oracle.ask('decode', asked)) as Decoded;
}

function ours(bytes: Uint8Array, kind: Kind): Decoded {
  const decoded = decodeProtobuf(bytes, kind);
  if (decoded.kind === 'ok') return { ok: true, object: decoded.value.object };
  return { ok: false, error: decoded.problems[0]?.message ?? '' };
}

await withOracle('protobuf', (oracle) => {
  describe.each(kinds)('$apiVersion $kind', (kind) => {
    it('has the fields of the library, and its messages have theirs', async () => {
      const messages = (await oracle.ask('fields', kind)) as { readonly [name: string]: string };
      const message = messageOfKind(kind.apiVersion, kind.kind);
      const ours = message === undefined ? new Map() : messagesIn(message);
      for (const [name, fields] of Object.entries(messages)) {
        expect(ours.get(withoutPackage(name)), name).toBe(withoutPackage(fields));
      }
    });

    it('is decoded to the JSON that the same client would send', async () => {
      for (let seed = 0; seed < SEEDS_PER_KIND; seed++) {
        const { bytes, object } = await madeUp(oracle, kind, seed);
        expect(ours(bytes, kind), `seed ${seed}`).toEqual({ ok: true, object });
      }
    });

    it('is encoded so that the library decodes the same object', async () => {
      for (let seed = 0; seed < SEEDS_PER_KIND; seed++) {
        const { object } = await madeUp(oracle, kind, seed);
        const bytes = encodeProtobuf(object) ?? new Uint8Array();
        const read = await theirs(oracle, bytes, kind);
        expect(withoutNulls(read.object ?? read.error), `seed ${seed}`).toEqual(withoutNulls(object));
      }
    });
  });

  it('both refuse the same broken bytes and decode the same objects otherwise', async () => {
    const kind = { apiVersion: 'v1', kind: 'Pod' };
    const { bytes } = await madeUp(oracle, kind, 7);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: ENVELOPE_BYTES, max: bytes.length - 1 }),
        fc.nat(255),
        fc.boolean(),
        async (at, byte, isCut) => {
          const broken = isCut ? bytes.slice(0, at) : bytes.map((one, index) => (index === at ? byte : one));
          const [our, their] = [ours(broken, kind), await theirs(oracle, broken, kind)];
          if (!isComparable(our, their)) return;
          expect([our.ok, our.object], `${our.error} ${their.error}`).toEqual([their.ok, their.object]);
        },
      ),
      { numRuns: 300, seed: 7 },
    );
  });
});

/**
 * The library names fields as in its sources, decodes some values lazily, and validates the entries of maps less
 * strictly; invalid UTF-8 is replaced differently.
 */
function isComparable(our: Decoded, their: Decoded): boolean {
  const texts = `${our.error} ${their.error}`;
  if (/for field|time is out of range|not JSON|quantit|json: |not finite|Entry/.test(texts)) return false;
  return !JSON.stringify([our.object, their.object]).includes('\ufffd');
}

/** A null is an absent value or a time that was never set: no client can distinguish them. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

/** By name, the text of a message and of all that it contains. */
function messagesIn(message: Message, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (found.has(message.name)) return found;
  found.set(message.name, textOf(message));
  for (const { type } of message.fields) if (type.kind === 'message') messagesIn(type.message(), found);
  return found;
}

/** The oracle distinguishes the events of `events.k8s.io` from those of the core group, which no kind contains. */
function withoutPackage(text: string): string {
  return text.replaceAll('events.', '');
}

/** A message in the notation of `message.ts`. */
function textOf({ fields }: Message): string {
  return fields.map(fieldText).join(', ');
}

const MARKS = { single: ['', ''], optional: ['?', ''], list: ['[', ']'], map: ['{', '}'] } as const;

function fieldText({ number, name, shape, type, isAlwaysShown }: Field): string {
  if (shape === 'inline') return `${number} ...${type.of}`;
  const [before, after] = MARKS[shape];
  return `${number} ${name} ${before}${type.of}${after}${isAlwaysShown ? '!' : ''}`;
}
