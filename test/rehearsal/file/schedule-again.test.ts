import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import type { TrafficOptions } from '../../../lib/rehearsal/file/sending.ts';
import { createTraffic } from '../../../lib/rehearsal/file/traffic.ts';
import { scheduleOf } from '../../../lib/rehearsal/services/schedules/schedules.ts';

test('a schedule that is due again is due at the same time, and its next run at another', async () => {
  const sent: { id: string; time: string }[] = [];
  const destinations = { send: async (_: string, event: { id: string; time: string }) => void sent.push(event) };
  const read = { stack: 'Shop', logicalId: 'Nightly', construct: 'Shop/Nightly', names: [], arn: 'arn:nightly' };
  const timed = { source: 'aws.events', expression: 'rate(1 day)', enabled: true } as const;
  const target = { arn: 'arn:target', input: undefined, groupId: undefined };
  const schedule = scheduleOf({ ...read, ...timed, targets: [target] }, destinations as never);
  const options: Partial<TrafficOptions> = {
    rehearsal: {
      stacks: [],
      sqs: {},
      dynamo: new DynamoDBClient({ region: 'us-east-1' }),
      schedule: () => schedule,
    } as never,
    intents: createIntents(),
    journal: createJournal(),
    plan: { duplicateAfterMs: (intent: string) => (intent === 'night-1' ? 1 : undefined) } as never,
    ...{ effects: ['mail'], isFiltered: false },
  };
  const traffic = createTraffic(options as TrafficOptions);
  void traffic.app.schedule('Nightly').run({ intent: 'night-1' });
  await traffic.settled();
  void traffic.app.schedule('Nightly').run({ intent: 'night-2' });
  await traffic.settled();
  const [first, copy, next] = sent;
  expect(sent).toHaveLength(3);
  expect(copy).toEqual(first);
  expect(next?.time).not.toBe(first?.time);
});
