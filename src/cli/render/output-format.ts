/** Output formats. A file of its own, so that help loads nothing else. */
export const OUTPUT_FORMATS = ['yaml', 'json', 'name', 'summary'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
