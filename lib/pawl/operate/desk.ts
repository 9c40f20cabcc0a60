import type { SqsTransport } from '../aws/aws.ts';
import { expectRetention, expectStore } from '../engine/options.ts';
import { nodeHost } from '../host.ts';
import { expectFunction } from '../kernel/check.ts';
import { granted } from '../kernel/granted.ts';
import type { Host } from '../kernel/host.ts';
import { hiding } from '../kernel/key-hash.ts';
import { callListener, printEvent } from '../kernel/listener.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { ClaimRules } from '../rules/decide.ts';
import type { ListsOpenClaims } from '../rules/open-claims.ts';
import { knowsRestore } from '../rules/restored.ts';
import type { ClaimStore } from '../rules/store.ts';
import { sqsOf } from '../sqs/sqs-of.ts';
import { withListing } from '../stores/listing.ts';
import type { OperateEvent } from './events.ts';
import type { OperatorOptions } from './options.ts';
import { docs } from './words.ts';

/** What an operator works with. */
export interface Desk {
  readonly store: ClaimStore & Partial<ListsOpenClaims>;
  readonly host: Host;
  readonly rules: Pick<ClaimRules, 'retentionSeconds'>;
  readonly sqs: SqsTransport;
  /** Reports an act. Never throws. */
  readonly emit: (event: OperateEvent) => void;
}

const known = {
  store: true,
  aws: true,
  retentionSeconds: true,
  hideKeys: true,
  onEvent: true,
  host: true,
} as const satisfies NamesOf<OperatorOptions>;

const grant = 'claimsTable.grantOperate(role)';
/** An operator's role makes no claim. */
const restoring = 'claimsTable.grantRestore(role)';

/** @throws OptionError */
export function openDesk(options: OperatorOptions): Desk {
  expectOptions(options, { door: 'operator', known, docs });
  const { store, retentionSeconds = 'forever', onEvent = printEvent, host = nodeHost, hideKeys } = options;
  const rules = { retentionSeconds: retentionSeconds === 'forever' ? Infinity : retentionSeconds };
  expectStore(store);
  expectRetention(rules.retentionSeconds);
  expectFunction('onEvent', 'a function', onEvent);
  return {
    store: granted(
      withListing(store),
      knowsRestore(store) ? `${grant}, and for a key without a record ${restoring}` : grant,
    ),
    host: hiding(host, hideKeys),
    rules,
    sqs: sqsOf('operator', options),
    emit: (event) => callListener(onEvent, event),
  };
}
