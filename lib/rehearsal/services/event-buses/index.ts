import type { RequestListener } from 'node:http';
import { list, record } from '../../engine/app/template.ts';
import { readBody, sendJson } from '../../engine/http.ts';
import { type Part, part } from '../../engine/parts.ts';
import type { Service } from '../../engine/service.ts';
import { type EventDelivery, type Put, putEvents } from './put-events.ts';
import { type ProvisionedBus, readBuses, readRules } from './read-buses.ts';
import { types } from './rules.ts';

/** How an event is put on a bus. */
interface PutOptions {
  readonly source: string;
  readonly detailType: string;
}

/** An event bus of EventBridge. */
export interface RehearsedBus extends ProvisionedBus {
  /** Puts an event, past all faults of requests. */
  put(detail: object, options: PutOptions): Promise<void>;
}

/** What stands for the host of EventBridge. */
const host = 'events.amazonaws.com';

/** Event buses of EventBridge, and their rules with a pattern. */
export const eventBuses: Service<Part<'eventBus', RehearsedBus, RehearsedBus>, EventDelivery, 'eventbridge'> = {
  types: types,
  page: [
    '| event bus | `PutEvents` of functions, also to the default bus | other operations, archives, events of AWS itself and of partners | |',
    '| rule with a pattern | every comparison that the rehearsal knows; functions, queues and topics as targets | other targets, retry policies and dead-letter queues of targets | input paths and transformers; a comparison that it does not know |',
  ],
  finds: { eventBus: 'event bus' },
  endpoint: { name: 'eventbridge', title: 'EventBridge', server: (_, addressOf) => addressOf(host) },
  async provision({ reading, canSendTo }) {
    const [buses, rules] = [readBuses(reading), readRules(reading, canSendTo)];
    return {
      async start({ doors, destinations }, faults) {
        const put: Put = (entries) => putEvents(entries, rules, { destinations, faults });
        doors.open(host, listenerOf(put));
        return buses.map((bus) => part('eventBus', { ...bus, put: putOn(bus, put) }));
      },
    };
  },
};

function putOn({ arn, construct }: ProvisionedBus, put: Put): RehearsedBus['put'] {
  return async (detail, { source, detailType }) => {
    const entry = { EventBusName: arn, Source: source, DetailType: detailType, Detail: JSON.stringify(detail) };
    const { body } = await put([entry]);
    if (body['FailedEntryCount'] !== 0) throw new Error(`${construct} took no event: ${JSON.stringify(body)}`);
  };
}

function listenerOf(put: Put): RequestListener {
  return (request, response) => {
    const answer = async () => {
      const body = await readBody(request);
      const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
      const { status, body: answered } =
        operation === 'PutEvents'
          ? await put(list(record(JSON.parse(body.toString('utf8')))['Entries']).map(record))
          : refusalOf(operation);
      await sendJson(response, status, answered);
    };
    answer().catch(() => response.destroy());
  };
}

function refusalOf(operation: string) {
  const message = `A rehearsal has event buses for PutEvents, and not for ${operation}. Rules come from the templates of the app.`;
  return { status: 400, body: { __type: 'NotRehearsed', message } };
}
