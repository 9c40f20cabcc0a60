import { bytesOf } from '../../kernel/text.ts';
import { keyAttribute } from '../../payload/sent-key.ts';
import type { Problem } from '../destination.ts';
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

/** SQS takes ten of a message. One is its key, and one says of a body that it is in S3. */
const mostAttributes = 8;

/** What SQS takes as the name of an attribute, and SNS as well. */
const attributeName = /^(?!aws\.|amazon\.)(?!.*\.\.)[\w-](?:[\w.-]{0,254}[\w-])?$/i;

/** What SQS does not take in a text: most control characters, and what is no character. It refuses the message, and SNS delivers it to no queue. */
const untaken = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const taken = 'characters that SQS takes: no control characters but tab and line ends';

/** What is wrong with the author's attributes, or with the key that is sent as one; nothing where nothing is. Found out after the commit, the message would never be sent. */
export function problemOfAttributes({ key, attributes = {} }: Attributed): Problem | undefined {
  const all = Object.entries(attributes);
  const wrong = all.find(([, value]) => typeof value !== 'string' || value === '');
  if (wrong !== undefined) return { option: `attributes.${wrong[0]}`, expected: 'a text', came: wrong[1] };
  if (Object.hasOwn(attributes, keyAttribute)) {
    return {
      option: `attributes.${keyAttribute}`,
      expected: 'none: the key of the message stands there',
      came: attributes[keyAttribute],
    };
  }
  if (all.length > mostAttributes) {
    const expected = `at most ${mostAttributes}: SQS takes ten, one for the key and one for a body in S3`;
    return { option: 'attributes', expected, came: all.length };
  }
  const misnamed = all.find(([name]) => !attributeName.test(name));
  if (misnamed !== undefined) {
    const expected = "names of at most 256 letters, digits, '_', '-' and single dots inside, and none of AWS's own";
    return { option: 'attributes', expected, came: misnamed[0] };
  }
  // Without the texts: they end in logs, and may be personal.
  const unsendable = Object.entries({ ...attributes, [keyAttribute]: key }).find(([, text]) => untaken.test(text));
  if (unsendable === undefined) return undefined;
  const [name] = unsendable;
  return { option: name === keyAttribute ? 'key' : `attributes.${name}`, expected: taken, came: 'others' };
}
