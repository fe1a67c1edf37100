/**
 * How messages are written down: which field has which number, which name in JSON, and which type.
 *
 * A table has an entry per message, with its fields in the order in which JSON shows them: `2 data {string}`. A type
 * is a scalar (`string`, `bytes`, `bool`, `int`, `long`, `double`), a message, or one of the forms of `forms.ts`, which look
 * different in JSON. Around it, `[x]` is a list, `{x}` a map from texts, and `?x` may be absent. All else has a value
 * even where nothing was sent. JSON leaves out scalars that are zero, empty lists and empty maps, unless the type
 * ends in `!`. The fields of `...X` stand among those of the message itself.
 */
export type FieldTable = { readonly [message: string]: string };
