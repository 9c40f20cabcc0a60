/** What the packages of pawl share: words, checks of options, errors. For them alone, in the same version: nothing here is promised to anybody else. */
export { adviceOn, setupOf } from './aws-error.ts';
export { expect, expectFunction, expectWhole } from './check.ts';
export { explained, pageAt } from './error-code.ts';
export { effectKind } from './error-kind.ts';
export { OptionError, RejectedError, RetryableError } from './errors.ts';
export { granting } from './granted.ts';
export type { Host } from './host.ts';
export { callListener } from './listener.ts';
export { plural } from './plural.ts';
export { lineOf, type RecordedError, recordedError } from './recorded-error.ts';
export { expectOptions } from './take-options.ts';
export { propertyOf } from './unknown.ts';
export { type NamesOf, nearestOf } from './unknown-option.ts';
export { visible } from './visible.ts';
