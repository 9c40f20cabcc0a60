import { noted, rules, type Template, text } from './notes.ts';
import { arn, functionProperties, idsOf, pollingProperties, stackOf } from './resources.ts';
import type { Settings } from './settings.ts';
import { rulesOf } from './statements.ts';

/**
 * A consumer as a template of AWS SAM. The role is written out: the one that SAM would make has managed policies, which permit the same on every
 * queue and every log group of the account.
 */
export function samTemplate(settings: Settings): Template {
  const ids = idsOf(settings);
  return stackOf(
    settings,
    { Transform: 'AWS::Serverless-2016-10-31' },
    {
      [ids.function]: {
        Type: 'AWS::Serverless::Function',
        Properties: {
          CodeUri: noted([text('The folder with the bundled handler, index.mjs or index.js.')], 'dist/'),
          ...functionProperties(settings),
          Events: noted(rules(...rulesOf.source), {
            Queue: { Type: 'SQS', Properties: { Queue: arn(ids.queue), ...pollingProperties(settings) } },
          }),
        },
      },
    },
  );
}
