import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expectOptions, type NamesOf } from 'pawl/kernel';
import type { Rehearsal } from '../rehearsal.ts';
import type {
  App,
  AppBucket,
  AppEventBus,
  AppFunction,
  AppSchedule,
  AppTable,
  AppTopic,
  EventOptions,
  Intended,
  PublishOptions,
} from './app.ts';
import { apiOf } from './app-api.ts';
import { queueOf } from './app-queue.ts';
import { itemsOf } from './effects.ts';
import { meant } from './find.ts';
import { again, begin, docs, enqueue, intend, type Sending, type Sent } from './sending.ts';

const intended: NamesOf<Intended> = { intent: true, effects: true };
const publishOptions: NamesOf<PublishOptions> = {
  ...intended,
  subject: true,
  attributes: true,
  groupId: true,
  deduplicationId: true,
};

const eventOptions: NamesOf<EventOptions> = { ...intended, source: true, detailType: true };

type Stack = Sending['rehearsal']['stacks'][number];

/** The app, for a rehearsal file. */
export function appOf(state: Sending): App {
  const { rehearsal } = state;
  const { stacks } = rehearsal;
  const consumedArns = new Set(stacks.flatMap(({ consumers }) => consumers.map(({ queue }) => queue.arn)));
  const deadLetterArns = new Set(stacks.flatMap(({ queues }) => queues.map(({ deadLetterArn }) => deadLetterArn)));
  const all = <Item>(of: (stack: Stack) => readonly Item[]) => stacks.flatMap(of);
  const isSource = ({ arn }: Stack['queues'][number]) => consumedArns.has(arn) && !deadLetterArns.has(arn);
  return {
    queue: (construct) =>
      queueOf(
        state,
        meant(
          all((stack) => stack.queues),
          construct,
          'queue',
          isSource,
        ),
      ),
    api(construct) {
      const found = meant(
        all((stack) => stack.apis),
        construct,
        'HTTP API',
      );
      return apiOf(state, found.construct, found.server.endpoint);
    },
    table: (construct) =>
      tableOf(
        state,
        meant(
          all((stack) => stack.tables),
          construct,
          'table',
        ).name,
      ),
    topic: (construct) => topicOf(state, construct),
    eventBus: (construct) => eventBusOf(state, construct),
    bucket: (construct) => bucketOf(state, construct),
    schedule: (construct) => scheduleOf(state, construct),
    function: (construct) => functionOf(state, construct),
    announce(options) {
      expectOptions(options, { door: 'announce', known: intended, docs: docs });
      intend(state, options, 'announce');
    },
    dynamo: rehearsal.dynamo,
    sqs: rehearsal.sqs.client,
  };
}

/** Checks a send that has no options of its own, and takes note of it. */
function takeOf(state: Sending, options: Intended, how: string): () => Sent {
  return () => {
    const door = how.slice(0, how.indexOf(' '));
    expectOptions(options, { door, known: intended, docs: docs });
    return intend(state, options, how);
  };
}

/** A topic, for its publisher. */
function topicOf(state: Sending, construct: string): AppTopic {
  const topic = state.rehearsal.topic(construct);
  return {
    publish(message, given) {
      const { intent, effects, ...options } = given;
      const take = () => {
        expectOptions(given, { door: 'publish', known: publishOptions, docs: docs });
        intend(state, given, `publish to ${topic.construct}`);
      };
      const publish = async (how: string) => {
        await topic.publish(typeof message === 'string' ? message : JSON.stringify(message), options);
        state.stats.messages += 1;
        state.journal.add([intent], { kind: 'asked', how: `published to ${topic.construct}${how}` });
      };
      return begin(state, take, async () => {
        await enqueue(state, () => publish(''), undefined);
        again(state, intent, topic.construct, () => publish(' AGAIN'));
      });
    },
  };
}

/** An event bus, for those who put events. */
function eventBusOf(state: Sending, construct: string): AppEventBus {
  const bus = state.rehearsal.eventBus(construct);
  return {
    put(detail, given) {
      const { intent, effects, ...options } = given;
      const take = () => {
        expectOptions(given, { door: 'put', known: eventOptions, docs: docs });
        intend(state, given, `put on ${bus.construct}`);
      };
      const put = async (how: string) => {
        await bus.put(detail, options);
        state.stats.messages += 1;
        state.journal.add([intent], { kind: 'asked', how: `put on ${bus.construct}${how}` });
      };
      return begin(state, take, async () => {
        await enqueue(state, () => put(''), undefined);
        again(state, intent, bus.construct, () => put(' AGAIN'));
      });
    },
  };
}

/** A bucket, for the one who puts objects into it. */
function bucketOf(state: Sending, construct: string): AppBucket {
  const bucket = state.rehearsal.bucket(construct);
  return {
    put(key, body, options) {
      const put = async (how: string) => {
        await bucket.put(key, body);
        state.stats.messages += 1;
        state.journal.add([options.intent], { kind: 'asked', how: `put ${key} into ${bucket.construct}${how}` });
      };
      return begin(state, takeOf(state, options, `put into ${bucket.construct}`), async () => {
        await enqueue(state, () => put(''), undefined);
        again(state, options.intent, bucket.construct, () => put(' AGAIN'));
      });
    },
    get: (key) => bucket.get(key),
  };
}

/** A schedule, for its clock. */
function scheduleOf(state: Sending, construct: string): AppSchedule {
  const schedule = state.rehearsal.schedule(construct);
  return {
    run(options) {
      const send = schedule.due();
      const run = async (how: string) => {
        await send();
        state.stats.messages += 1;
        state.journal.add([options.intent], { kind: 'asked', how: `${schedule.construct} is due${how}` });
      };
      return begin(state, takeOf(state, options, `run ${schedule.construct}`), async () => {
        await enqueue(state, () => run(''), undefined);
        again(state, options.intent, schedule.construct, () => run(' AGAIN'));
      });
    },
  };
}

/** A table, for those who write its items. */
function tableOf(state: Sending, name: string): AppTable {
  return {
    name,
    put(item, options) {
      const put = async () => {
        await state.documents.send(new PutCommand({ TableName: name, Item: { ...item } }));
        state.stats.messages += 1;
        state.journal.add([options.intent], { kind: 'asked', how: `put into ${name}` });
      };
      return begin(state, takeOf(state, options, `put into ${name}`), () => enqueue(state, put, undefined));
    },
    items: () => itemsOf(state.documents, name),
  };
}

/** A function, for those who invoke it. */
function functionOf(state: Sending, construct: string): AppFunction {
  const { stacks } = state.rehearsal;
  return {
    invoke(event, options) {
      const invoked = async () => {
        const found = await functionIn(stacks, construct);
        state.journal.add([options.intent], { kind: 'asked', how: `invoked ${construct}` });
        return found.invoke(event);
      };
      return begin(state, takeOf(state, options, `invoke ${construct}`), async (sent) => {
        const outcome = await enqueue(state, invoked, { kind: 'crashed' } as const);
        if (outcome.kind === 'response') return outcome.value;
        // As of an API: its client knows that it does not know.
        sent.ended = 'no-response';
        throw new Error(
          outcome.kind === 'error'
            ? `${construct} failed: ${outcome.error.name}: ${outcome.error.message}`
            : `${construct} ${outcome.kind === 'timed-out' ? 'did not respond before its timeout' : 'crashed'}.`,
        );
      });
    },
  };
}

async function functionIn(stacks: Rehearsal['stacks'], construct: string) {
  const problems: unknown[] = [];
  for (const stack of stacks) {
    try {
      return await stack.function(construct);
    } catch (error) {
      problems.push(error);
    }
  }
  throw problems[0];
}
