import { readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { changedSince, runScenarios, type Said } from './scenarios.ts';

/*
 * node proof/peer/run-scenarios.ts: the column on Powertools of docs/evidence/scenarios.md, by the version that is installed. Ends with 1 where it is otherwise.
 * After `npm install --no-save @aws-lambda-powertools/idempotency@latest …` it says what the next version has changed.
 */

const said: Said = JSON.parse(readFileSync(new URL('../../docs/evidence/scenarios.json', import.meta.url), 'utf8'));
const manifest = new URL('../../node_modules/@aws-lambda-powertools/idempotency/package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));

await using server = await startDynamoDbLocal();
const found = await runScenarios(
  () =>
    new DynamoDBClient({
      endpoint: server.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
);
const changed = changedSince(said, found);
const all = Object.keys(found).length;
const happen = Object.values(found).filter(Boolean).length;
console.log(
  `Powertools ${version}: ${happen} of ${all} scenarios happen. The page says it of ${said.version}, on ${said.date}.`,
);
for (const line of changed) console.log(line);
process.exitCode = changed.length === 0 ? 0 : 1;
