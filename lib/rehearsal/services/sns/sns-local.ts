/** What a message that is published has besides its text. */
export interface PublishOptions {
  readonly subject?: string;
  /** Attributes of the data type `String`. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** The topics of the SQS server, which has SNS as well. Its API is a form: that needs no client. */
export interface SnsLocal {
  createTopic(name: string, attributes: Readonly<Record<string, string>>): Promise<void>;
  subscribe(topicArn: string, queueArn: string, attributes: Readonly<Record<string, string>>): Promise<void>;
  /** Returns the id of the message. */
  publish(topicArn: string, message: string, options?: PublishOptions): Promise<string>;
}

export function snsLocal(endpoint: string): SnsLocal {
  return {
    async createTopic(name, attributes) {
      await call(endpoint, { Action: 'CreateTopic', Name: name, ...entries(attributes) });
    },
    async subscribe(TopicArn, Endpoint, attributes) {
      const asked = { Action: 'Subscribe', TopicArn, Protocol: 'sqs', Endpoint };
      await call(endpoint, { ...asked, ...entries(attributes) });
    },
    async publish(TopicArn, Message, { subject, attributes = {}, groupId, deduplicationId } = {}) {
      const response = await call(endpoint, {
        Action: 'Publish',
        TopicArn,
        Message,
        ...(subject === undefined ? {} : { Subject: subject }),
        ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
        ...(deduplicationId === undefined ? {} : { MessageDeduplicationId: deduplicationId }),
        ...messageAttributes(attributes),
      });
      return /<MessageId>([^<]+)</.exec(response)?.[1] ?? '';
    },
  };
}

async function call(endpoint: string, form: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`The SNS stand-in refused ${form['Action']}: ${text}`);
}

function entries(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const form: Record<string, string> = {};
  for (const [index, [key, value]] of Object.entries(attributes).entries()) {
    form[`Attributes.entry.${index + 1}.key`] = key;
    form[`Attributes.entry.${index + 1}.value`] = value;
  }
  return form;
}

function messageAttributes(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const form: Record<string, string> = {};
  for (const [index, [name, value]] of Object.entries(attributes).entries()) {
    form[`MessageAttributes.entry.${index + 1}.Name`] = name;
    form[`MessageAttributes.entry.${index + 1}.Value.DataType`] = 'String';
    form[`MessageAttributes.entry.${index + 1}.Value.StringValue`] = value;
  }
  return form;
}
