import { cloudFormationTemplate } from './cloudformation.ts';
import type { Template } from './notes.ts';
import { samTemplate } from './sam.ts';
import { serverlessTemplate } from './serverless.ts';
import { settingsOf, type TemplateOptions } from './settings.ts';
import { terraformTemplate } from './terraform.ts';

const writers = {
  sam: samTemplate,
  terraform: terraformTemplate,
  serverless: serverlessTemplate,
  cloudformation: cloudFormationTemplate,
} as const;

export type Format = keyof typeof writers;

/** The tools for which a consumer is printed. */
export const formats = Object.keys(writers) as readonly Format[];

/**
 * A consumer as a template: the claims table, the queue and its dead-letter queue, the function, its role and the event source.
 *
 * @throws {WiringError} when the options contradict each other
 */
export function templateOf(format: Format, options: TemplateOptions = {}): Template {
  return writers[format](settingsOf(options));
}
