import type { RecordState } from '../../kernel/record.ts';
import { conditionOf } from '../../stores/dynamodb/condition.ts';
import type { TransactAction } from '../../stores/dynamodb/marshall-action.ts';

/** The action that makes a transaction fail unless an item is in a state. */
export function whenIn(TableName: string, id: string, state: RecordState): TransactAction {
  const { expression, names, values } = conditionOf(state);
  return {
    ConditionCheck: {
      TableName,
      Key: { id },
      ConditionExpression: expression,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
  };
}
