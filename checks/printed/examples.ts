import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { templateText } from '../../lib/cli/template-text.ts';
import type { Format } from '../../lib/pawl/deployment/template/print.ts';

/** Writes the examples of `docs/guides/templates.md`: `node checks/printed/examples.ts`. A test compares them with what is printed. */

const folder = fileURLToPath(new URL('../../docs/guides/templates/', import.meta.url));

/** One example for each tool, by its file in `docs/guides/templates/`. */
export const examples: Readonly<Record<string, Format>> = {
  'sam.yaml': 'sam',
  'main.tf': 'terraform',
  'serverless.yml': 'serverless',
  'cloudformation.yaml': 'cloudformation',
};

export function exampleText(format: Format): string {
  return templateText(format, { name: 'send-email' });
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  for (const [file, format] of Object.entries(examples)) writeFileSync(`${folder}${file}`, exampleText(format));
}
