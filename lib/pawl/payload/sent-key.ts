/** Where the producer of a message puts its key: a message attribute of SQS and of SNS, and a field in the `detail` of an event of EventBridge. */
export const keyAttribute = 'idempotency-key';
