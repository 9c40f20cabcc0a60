/*
 * Tests start hundreds of processes that load the same sources. Node strips their types and compiles them once for all of them. A worker itself has started
 * without: at its end it would write all that it has ever loaded, for seconds.
 */

const { PAWL_COMPILED } = process.env;
if (PAWL_COMPILED !== undefined) process.env['NODE_COMPILE_CACHE'] = PAWL_COMPILED;
