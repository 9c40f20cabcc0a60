import { propertyOf } from '../../kernel/unknown.ts';
import { keyAttribute } from '../sent-key.ts';
import { documentIn, type Envelope, type MessageAttribute, unexpected } from './envelope.ts';
import { memberText } from './member-text.ts';
import { isEventBridgeEvent, textOf } from './shapes.ts';

/**
 * Opens an event of EventBridge: the body is its `detail`. Not for a rule with an input transformer, which sends something else.
 *
 * A key that was sent in the `detail`, as an outbox does, is found by `sentKey()`. The handler finds `source`, `detailType`, `id`, `time` and the rest in `message.metadata.eventBridge`.
 *
 * @example
 * export const handler = eachMessage(
 *   { operation: 'send-email', store, envelope: eventBridgeEnvelope(), key: bodyField('orderId'), onAbandoned: 'park' },
 *   async ({ body, metadata }) => console.log(metadata.eventBridge?.detailType, body),
 * );
 */
export function eventBridgeEnvelope(): Envelope {
  return {
    name: 'eventBridgeEnvelope()',
    several: false,
    open({ content, messageAttributes, metadata }) {
      const expected = 'an EventBridge event';
      const { text, json } = documentIn(content, expected);
      if (!isEventBridgeEvent(json)) throw unexpected(expected, 'JSON without its source, detail-type and detail');
      const resources = propertyOf(json, 'resources');
      const eventBridge = {
        id: textOf(json, 'id'),
        source: json.source,
        detailType: json['detail-type'],
        account: textOf(json, 'account'),
        region: textOf(json, 'region'),
        time: textOf(json, 'time'),
        resources: Array.isArray(resources) ? resources.filter((one) => typeof one === 'string') : [],
        replayName: textOf(json, 'replay-name'),
      };
      // The text that was sent: numbers that a double cannot hold would be rounded, and two intents would be one.
      const detail = memberText(text, 'detail') ?? '';
      return [
        {
          content: { kind: 'text', text: detail },
          messageAttributes: { ...messageAttributes, ...sentKeyIn(json.detail) },
          metadata: { ...metadata, eventBridge },
        },
      ];
    },
  };
}

/** The key that an outbox has put into the detail, as an attribute: an event has none. */
function sentKeyIn(detail: unknown): Record<string, MessageAttribute> {
  const stringValue = textOf(detail, keyAttribute);
  return stringValue === undefined ? {} : { [keyAttribute]: { dataType: 'String', stringValue } };
}
