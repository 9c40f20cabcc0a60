import type { Service } from '../../engine/service.ts';
import { types } from './rules.ts';

/** Functions. The engine itself reads and runs them: here is what their templates may say. */
export const lambda: Service = {
  types: types,
  page: [
    '| function | Node, from a folder, a zip file or inline; ES modules and CommonJS; environment, timeout, memory, reserved concurrency; versions and aliases | layers, other runtimes, containers, functions of custom resources | |',
    '| event of a function | two retries or as configured, destinations, dead-letter queue. The waits are short | | |',
  ],
};
