import { fileURLToPath } from 'node:url';
import type { CdkApp } from '../../lib/rehearsal/engine/app/synthesize.ts';

/** The folder that holds `bin/`, `lib/` and `lambda/`. */
export const project = fileURLToPath(new URL('../../', import.meta.url));

/** The app that `cdk deploy` deploys. */
export const shopApp: CdkApp = { command: [process.execPath, 'bin/app.ts'], folder: project };
