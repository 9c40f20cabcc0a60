/** The environment variable that tells a sandbox which runtime the template names: 22 of `nodejs22.x`. The function does not see it. */
export const RUNTIME_OF_NODE = 'PAWL_RUNTIME_OF_NODE';

/** The last runtime of Lambda whose handlers may respond by a function. From the next one on, what a handler returns is the response. */
export const LAST_OF_CALLBACKS = 22;
