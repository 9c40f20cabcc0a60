import { AsyncResource } from 'node:async_hooks';

/** Runs what another worker does: called from inside of a work, it is no part of that work. */
export const elsewhere: <T>(what: () => T) => T = AsyncResource.bind(<T>(what: () => T) => what());
