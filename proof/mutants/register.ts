import { registerHooks } from 'node:module';
import { plantedModule } from './planted.ts';

/** Plants the environment's mutant in a process of Node's: `node --import ./proof/mutants/register.ts`. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.startsWith('file:') || loaded.source == null) return loaded;
    return { ...loaded, source: plantedModule(loaded.source, url) };
  },
});
