import { CONSUMER_DEFAULTS } from '../consumer-defaults.ts';
import { noted, rules, type Template, text, type YamlMap } from './notes.ts';
import {
  arn,
  HANDLER_READS,
  idsOf,
  outputs,
  permissionNotes,
  queueResources,
  roleStatements,
  tableResources,
  variables,
} from './resources.ts';
import type { Settings } from './settings.ts';
import { RULES_OF } from './statements.ts';

/** A consumer as a service of the Serverless Framework, version 3 or later, which makes the role and the log group itself. */
export function serverlessTemplate(settings: Settings): Template {
  const { name } = settings;
  const document = {
    service: name,
    frameworkVersion: '>=3',
    provider: {
      name: 'aws',
      runtime: noted(rules(...RULES_OF.runtime), CONSUMER_DEFAULTS.runtime),
      architecture: CONSUMER_DEFAULTS.architecture,
      memorySize: CONSUMER_DEFAULTS.memoryMb,
      logRetentionInDays: CONSUMER_DEFAULTS.logRetentionDays,
      iam: { role: { statements: noted(permissionNotes, roleStatements(settings)) } },
    },
    functions: {
      [functionKey(name)]: {
        handler: noted([text('The bundled handler: dist/index.mjs or dist/index.js.')], 'dist/index.handler'),
        timeout: noted(rules(...RULES_OF.timeout), settings.timeoutSeconds),
        environment: noted([text(HANDLER_READS)], variables(settings)),
        events: noted(rules(...RULES_OF.source), [{ sqs: polling(settings) }]),
      },
    },
    resources: {
      Resources: { ...tableResources(settings), ...queueResources(settings) },
      Outputs: outputsOfService(settings),
    },
  };
  return { kind: 'yaml', document };
}

/** The framework makes the logical id of the function from it, and takes letters and digits only. */
function functionKey(name: string): string {
  return name.split('-').reduce((key, word) => `${key}${word.charAt(0).toUpperCase()}${word.slice(1)}`);
}

function polling(settings: Settings): YamlMap {
  const { batchSize, maxBatchingWindowSeconds, maxConcurrency } = settings;
  return {
    arn: arn(idsOf(settings).queue),
    batchSize: noted(rules(...RULES_OF.batch), batchSize),
    ...(maxBatchingWindowSeconds === 0 ? {} : { maximumBatchingWindow: maxBatchingWindowSeconds }),
    ...(maxConcurrency === undefined
      ? {}
      : { maximumConcurrency: noted(rules(...RULES_OF.maxConcurrency), maxConcurrency) }),
    functionResponseType: noted(rules(...RULES_OF.partialResponses), 'ReportBatchItemFailures'),
  };
}

/** The framework's own stack has no logical id of the function that would be known here: its name is `<service>-<stage>-<function>`. */
function outputsOfService(settings: Settings): YamlMap {
  const { [`${idsOf(settings).function}Name`]: _named, ...others } = outputs(settings);
  return others;
}
