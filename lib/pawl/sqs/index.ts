export { eachMessage } from './each-message.ts';
export * from './names.ts';
export { sendOnce } from './send-once.ts';
