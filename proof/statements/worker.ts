import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { nodeHost } from '../../lib/pawl/host.ts';
import { reconcileStatements } from '../../lib/pawl/statements/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { remoteStore } from './remote-store.ts';
import { begin, endOf, operation, settleMs, statementOf, worldOf } from './world.ts';

/** The process that reconciles, and is killed: `node worker.ts lines findings [endpoint table]`. */
const [lines = '0', findings = '0', endpoint, tableName] = process.argv.slice(2);
const world = worldOf(Number(lines), Number(findings));
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const store =
  endpoint === undefined
    ? remoteStore()
    : dynamoStore({
        tableName,
        aws: sdk({ dynamodb: new DynamoDBClient({ endpoint, region: 'us-east-1', credentials }) }),
      });

const compared = await reconcileStatements({
  operation,
  store,
  from: begin - settleMs,
  settleMs,
  statement: () => statementOf(world),
  onEvent: () => undefined,
  onProgress: ({ lines: done }) => process.send?.({ kind: 'progress', lines: done }),
  host: { ...nodeHost, now: () => endOf(world) },
});
const found =
  compared.outcome === 'done' ? compared.findings.map(({ kind, claimId }) => `${kind} ${claimId}`).toSorted() : [];
const report = compared.outcome === 'done' ? compared.report : undefined;
// Of the process as a whole, in kilobytes: the largest that it was.
const peakMb = process.resourceUsage().maxRSS / 1024;
process.send?.({ kind: 'done', outcome: compared.outcome, found, report, peakMb }, () => process.exit());
