import { bytesOf } from '../../kernel/text.ts';
import { keyAttribute } from '../../payload/sent-key.ts';
import type { OutboxRecord } from '../record.ts';

/** An attribute of a message, as SQS and SNS have it. */
export interface TextAttribute {
  readonly DataType: 'String' | 'Number';
  readonly StringValue: string;
}

/** The attribute with which the extended clients of AWS mark a body that is in S3: its size. */
const largeMark = 'ExtendedPayloadSize';

type Attributed = Pick<OutboxRecord, 'key' | 'attributes' | 'largeBytes'>;

/** The attributes that a message is sent with: the author's, its key, and that its body is in S3. */
export function attributesFor({ key, attributes, largeBytes }: Attributed): Record<string, TextAttribute> {
  const texts = Object.entries({ ...attributes, [keyAttribute]: key });
  return {
    ...Object.fromEntries(texts.map(([name, StringValue]) => [name, { DataType: 'String', StringValue } as const])),
    ...(largeBytes !== undefined && { [largeMark]: { DataType: 'Number', StringValue: String(largeBytes) } }),
  };
}

/** What SQS and SNS count for the attributes of a message. */
export function bytesOfAttributes(message: Attributed): number {
  return Object.entries(attributesFor(message)).reduce(
    (sum, [name, { DataType, StringValue }]) => sum + bytesOf(name) + bytesOf(DataType) + bytesOf(StringValue),
    0,
  );
}

/** What is wrong with the author's attributes; nothing where nothing is. */
export function problemOfAttributes({ attributes = {} }: Attributed) {
  const wrong = Object.entries(attributes).find(([, value]) => typeof value !== 'string' || value === '');
  if (wrong !== undefined) return { option: `attributes.${wrong[0]}`, expected: 'a text', came: wrong[1] };
  return Object.hasOwn(attributes, keyAttribute)
    ? {
        option: `attributes.${keyAttribute}`,
        expected: 'none: the key of the message stands there',
        came: attributes[keyAttribute],
      }
    : undefined;
}
