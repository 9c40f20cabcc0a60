import { fileURLToPath } from 'node:url';
import type { CdkApp } from '../../lib/rehearsal/engine/app/synthesize.ts';

/** The folder that holds `bin/`, `lib/` and `lambda/`. */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** The app that `cdk deploy` deploys. */
export const APP: CdkApp = { command: [process.execPath, 'bin/app.ts'], folder: PROJECT };
