import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchGetItemCommandOutput,
  GetItemCommandOutput,
  PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { fromItem, type Item } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { idOf } from '../dynamodb/table.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Heard } from '../parts.ts';

/** What each sandbox knows, because the table has said so, of the claims that it holds. */
export interface Grants {
  wrote(writer: Sandbox, from: ClaimRecord | undefined, to: ClaimRecord): void;
  /** An answer has arrived at a sandbox that is alive. */
  heard(sandbox: Sandbox, input: object, answer: Heard): void;
  /** The last state of its own claim that it was told. */
  acknowledged(sandbox: Sandbox, id: string): ClaimRecord | undefined;
  /** Whether it has been shown since that the claim is somebody else's. */
  hasLost(sandbox: Sandbox, id: string): boolean;
  /** Whether a claim was taken over from a worker that ended without an outcome. */
  isTakenOver(claimId: string): boolean;
}

export function createGrants(): Grants {
  const written = new Map<string, ClaimRecord>();
  const known = new Map<string, ClaimRecord>();
  const lost = new Set<string>();
  const takenOver = new Set<string>();
  const about = (sandbox: Sandbox, id: string) => `${sandbox.name} ${id}`;

  function shown(sandbox: Sandbox, item: Item | undefined): void {
    if (item === undefined) return;
    const record = fromItem(item);
    const place = about(sandbox, record.id);
    // Read before a write of its own, and heard after the answer to that: it says nothing of what is.
    if (record.fence < (known.get(place)?.fence ?? 0)) return;
    if (record.claimId.startsWith(`${sandbox.name}.`)) learn(place, record);
    else lost.add(place);
  }

  function learn(place: string, record: ClaimRecord): void {
    known.set(place, record);
    lost.delete(place);
  }

  function applied(sandbox: Sandbox, id = ''): void {
    const place = about(sandbox, id);
    const record = written.get(place);
    if (record !== undefined) learn(place, record);
  }

  function heard(sandbox: Sandbox, input: object, answer: Heard): void {
    if ('error' in answer) shown(sandbox, (answer.error as { Item?: Item }).Item);
    else if ('Item' in input) applied(sandbox, (input as PutItemCommandInput).Item?.['id']?.S);
    else if ('Statements' in input)
      heardStatements(
        sandbox,
        input as BatchExecuteStatementCommandInput,
        answer.value as BatchExecuteStatementCommandOutput,
      );
    else heardRead(sandbox, answer.value as GetItemCommandOutput | BatchGetItemCommandOutput);
  }

  function heardStatements(
    sandbox: Sandbox,
    { Statements = [] }: BatchExecuteStatementCommandInput,
    { Responses = [] }: BatchExecuteStatementCommandOutput,
  ): void {
    for (const [index, statement] of Statements.entries()) {
      const { Error: error } = Responses[index] ?? {};
      if (error === undefined) applied(sandbox, idOf(statement));
      else shown(sandbox, error.Item);
    }
  }

  function heardRead(sandbox: Sandbox, output: GetItemCommandOutput | BatchGetItemCommandOutput): void {
    if ('Item' in output) shown(sandbox, output.Item);
    if (!('Responses' in output)) return;
    for (const items of Object.values(output.Responses ?? {})) for (const item of items) shown(sandbox, item);
  }

  return {
    wrote(writer, from, to) {
      written.set(about(writer, to.id), to);
      const isTakeover = from?.status === 'in-flight' && to.status === 'in-flight' && from.claimId !== to.claimId;
      if (isTakeover) takenOver.add(to.claimId);
    },
    heard,
    hasLost: (sandbox, id) => lost.has(about(sandbox, id)),
    isTakenOver: (claimId) => takenOver.has(claimId),
    acknowledged: (sandbox, id) => known.get(about(sandbox, id)),
  };
}
