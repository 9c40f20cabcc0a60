import { type App, Duration } from 'aws-cdk-lib';
import type { AccountSettings } from './accounts.ts';
import type { OrderSettings } from './orders.ts';
import type { PaymentSettings } from './payments.ts';

/** What `cdk deploy -c name=value` may set, for all stacks of the shop. */
export type Settings = OrderSettings & PaymentSettings & AccountSettings;

/**
 * Reads the settings from the context of the app.
 *
 * @throws Error that names the setting, what is expected and what was given
 */
export function readSettings(app: App): Settings {
  return {
    senderAddress: readAddress(app, 'senderAddress', 'orders@example.com'),
    giftCardApiUrl: readUrl(app, 'giftCardApiUrl', 'https://gift-cards.example.com'),
    mailsApiUrl: readUrl(app, 'mailsApiUrl', 'https://mails.example.com'),
    accountsApiUrl: readUrl(app, 'accountsApiUrl', 'https://accounts.example.com'),
    processorApiUrl: readUrl(app, 'processorApiUrl', 'https://processor.example.com'),
    // No signature matches this one: until the processor's key is set, the function refuses every callback with 401.
    processorPublicKey: readKey(app, 'processorPublicKey', 'not set'),
    functionTimeout: readSeconds(app, 'functionTimeoutSeconds', '30'),
  };
}

function readText(app: App, name: string, otherwise: string): string {
  return String(app.node.tryGetContext(name) ?? otherwise);
}

/** In PEM, with line breaks or with `\\n`: of a text with line breaks, `-c` on the command line keeps the first line, in silence. */
function readKey(app: App, name: string, otherwise: string): string {
  const key = readText(app, name, otherwise).replaceAll(String.raw`\n`, '\n');
  if (!key.startsWith('-----BEGIN') || key.includes('-----END')) return key;
  throw new Error(
    `Context ${name} must be a whole key in PEM; got '${key}'. On the command line, write \\n for each line break.`,
  );
}

function readAddress(app: App, name: string, otherwise: string): string {
  const address = readText(app, name, otherwise);
  if (/^[^@\s<>]+@[^@\s<>]+$/.test(address)) return address;
  throw new Error(`Context ${name} must be a bare email address, such as orders@example.com; got '${address}'.`);
}

function readUrl(app: App, name: string, otherwise: string): string {
  const url = readText(app, name, otherwise);
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
  throw new Error(`Context ${name} must be an http or https URL; got '${url}'.`);
}

/** `-c` on the command line makes every value a string; a number comes from cdk.json or CDK_CONTEXT_JSON. */
function readSeconds(app: App, name: string, otherwise: string): Duration {
  const seconds = readText(app, name, otherwise);
  if (/^[1-9]\d*$/.test(seconds) && Number(seconds) <= 900) return Duration.seconds(Number(seconds));
  throw new Error(`Context ${name} must be a whole number from 1 to 900, Lambda's limit; got '${seconds}'.`);
}
