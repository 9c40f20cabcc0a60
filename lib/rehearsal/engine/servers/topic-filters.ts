import type { BuildAppOptions } from 'fauxqs';
import { jsonIn, list, record } from '../app/template.ts';
import { matchesPattern } from '../event-pattern.ts';

/*
 * The filters of subscriptions. fauxqs looks into no list: neither into the `Records` of an event of S3, nor into an attribute of type
 * String.Array. It would drop what SNS delivers, and the rehearsal would call that lost.
 */

type Stores = NonNullable<BuildAppOptions['stores']>;
type Queue = ReturnType<Stores['sqsStore']['createQueue']>;
type Message = Parameters<Queue['enqueue']>[0];
type Json = Readonly<Record<string, unknown>>;

interface Filter {
  readonly policy: Json;
  readonly isForBody: boolean;
}

/** An attribute as SNS has it in a notification. */
interface Attribute {
  readonly Type: string;
  readonly Value: string;
}

interface Published {
  readonly message: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** Filters what a topic of these stores delivers, in place of fauxqs. */
export function withTopicFilters({ snsStore, sqsStore }: Stores): void {
  const filters = new Map<string, Filter>();
  const subscribe = snsStore.subscribe.bind(snsStore);
  snsStore.subscribe = (...given) => {
    const subscription = subscribe(...given);
    const { FilterPolicy, FilterPolicyScope } = subscription?.attributes ?? {};
    if (subscription === undefined || FilterPolicy === undefined) return subscription;
    filters.set(subscription.arn, {
      policy: record(jsonIn(FilterPolicy)),
      isForBody: FilterPolicyScope === 'MessageBody',
    });
    delete subscription.attributes['FilterPolicy'];
    return subscription;
  };
  // A topic looks up a subscription, and then its queue, without a pause in between.
  let asked: ReturnType<typeof snsStore.getSubscription>;
  const subscriptionOf = snsStore.getSubscription.bind(snsStore);
  snsStore.getSubscription = (arn) => {
    asked = subscriptionOf(arn);
    queueMicrotask(() => {
      asked = undefined;
    });
    return asked;
  };
  const queueOf = sqsStore.getQueueByArn.bind(sqsStore);
  sqsStore.getQueueByArn = (arn) => {
    const queue = queueOf(arn);
    const filter = asked?.endpoint === arn ? filters.get(asked.arn) : undefined;
    return queue === undefined || filter === undefined ? queue : behind(filter, queue);
  };
}

/** The queue, for one delivery of a topic. A message that does not pass leaves no trace, such as a deduplication id. */
function behind(filter: Filter, queue: Queue): Queue {
  return new Proxy(queue, {
    get(target, name) {
      if (name === 'recordDeduplication') return () => undefined;
      if (name === 'enqueue') {
        return (message: Message) => {
          if (!filterPasses(filter, publishedIn(message))) return;
          const { messageDeduplicationId: id } = message;
          if (id !== undefined) target.recordDeduplication(id, message.messageId);
          target.enqueue(message);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** What was published, from the message as a queue gets it: raw, or inside of a notification. */
function publishedIn({ body, messageAttributes }: Message): Published {
  const notification = record(jsonIn(body));
  if (notification['Type'] === 'Notification' && typeof notification['Message'] === 'string') {
    const attributes = record(notification['MessageAttributes']);
    return {
      message: notification['Message'],
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => {
          const { Type, Value } = record(value);
          return [name, { Type: String(Type), Value: String(Value) }];
        }),
      ),
    };
  }
  const attributes = Object.entries(messageAttributes).map(
    ([name, { DataType, StringValue = '' }]): [string, Attribute] => [name, { Type: DataType, Value: StringValue }],
  );
  return { message: body, attributes: Object.fromEntries(attributes) };
}

/** Whether a subscription gets what was published. A filter for the body takes no text that is no JSON object. */
function filterPasses({ policy, isForBody }: Filter, { message, attributes }: Published): boolean {
  if (!isForBody) return attributesMatch(policy, attributes);
  const body = jsonIn(message);
  return typeof body === 'object' && body !== null && !Array.isArray(body) && matchesPattern(policy, body);
}

function attributesMatch(policy: Json, attributes: Readonly<Record<string, Attribute>>): boolean {
  return Object.entries(policy).every(([name, wanted]) => {
    if (name === '$or') return list(wanted).some((one) => attributesMatch(record(one), attributes));
    const attribute = attributes[name];
    return (Array.isArray(wanted) ? wanted : [wanted]).some((one: unknown) => {
      // SNS: a message without any attribute does not match that one of them is absent.
      if (attribute === undefined) return absentMatches(one) && Object.keys(attributes).length > 0;
      return matchesPattern({ [name]: [one] }, { [name]: valueFor(one, attribute) });
    });
  });
}

function absentMatches(wanted: unknown): boolean {
  return record(wanted)['exists'] === false;
}

/** The value of an attribute as a comparison reads it. A number is sent as a text, whatever its type is. */
function valueFor(wanted: unknown, { Type, Value }: Attribute): unknown {
  if (Type.startsWith('String.Array')) return jsonIn(Value) ?? Value;
  const excluded = record(wanted)['anything-but'];
  const isOfNumbers =
    typeof wanted === 'number' ||
    'numeric' in record(wanted) ||
    (Array.isArray(excluded) ? excluded : [excluded]).some((one) => typeof one === 'number');
  const number = Number(Value);
  return isOfNumbers && Value !== '' && !Number.isNaN(number) ? number : Value;
}
