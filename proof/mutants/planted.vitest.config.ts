import { defineConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';
import { plantingPlugin } from './planted.ts';

const { projects = [], ...test } = usual.test ?? {};

/** The usual tests, with the environment's mutant planted. */
export default defineConfig({
  test: {
    ...test,
    // What is kept of an earlier run has another mutant in it, or none.
    fsModuleCache: false,
    projects: projects.map((project) =>
      typeof project === 'object' && 'test' in project
        ? // On a busy machine a test that is only slow must not pass for one that found the mutant.
          { ...project, test: { testTimeout: 30_000, ...project.test }, plugins: [plantingPlugin] }
        : project,
    ),
  },
});
