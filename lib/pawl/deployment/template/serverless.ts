import { consumerDefaults } from '../consumer-defaults.ts';
import { noted, rules, type Template, text, type YamlMap } from './notes.ts';
import {
  arn,
  handlerReads,
  idsOf,
  outputs,
  permissionNotes,
  queueResources,
  roleStatements,
  tableResources,
  variables,
} from './resources.ts';
import type { Settings } from './settings.ts';
import { rulesOf } from './statements.ts';

/** A consumer as a service of the Serverless Framework, version 3 or later, which makes the role and the log group itself. */
export function serverlessTemplate(settings: Settings): Template {
  const { name } = settings;
  const document = {
    service: name,
    frameworkVersion: '>=3',
    provider: {
      name: 'aws',
      runtime: noted(rules(...rulesOf.runtime), consumerDefaults.runtime),
      architecture: consumerDefaults.architecture,
      memorySize: consumerDefaults.memoryMb,
      logRetentionInDays: consumerDefaults.logRetentionDays,
      iam: { role: { statements: noted(permissionNotes, roleStatements(settings)) } },
    },
    functions: {
      [functionKey(name)]: {
        handler: noted([text('The bundled handler: dist/index.mjs or dist/index.js.')], 'dist/index.handler'),
        timeout: noted(rules(...rulesOf.timeout), settings.timeoutSeconds),
        environment: noted([text(handlerReads)], variables(settings)),
        events: noted(rules(...rulesOf.source), [{ sqs: polling(settings) }]),
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
    batchSize: noted(rules(...rulesOf.batch), batchSize),
    ...(maxBatchingWindowSeconds === 0 ? {} : { maximumBatchingWindow: maxBatchingWindowSeconds }),
    ...(maxConcurrency === undefined
      ? {}
      : { maximumConcurrency: noted(rules(...rulesOf.maxConcurrency), maxConcurrency) }),
    functionResponseType: noted(rules(...rulesOf.partialResponses), 'ReportBatchItemFailures'),
  };
}

/** The framework's own stack has no logical id of the function that would be known here: its name is `<service>-<stage>-<function>`. */
function outputsOfService(settings: Settings): YamlMap {
  const { [`${idsOf(settings).function}Name`]: _named, ...others } = outputs(settings);
  return others;
}
