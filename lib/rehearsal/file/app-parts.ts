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
  const queues = stacks.flatMap((stack) => stack.queues);
  const apis = stacks.flatMap((stack) => stack.apis);
  const tables = stacks.flatMap((stack) => stack.tables);
  const consumedArns = new Set(stacks.flatMap(({ consumers }) => consumers.map(({ queue }) => queue.arn)));
  const deadLetterArns = new Set(queues.map(({ deadLetterArn }) => deadLetterArn));
  const isSource = ({ arn }: Stack['queues'][number]) => consumedArns.has(arn) && !deadLetterArns.has(arn);
  return {
    queue: (construct) => queueOf(state, meant(queues, construct, 'queue', isSource)),
    api(construct) {
      const found = meant(apis, construct, 'HTTP API');
      return apiOf(state, found.construct, found.server.endpoint);
    },
    table: (construct) => tableOf(state, meant(tables, construct, 'table').name),
    topic: (construct) => topicOf(state, construct),
    eventBus: (construct) => eventBusOf(state, construct),
    bucket: (construct) => bucketOf(state, construct),
    schedule: (construct) => scheduleOf(state, construct),
    function: (construct) => functionOf(state, construct),
    announce(options) {
      expectOptions(options, { door: 'announce', known: intended, docs });
      intend(state, options, 'announce');
    },
    dynamo: rehearsal.dynamo,
    sqs: rehearsal.sqs.client,
  };
}

/** Checks a send, and takes note of it. The first word of `how` is what the author has called. */
function takeOf(state: Sending, options: Intended, how: string, known: NamesOf<Intended> = intended): () => Sent {
  return () => {
    expectOptions(options, { door: how.slice(0, how.indexOf(' ')), known, docs });
    return intend(state, options, how);
  };
}

/** What is sent once, and once more if the plan says so. */
interface Repeatable {
  /** The construct that it goes to. */
  readonly to: string;
  readonly take: () => unknown;
  readonly send: () => Promise<unknown>;
  /** What a story says of it. */
  readonly said: string;
}

function sendsTo(state: Sending, options: Intended, { to, take, send, said }: Repeatable): Promise<void> {
  const go = async (how: string) => {
    await send();
    state.stats.messages += 1;
    state.journal.add([options.intent], { kind: 'asked', how: `${said}${how}` });
  };
  return begin(state, take, async () => {
    await enqueue(state, () => go(''), undefined);
    again(state, options.intent, to, () => go(' AGAIN'));
  });
}

/** A topic, for its publisher. */
function topicOf(state: Sending, construct: string): AppTopic {
  const topic = state.rehearsal.topic(construct);
  const to = topic.construct;
  return {
    publish(message, given) {
      const { intent, effects, ...options } = given;
      const text = () => (typeof message === 'string' ? message : JSON.stringify(message));
      return sendsTo(state, given, {
        to,
        take: takeOf(state, given, `publish to ${to}`, publishOptions),
        send: () => topic.publish(text(), options),
        said: `published to ${to}`,
      });
    },
  };
}

/** An event bus, for those who put events. */
function eventBusOf(state: Sending, construct: string): AppEventBus {
  const bus = state.rehearsal.eventBus(construct);
  const to = bus.construct;
  return {
    put(detail, given) {
      const { intent, effects, ...options } = given;
      const said = `put on ${to}`;
      const take = takeOf(state, given, said, eventOptions);
      return sendsTo(state, given, { to, take, send: () => bus.put(detail, options), said });
    },
  };
}

/** A bucket, for the one who puts objects into it. */
function bucketOf(state: Sending, construct: string): AppBucket {
  const bucket = state.rehearsal.bucket(construct);
  const to = bucket.construct;
  return {
    put: (key, body, options) =>
      sendsTo(state, options, {
        to,
        take: takeOf(state, options, `put into ${to}`),
        send: () => bucket.put(key, body),
        said: `put ${key} into ${to}`,
      }),
    get: (key) => bucket.get(key),
  };
}

/** A schedule, for its clock. */
function scheduleOf(state: Sending, construct: string): AppSchedule {
  const schedule = state.rehearsal.schedule(construct);
  const to = schedule.construct;
  return {
    run: (options) =>
      sendsTo(state, options, {
        to,
        take: takeOf(state, options, `run ${to}`),
        send: schedule.due(),
        said: `${to} is due`,
      }),
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
