import { noted, rules, type Template, text } from './notes.ts';
import { arn, functionProperties, idsOf, pollingProperties, ref, stackOf } from './resources.ts';
import type { Settings } from './settings.ts';
import { rulesOf } from './statements.ts';

/** A consumer as a template of CloudFormation. The code of the function is where its parameters say. */
export function cloudFormationTemplate(settings: Settings): Template {
  const ids = idsOf(settings);
  const parameters = {
    CodeBucket: { Type: 'String', Description: 'The bucket with the zip file of the handler' },
    CodeKey: { Type: 'String', Description: 'The key of the zip file, with index.mjs or index.js at its top' },
  };
  return stackOf(
    settings,
    { Parameters: parameters },
    {
      [ids.function]: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          ...functionProperties(settings),
          Code: noted([text('An update deploys new code only if the key is another one.')], {
            S3Bucket: ref('CodeBucket'),
            S3Key: ref('CodeKey'),
          }),
        },
      },
      [ids.source]: noted(rules(...rulesOf.source), {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: arn(ids.queue),
          FunctionName: ref(ids.function),
          ...pollingProperties(settings),
        },
      }),
    },
  );
}
