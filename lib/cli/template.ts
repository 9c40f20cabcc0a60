import { type Format, WiringError } from 'pawl/deployment';
import { pageAt } from 'pawl/kernel';
import type { Io, Line } from './command.ts';
import type { Values } from './option.ts';
import { type handlers, needsOf } from './options.ts';
import { templateText } from './template-text.ts';

interface Given extends Values<typeof handlers> {
  readonly name: string | undefined;
  readonly fifo: boolean;
  readonly 'function-timeout': number;
  readonly 'visibility-timeout': number | undefined;
  readonly 'batch-size': number;
  readonly 'batching-window': number;
  readonly 'max-concurrency': number | undefined;
  readonly 'retention-days': number;
  readonly 'max-receives': number | undefined;
  readonly 'claims-table': string | undefined;
  readonly workflow: string | undefined;
}

/** What to do with a template that was printed. */
const next: Readonly<Record<Format, string>> = {
  sam: 'Put the bundled handler into dist/, then: sam deploy --guided',
  terraform:
    'Zip the bundled handler, and pass the path of the zip file as the variable <name>_package. Then: terraform apply',
  serverless: 'Put the bundled handler into dist/, then: serverless deploy',
  cloudformation:
    'Upload the zipped handler, then: aws cloudformation deploy --capabilities CAPABILITY_IAM --parameter-overrides CodeBucket=… CodeKey=…',
};

/** `pawl template`. @returns 1 if the options contradict each other */
export async function template(
  { names: [format = 'sam'], options }: Line<Given, Format>,
  { out, error }: Io,
): Promise<number> {
  try {
    out.text(
      templateText(format, {
        name: options.name,
        fifo: options.fifo,
        timeoutSeconds: options['function-timeout'],
        visibilityTimeoutSeconds: options['visibility-timeout'],
        batchSize: options['batch-size'],
        maxBatchingWindowSeconds: options['batching-window'],
        maxConcurrency: options['max-concurrency'],
        retentionSeconds: options['retention-days'] * 86_400,
        maxReceiveCount: options['max-receives'],
        claimsTable: options['claims-table'],
        workflow: options.workflow,
        ...needsOf(options),
      }),
    );
  } catch (problem) {
    if (!(problem instanceof WiringError)) throw problem;
    error.lines(problem.message);
    return 1;
  }
  error.text(`${next[format]}\nMore: ${pageAt('docs/guides/templates.md')}\n`);
  return 0;
}
