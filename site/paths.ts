import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The pages as VitePress gets them: made from `docs/`, and from what is generated. */
export const pages = fileURLToPath(new URL('../.pawl/site/', import.meta.url));

/** The static site. */
export const outFolder = fileURLToPath(new URL('dist/', import.meta.url));
