/** How data can be printed. Apart from `output.ts`, so that showing the help loads nothing else. */
export const OUTPUT_FORMATS = ['yaml', 'json', 'name', 'summary'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
