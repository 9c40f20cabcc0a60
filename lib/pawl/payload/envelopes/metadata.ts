/** What the envelopes of a message say about it, by the service that made the envelope. Empty without an envelope. */
export interface Metadata {
  /** Of `snsEnvelope()`. */
  readonly sns?: SnsMetadata;
  /** Of `eventBridgeEnvelope()`. */
  readonly eventBridge?: EventBridgeMetadata;
  /** Of `s3Events()`. */
  readonly s3?: S3Metadata;
  /** Of `largePayload()`, if the payload was in S3. */
  readonly largePayload?: LargePayloadMetadata;
}

/** What a notification of SNS says about what was published. */
export interface SnsMetadata {
  readonly topicArn: string;
  /** SNS's id of this publication: another one if the producer publishes twice. */
  readonly messageId: string | undefined;
  readonly subject: string | undefined;
  /** When it was published, ISO 8601. */
  readonly timestamp: string | undefined;
}

/** What an event of EventBridge says about its `detail`. */
export interface EventBridgeMetadata {
  /** EventBridge's id of this event: another one if the producer puts it twice. */
  readonly id: string | undefined;
  readonly source: string;
  readonly detailType: string;
  readonly account: string | undefined;
  readonly region: string | undefined;
  /** ISO 8601. */
  readonly time: string | undefined;
  readonly resources: readonly string[];
  /** The name of the replay, if it comes from an archive. */
  readonly replayName: string | undefined;
}

/** What a record of a notification of S3 says about its object. */
export interface S3Metadata {
  readonly bucket: string;
  /** The object's key, decoded: S3 sends it as in a URL. */
  readonly key: string;
  readonly region: string | undefined;
  /** ISO 8601. */
  readonly eventTime: string | undefined;
  /** The record as S3 sent it, with what only some kinds of events have. */
  readonly record: unknown;
}

/** Where in S3 the payload of a message was. */
export interface LargePayloadMetadata {
  readonly bucket: string;
  readonly key: string;
}
