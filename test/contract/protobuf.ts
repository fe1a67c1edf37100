/**
 * Protobuf as kubectl sends it since 1.32: four bytes, then an envelope with the kind and the object.
 *
 * As much as cases need to write by hand: texts and messages, by the number of their field.
 */
export type Message = readonly (readonly [field: number, value: string | Message])[];

/** The body of a request. */
export function envelope(apiVersion: string, kind: string, object: Message): Uint8Array {
  const type: Message = [
    [1, apiVersion],
    [2, kind],
  ];
  const unknown = Buffer.concat([
    field(1, encode(type)),
    field(2, encode(object)),
    field(3, Buffer.alloc(0)),
    field(4, Buffer.alloc(0)),
  ]);
  return Buffer.concat([Buffer.from('k8s\0'), unknown]);
}

function encode(message: Message): Buffer {
  return Buffer.concat(
    message.map(([number, value]) =>
      field(number, typeof value === 'string' ? Buffer.from(value) : encode(value)),
    ),
  );
}

/** Wire type 2: bytes with their length before them. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
