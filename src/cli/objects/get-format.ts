/** Output formats of `get` apart from a table. A file of its own, so that help loads nothing else. */
export const GET_FORMATS = ['wide', 'yaml', 'json', 'name'] as const;
export type GetFormat = (typeof GET_FORMATS)[number];
