import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rehearsedAccount, rehearsedRegion } from '../../lib/rehearsal/engine/app/template.ts';
import type { Emulator } from '../emulator/emulator.ts';

/** The roles of a stack, by the profile that assumes each. */
export type Roles = Readonly<Record<string, string>>;

/**
 * Writes AWS settings in which each profile assumes a role, as an operator's own settings do.
 *
 * @returns the environment in which `--profile` finds them, and in which there are no other credentials
 */
export async function writeProfiles(emulator: Emulator, folder: string, roles: Roles): Promise<NodeJS.ProcessEnv> {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, ...environment } = emulator.environment;
  const [config, credentials] = [join(folder, 'aws-config'), join(folder, 'aws-credentials')];
  const profiles = Object.entries(roles).map(
    ([profile, role]) =>
      `[profile ${profile}]\nrole_arn = arn:aws:iam::${rehearsedAccount}:role/${role}\nsource_profile = account\nregion = ${rehearsedRegion}\n`,
  );
  await writeFile(config, profiles.join('\n'));
  await writeFile(credentials, `[account]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`);
  return { ...environment, AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: credentials };
}
