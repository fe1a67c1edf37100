/** How `get` can print, apart from a table. Alone here, so that showing the help loads nothing else. */
export const GET_FORMATS = ['wide', 'yaml', 'json', 'name'] as const;
export type GetFormat = (typeof GET_FORMATS)[number];
