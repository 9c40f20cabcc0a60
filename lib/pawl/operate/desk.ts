import { SQSClient } from '@aws-sdk/client-sqs';
import { expectRetention, expectStore } from '../engine/options.ts';
import { nodeHost } from '../host.ts';
import { expect, expectFunction } from '../kernel/check.ts';
import { granted } from '../kernel/granted.ts';
import type { Host } from '../kernel/host.ts';
import { callListener } from '../kernel/listener.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { ClaimRules } from '../rules/decide.ts';
import type { ListsOpenClaims } from '../rules/open-claims.ts';
import type { ClaimStore } from '../rules/store.ts';
import type { OperateEvent } from './events.ts';
import type { OperatorOptions } from './options.ts';
import { docs } from './words.ts';

/** What an operator works with. */
export interface Desk {
  readonly store: ClaimStore & Partial<ListsOpenClaims>;
  readonly host: Host;
  readonly rules: Pick<ClaimRules, 'retentionSeconds'>;
  readonly sqs: () => SQSClient;
  /** Reports an act. Never throws. */
  readonly emit: (event: OperateEvent) => void;
}

const known = {
  store: true,
  sqsClient: true,
  retentionSeconds: true,
  onEvent: true,
  host: true,
} as const satisfies NamesOf<OperatorOptions>;

/** @throws OptionError */
export function openDesk(options: OperatorOptions): Desk {
  expectOptions(options, { door: 'operator', known, docs });
  const { store, retentionSeconds = 'forever', onEvent = report, host = nodeHost } = options;
  const rules = { retentionSeconds: retentionSeconds === 'forever' ? Number.POSITIVE_INFINITY : retentionSeconds };
  expectStore(store);
  expectRetention(rules.retentionSeconds);
  expectFunction('onEvent', 'a function', onEvent);
  const given: unknown = options.sqsClient;
  const isClient = given === undefined || typeof propertyOf(given, 'send') === 'function';
  expect(
    isClient,
    'sqsClient',
    "an SQSClient of the AWS SDK: leanSqs() has a consumer's requests, not an operator's",
    given,
  );
  let client = options.sqsClient;
  return {
    store: granted(store, 'claimsTable.grantOperate(role)'),
    host,
    rules,
    sqs() {
      client ??= defaultClient();
      return client;
    },
    emit: (event) => callListener(onEvent, event),
  };
}

/** A queue's URL may have a host that only AWS resolves, so the endpoint comes from the client. */
function defaultClient(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  });
}

function report({ type, ...facts }: OperateEvent): void {
  console.warn(JSON.stringify({ pawl: type, ...facts }));
}
