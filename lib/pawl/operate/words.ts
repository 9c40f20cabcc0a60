/** Where the options of an operator's acts are explained. */
export const docs = 'docs/reference/command-line.md';

/** How far the clock of the worker that holds a claim may be from this one: the default of the consumers. */
export const skewMs = 1000;
