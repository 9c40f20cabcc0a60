import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateEventSourceMappingCommand,
  DeleteEventSourceMappingCommand,
  InvalidParameterValueException,
} from '@aws-sdk/client-lambda';
import { SendMessageCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { record } from '../../lib/rehearsal/engine/app/template.ts';
import { type Fact, finding } from './fact.ts';
import { get, invoke, notesOf, sendErrands } from './probe.ts';
import { ownKeys, visibilitySeconds } from './template.ts';

/** How long the worker defers a message, in seconds: well below the queue's visibility timeout. */
const deferredSeconds = 8;
const rounds = 3;

/** The facts that a function, an event source or a queue has to show. */
export const lambdaFacts: readonly Fact[] = [
  {
    id: 'partiql-permissions',
    fact: 'A PartiQL INSERT needs dynamodb:PartiQLInsert, and that suffices: dynamodb:PutItem does not permit it.',
    matters: 'grantClaims and the printed policies name the PartiQL actions',
    async check(probe) {
      const Statement = `INSERT INTO "${probe.resources.Table}" VALUE {'id': ?}`;
      const under = async (name: string) => {
        const Parameters = [{ S: `${probe.run}#permitted-${name}` }];
        const input = { Statements: [{ Statement, Parameters }] };
        return verdictOn(await invoke(probe, name, { operation: 'BatchExecuteStatement', input }));
      };
      const byStatement = await under(probe.resources.ByStatement);
      const byItem = await under(probe.resources.ByItem);
      const isSo = byStatement === 'carried out' && byItem.includes('AccessDenied');
      return finding(isSo, `with PartiQLInsert: ${byStatement}; with PutItem: ${byItem}`);
    },
  },
  {
    id: 'leading-keys',
    fact: 'A condition on dynamodb:LeadingKeys permits PartiQL INSERTs and UPDATEs and batch reads of the keys that it names, and of no other key, also beside them.',
    matters: 'a role for one operation, in a table that teams share: grantClaims(fn, { operations })',
    async check(probe) {
      const { Table } = probe.resources;
      const insert = (id: string) => ({ Statement: `INSERT INTO "${Table}" VALUE {'id': ?}`, Parameters: [{ S: id }] });
      const update = (id: string) => ({
        Statement: `UPDATE "${Table}" SET rev=2 WHERE id = ?`,
        Parameters: [{ S: id }],
      });
      const ask = async (operation: string, input: object) =>
        verdictsOn(await invoke(probe, probe.resources.ByKey, { operation, input })).join(' and ');
      const [own, beside] = ['own', 'beside'].map((name) => `${ownKeys}${probe.run}-${name}`) as [string, string];
      const other = `theirs#${probe.run}`;
      const statements = (...Statements: readonly object[]) => ask('BatchExecuteStatement', { Statements });
      const read = (...ids: readonly string[]) =>
        ask('BatchGetItem', { RequestItems: { [Table]: { Keys: ids.map((id) => ({ id: { S: id } })) } } });
      const permitted = [await statements(insert(own)), await statements(update(own)), await read(own)];
      const refused = [
        await statements(insert(other)),
        await statements(update(other)),
        await read(other),
        await statements(insert(beside), insert(other)),
        await read(own, other),
      ];
      const written = (await get(probe, other)) !== undefined;
      const isSo =
        permitted.every((verdict) => verdict === 'carried out') &&
        refused.every((verdict) => verdict.includes('AccessDenied')) &&
        !written;
      const seen = `its own: ${permitted.join(', ')}; others: ${refused.join(', ')}, ${written ? 'written' : 'not written'}`;
      return finding(isSo, seen);
    },
  },
  {
    id: 'partial-responses',
    fact: 'Of a batch, a message in batchItemFailures comes again, and the others do not.',
    matters: 'an effect that is confirmed is acknowledged, beside messages that are not',
    async check(probe) {
      for (let round = 0; round < rounds; round += 1) {
        const [done, failed] = [`${probe.run}#done-${round}`, `${probe.run}#failed-${round}`];
        await sendErrands(probe, [{ id: done }, { id: failed, seconds: 2 }]);
        const again = await notesOf(probe, failed, 2);
        if (again.length < 2) return { kind: 'refuted', seen: `the failed message came ${again.length} times` };
        const first = await notesOf(probe, done, 1);
        const together = first.some(({ request }) => request === again[0]?.request);
        if (first.length !== 1) return { kind: 'refuted', seen: `the other message came ${first.length} times` };
        if (together)
          return { kind: 'confirmed', seen: `the failed message came ${again.length} times, the other once` };
      }
      return { kind: 'unknown', seen: `in ${rounds} rounds, the two messages never came in one batch` };
    },
  },
  {
    id: 'deferred-visibility',
    fact: 'A message whose visibility timeout the function has set comes again when that ends, also if the response reports the message as failed.',
    matters: 'a deferred message waits for the end of the lease, and not for the visibility timeout of its queue',
    async check(probe) {
      const id = `${probe.run}#deferred`;
      await sendErrands(probe, [{ id, seconds: deferredSeconds }]);
      const [first, second] = await notesOf(probe, id, 2);
      if (first === undefined) return { kind: 'unknown', seen: 'the message was not delivered' };
      if (second === undefined) return { kind: 'refuted', seen: 'the message did not come again' };
      const seconds = (second.at - first.at) / 1000;
      // The function takes a moment between its note and the change; the two clocks may be of two hosts.
      const isSo = seconds >= deferredSeconds - 1 && seconds < visibilitySeconds / 2;
      return finding(isSo, `set to ${deferredSeconds} s, it came again after ${seconds.toFixed(1)} s`);
    },
  },
  {
    id: 'redrive-new-id',
    fact: 'A message that SQS redrives from a dead-letter queue gets a new message id.',
    matters: 'the message id is no key: the key comes from the body or an attribute',
    async check(probe) {
      const { sqs, resources, run } = probe;
      const id = `${run}#redriven`;
      const { MessageId } = await sqs.send(
        new SendMessageCommand({ QueueUrl: resources.DeadLetters, MessageBody: JSON.stringify({ id }) }),
      );
      await sqs.send(
        new StartMessageMoveTaskCommand({ SourceArn: resources.DeadLettersArn, DestinationArn: resources.QueueArn }),
      );
      const [note] = await notesOf(probe, id, 1);
      if (note === undefined) return { kind: 'unknown', seen: 'the message did not arrive' };
      return finding(note.what !== MessageId, note.what === MessageId ? 'the id stayed' : 'the id is another one');
    },
  },
  {
    id: 'timeout-above-visibility',
    fact: 'Lambda refuses an event source whose queue has a visibility timeout below the timeout of the function.',
    matters: 'wiring that AWS lets through, pawl has to refuse itself',
    async check({ lambda, resources }) {
      try {
        const { UUID } = await lambda.send(
          new CreateEventSourceMappingCommand({
            FunctionName: resources.Worker,
            EventSourceArn: resources.ShortQueueArn,
            Enabled: false,
          }),
        );
        // It is no part of the stack, and would outlive it.
        await lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
        return { kind: 'refuted', seen: 'Lambda accepted it' };
      } catch (error) {
        if (!(error instanceof InvalidParameterValueException)) throw error;
        return { kind: 'confirmed', seen: error.name };
      }
    },
  },
  {
    id: 'stream',
    fact: 'The stream brings every change of a record, in its sequence, with the image before and the image after.',
    matters: 'what reads the changes of claims sees each of them',
    async check(probe) {
      const id = `stream#${probe.run}`;
      for (const rev of ['1', '2']) {
        const Item = { id: { S: id }, rev: { N: rev } };
        await probe.dynamo.send(new PutItemCommand({ TableName: probe.resources.Table, Item }));
      }
      const seen = (await notesOf(probe, id, 2)).map(({ what }) => what);
      const isSo = seen[0] === 'INSERT new' && seen.includes('MODIFY old new');
      return finding(isSo, seen.length === 0 ? 'no change arrived' : seen.join(', '));
    },
  },
];

/** What became of a batch of one statement, under a function's role. A refusal may be of the request, or of the statement. */
function verdictOn(answer: Readonly<Record<string, unknown>>): string {
  return verdictsOn(answer)[0] ?? 'no response';
}

/** Of the request, or of each of its statements. */
function verdictsOn(answer: Readonly<Record<string, unknown>>): readonly string[] {
  if (answer['error'] !== undefined) return [`${record(answer['error'])['name']}, of the request`];
  const { Responses } = record(answer['output']);
  // Those of a read are by table.
  if (!Array.isArray(Responses)) return ['carried out'];
  return Responses.map((response) => {
    const { Error: error } = record(response);
    return error === undefined ? 'carried out' : `${record(error)['Code']}, of the statement`;
  });
}
