/** Envelopes as AWS documents them, for tests without the services themselves. */

/** As SNS sends on to a queue what was published. @param body is sent as JSON, unless it is a text */
export function snsNotification(body: unknown, over: Readonly<Record<string, unknown>> = {}) {
  return {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: 'arn:aws:sns:us-east-1:123456789012:orders',
    Message: typeof body === 'string' ? body : JSON.stringify(body),
    Timestamp: '2026-11-21T09:30:00.000Z',
    SignatureVersion: '1',
    Signature: 'EXAMPLE',
    SigningCertURL: 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem',
    UnsubscribeURL:
      'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn:aws:sns:us-east-1:123456789012:orders:c9135db0',
    ...over,
  };
}

/** As a rule of EventBridge sends an event to a queue. */
export function eventBridgeEvent(detail: unknown, over: Readonly<Record<string, unknown>> = {}) {
  return {
    version: '0',
    id: '17793124-05d4-b198-2fde-7ededc63b103',
    'detail-type': 'Order placed',
    source: 'shop.orders',
    account: '123456789012',
    time: '2026-11-21T09:30:00Z',
    region: 'us-east-1',
    resources: ['arn:aws:states:us-east-1:123456789012:stateMachine:orders'],
    detail,
    ...over,
  };
}

/** One record of a notification of S3's. @param key as S3 sends it, in the form of a URL */
export function s3Record(key: string, object: Readonly<Record<string, unknown>> = {}) {
  return {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: 'us-east-1',
    eventTime: '2026-11-21T09:30:00.000Z',
    eventName: 'ObjectCreated:Put',
    userIdentity: { principalId: 'AWS:AIDAJDPLRKLG7UEXAMPLE' },
    requestParameters: { sourceIPAddress: '127.0.0.1' },
    responseElements: {
      'x-amz-request-id': 'C3D13FE58DE4C810',
      'x-amz-id-2': 'FMyUVURIY8/IgAtTv8xRjskZQpcIZ9KG4V5Wp6S7S/JRWeUWerMUE5JgHvANOjpD',
    },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: 'uploads',
      bucket: { name: 'uploads', ownerIdentity: { principalId: 'A3NL1KOZZKExample' }, arn: 'arn:aws:s3:::uploads' },
      object: {
        key,
        size: 1024,
        eTag: 'd41d8cd98f00b204e9800998ecf8427e',
        versionId: '096fKKXTRTtl3on89fVO.nfljtsv6qko',
        sequencer: '0055AED6DCD90281E5',
        ...object,
      },
    },
  };
}

export const s3TestEvent = {
  Service: 'Amazon S3',
  Event: 's3:TestEvent',
  Time: '2026-11-21T09:30:00.000Z',
  Bucket: 'uploads',
  RequestId: '5582815E1AEA5ADF',
  HostId: '8cLeGAmw098X5cv4Zkwcmo8vvZa3eH3eKxsPzbB9wrR+YstdA6Knx4Ip8EXAMPLE',
};
