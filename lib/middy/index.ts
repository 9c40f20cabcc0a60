export { type SqsOnceOptions, sqsOnce } from './sqs-once.ts';
